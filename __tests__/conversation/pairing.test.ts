import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import {
  type Answer,
  pairToolResults,
} from "../../src/conversation/pairing.js";
import { ai, human, note, tool } from "../support/make-messages.js";

/** Which message answers which: `"r1>a"`, `"r1>a again"` or `"r1>?"`; then the calls without an answer. */
function paired(messages: readonly BaseMessage[]): string[] {
  const answers: Answer[] = [];
  const { open } = pairToolResults(messages, (answer) => answers.push(answer));
  return [
    ...answers.map(
      ({ index, caller, repeated }) =>
        `${messages[index]!.id}>${messages[caller]?.id ?? "?"}${repeated ? " again" : ""}`,
    ),
    ...open.map(({ index, id }) => `${messages[index]!.id}:${id ?? ""} open`),
  ];
}

const results = (id: string, ...callIds: string[]) =>
  human(id, {
    content: callIds.map((tool_use_id) => ({
      type: "tool_result",
      tool_use_id,
      content: "x",
    })) as never,
  });

describe("a result answers", () => {
  it.each<[string, BaseMessage[], string[]]>([
    ["the call with its id", [ai("a", ["1"]), tool("r", "1")], ["r>a"]],
    [
      "the nearest call that has no answer yet",
      [ai("a", ["1"]), ai("b", ["1"]), tool("r", "1"), tool("s", "1")],
      ["r>b", "s>a"],
    ],
    [
      "else the nearest one with its id",
      [
        ai("a", ["1"]),
        tool("r", "1"),
        ai("b", ["1"]),
        tool("s", "1"),
        tool("t", "1"),
      ],
      ["r>a", "s>b", "t>b again"],
    ],
    [
      "no call that comes later",
      [tool("r", "1"), ai("a", ["1"])],
      ["r>?", "a:1 open"],
    ],
    [
      "without an id the message before its results",
      [ai("a", ["1"]), ai("b", [{}, {}]), tool("r"), tool("s")],
      ["r>b", "s>b", "a:1 open"],
    ],
    [
      "without an id nothing behind a person",
      [ai("a", [{}]), human("q"), tool("r")],
      ["r>?", "a: open"],
    ],
    [
      "with an empty id as without one",
      [ai("a", [{ id: "" }]), tool("r", "")],
      ["r>a"],
    ],
    [
      "one call that is named twice",
      [ai("a", ["1", "1"]), tool("r", "1")],
      ["r>a"],
    ],
    [
      "in Anthropic's form, several at once",
      [ai("a", ["1", "2"]), results("r", "1", "2")],
      ["r>a", "r>a"],
    ],
  ])("%s", (_name, messages, expected) => {
    expect(paired(messages)).toEqual(expected);
  });
});

// A limit: somebody put our note where no compactor puts one, inside a step.
// The next compaction replaces it, and a result without an id says of no call
// that it is its own but by where it stands.
it("a result without an id answers by its place alone, so a note put before it hides its call", () => {
  const made = note("n", 3);
  const messages = [
    ai("a", ["1"]),
    ai("b", ["1", "2"]),
    made,
    tool("r"),
    tool("s", "1"),
    human("q"),
  ];
  expect(paired(messages)).toEqual(["r>?", "s>b", "a:1 open", "b:2 open"]);
  expect(paired(messages.filter((message) => message !== made))).toEqual([
    "r>b",
    "s>a",
    "b:2 open",
  ]);
});

describe("calls are found", () => {
  const bare = (fields: Record<string, unknown>) =>
    new AIMessage({ id: "a", content: "", ...fields });

  it.each<[string, BaseMessage, string[]]>([
    ["in tool_calls", ai("a", ["1"]), ["r>a"]],
    [
      "in Anthropic's blocks",
      bare({ content: [{ type: "tool_use", id: "1", name: "f", input: {} }] }),
      ["r>a"],
    ],
    [
      "in Anthropic's blocks and tool_calls, as one",
      bare({
        content: [{ type: "tool_use", id: "1", name: "f", input: {} }],
        tool_calls: [{ id: "1", name: "f", args: {} }],
      }),
      ["r>a"],
    ],
    [
      "in standard blocks",
      bare({ content: [{ type: "tool_call", id: "1", name: "f", args: {} }] }),
      ["r>a"],
    ],
    [
      "in Responses' blocks, by call_id",
      bare({
        content: [
          {
            type: "function_call",
            id: "fc",
            call_id: "1",
            name: "f",
            arguments: "{}",
          },
        ],
      }),
      ["r>a"],
    ],
    [
      "in raw calls",
      Object.assign(bare({}), {
        additional_kwargs: {
          tool_calls: [
            {
              id: "1",
              type: "function",
              function: { name: "f", arguments: "{}" },
            },
          ],
        },
      }),
      ["r>a"],
    ],
    [
      "in raw calls only where tool_calls is empty",
      bare({
        tool_calls: [{ id: "2", name: "f", args: {} }],
        additional_kwargs: { tool_calls: [{ id: "1" }] },
      }),
      ["r>?", "a:2 open"],
    ],
    [
      "where they did not parse",
      bare({ invalid_tool_calls: [{ id: "1", name: "f", args: "{" }] }),
      ["r>a"],
    ],
  ])("%s", (_name, call, expected) => {
    expect(paired([call, tool("r", "1")])).toEqual(expected);
  });

  it("in the old function_call, which has no id", () => {
    const call = bare({
      additional_kwargs: { function_call: { name: "f", arguments: "{}" } },
    });
    expect(paired([call])).toEqual(["a: open"]);
    expect(paired([call, tool("r")])).toEqual(["r>a"]);
  });

  it("and one that did not parse is never open", () => {
    expect(
      paired([
        bare({ invalid_tool_calls: [{ id: "1", name: "f", args: "{" }] }),
      ]),
    ).toEqual([]);
  });
});

it("passes over what is no call at all", () => {
  const broken = new AIMessage({ id: "a", content: "" });
  broken.tool_calls = [null, { id: "1", name: "f", args: {} }] as never;
  broken.invalid_tool_calls = [undefined] as never;
  broken.additional_kwargs = { tool_calls: [null] as never };
  expect(paired([broken, tool("r", "1")])).toEqual(["r>a"]);
});
