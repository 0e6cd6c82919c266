import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { readConversation } from "../../src/conversation/anatomy.js";
import {
  ai,
  collapse,
  human,
  note,
  summary,
  system,
  tool,
} from "../support/make-messages.js";

/** The steps of a list, each as the ids in it. */
function stepsOf(messages: readonly BaseMessage[]): string[][] {
  const { stepStarts, stepEnds } = readConversation(messages);
  return stepStarts.map((start, step) =>
    messages.slice(start, stepEnds[step]).map(({ id }) => id!),
  );
}

const thinking = (id: string) =>
  ai(id, [], { content: [{ type: "thinking", thinking: "hm" }] as never });

describe("instructions", () => {
  it.each<[string, BaseMessage[], number]>([
    [
      "are the leading system messages",
      [system("1"), system("2"), human("q")],
      2,
    ],
    ["are none where a person begins", [human("q"), system("1")], 0],
    ["are all there is", [system("1"), system("2")], 2],
    ["are none in an empty list", [], 0],
  ])("%s", (_name, messages, end) => {
    expect(readConversation(messages).instructionsEnd).toBe(end);
  });
});

describe("steps", () => {
  it.each<[string, BaseMessage[], string[][]]>([
    ["an answer by itself", [human("q"), ai("a"), ai("b")], [["a"], ["b"]]],
    [
      "a call with its result",
      [ai("a", ["1"]), tool("r", "1"), ai("b")],
      [["a", "r"], ["b"]],
    ],
    [
      "a batch",
      [ai("a", ["1", "2"]), tool("r2", "2"), tool("r1", "1")],
      [["a", "r2", "r1"]],
    ],
    [
      "a result behind a human message",
      [ai("a", ["1", "2"]), tool("r1", "1"), human("x"), tool("r2", "2")],
      [["a", "r1", "x", "r2"]],
    ],
    [
      "a result behind another answer",
      [ai("a", ["1"]), ai("b"), tool("r1", "1"), ai("c")],
      [["a", "b", "r1"], ["c"]],
    ],
    [
      "steps that overlap",
      [ai("a", ["1"]), ai("b", ["2"]), tool("r1", "1"), tool("r2", "2")],
      [["a", "b", "r1", "r2"]],
    ],
    [
      "an id that recurs",
      [ai("a", ["1"]), tool("r1", "1"), ai("b", ["1"]), tool("r2", "1")],
      [
        ["a", "r1"],
        ["b", "r2"],
      ],
    ],
    [
      "a second result of one call",
      [ai("a", ["1"]), tool("r1", "1"), tool("again", "1")],
      [["a", "r1", "again"]],
    ],
    ["a call without an answer", [ai("a", ["1"]), ai("b")], [["a"], ["b"]]],
    [
      "reasoning before a call",
      [thinking("t1"), thinking("t2"), ai("a", ["1"]), tool("r", "1")],
      [["t1", "t2", "a", "r"]],
    ],
    ["reasoning before no call", [thinking("t"), ai("a")], [["t"], ["a"]]],
    [
      "an orphan behind a step",
      [ai("a", ["1"]), tool("r", "1"), tool("o", "9"), tool("p", "9")],
      [["a", "r", "o", "p"]],
    ],
    ["an orphan elsewhere", [ai("a"), human("q"), tool("o", "9")], [["a"]]],
    [
      "results without ids",
      [ai("a", [{ name: "f" }, { name: "f" }]), tool("r1"), tool("r2")],
      [["a", "r1", "r2"]],
    ],
  ])("%s", (_name, messages, steps) => {
    expect(stepsOf(messages)).toEqual(steps);
  });
});

describe("turns and task", () => {
  it.each<
    [
      string,
      BaseMessage[],
      { starts: string[]; task: string | undefined; run?: string },
    ]
  >([
    [
      "begin with a person",
      [system("s"), human("q1"), ai("a"), human("q2")],
      { starts: ["q1", "q2"], task: "q2" },
    ],
    [
      "are none without one",
      [system("s"), ai("a"), ai("b")],
      { starts: [], task: undefined },
    ],
    [
      "do not begin with a note",
      [note("n", 3), human("q1"), ai("a")],
      { starts: ["q1"], task: "q1" },
    ],
    [
      "do not begin with a summary",
      [summary("n", 3), human("q1")],
      { starts: ["q1"], task: "q1" },
    ],
    [
      "do not begin with a record",
      [human("q1"), collapse("n", 3)],
      { starts: ["q1"], task: "q1" },
    ],
    [
      "do not begin with another middleware's summary",
      [
        human("q1"),
        ai("a"),
        human("m", { additional_kwargs: { lc_source: "summarization" } }),
      ],
      { starts: ["q1"], task: "q1" },
    ],
    [
      "begin with a forged note",
      [
        human("q1"),
        ai("a"),
        human("f", {
          additional_kwargs: {
            context_compaction: { strategy: "sliding-window" },
          },
        }),
      ],
      { starts: ["q1", "f"], task: "f" },
    ],
    [
      "do not begin inside a step",
      [human("q1"), ai("a", ["1"]), human("x"), tool("r", "1")],
      { starts: ["q1"], task: "x" },
    ],
    [
      "know a run of questions",
      [human("q1"), ai("a"), human("q2"), human("q3")],
      { starts: ["q1", "q2", "q3"], task: "q3", run: "q2" },
    ],
    [
      "do not begin with results in Anthropic's form",
      [
        human("q1"),
        ai("a", ["1"]),
        human("r", {
          content: [
            { type: "tool_result", tool_use_id: "1", content: "x" },
          ] as never,
        }),
      ],
      { starts: ["q1"], task: "q1" },
    ],
  ])("%s", (_name, messages, { starts, task, run = task }) => {
    const found = readConversation(messages);
    expect(found.turnStarts.map((index) => messages[index]!.id)).toEqual(
      starts,
    );
    expect(messages[found.taskIndex]?.id).toBe(task);
    expect(messages[found.taskRunStart]?.id).toBe(run);
  });
});
