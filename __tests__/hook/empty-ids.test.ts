import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
} from "@langchain/core/messages";
import {
  CompactionHook,
  type CompactorLike,
  SlidingWindowCompactor,
  SummarizationCompactor,
  ToolCallCollapseCompactor,
} from "langchain-compaction";

// What a database, or a server in Python, writes for a message without an id.
const EMPTY_IDS = [null, ""];

/** Every message is 10 tokens; due from 70, down to 40. */
const hookWith = (compactor: CompactorLike): CompactionHook =>
  new CompactionHook({
    compactor,
    contextWindow: 100,
    tokenCounter: (messages) => 10 * messages.length,
  });

describe.each(EMPTY_IDS)("messages whose id is %j", (id) => {
  const withId = (...messages: BaseMessage[]): BaseMessage[] =>
    messages.map((message) => Object.assign(message, { id }));
  const turn = (name: string): BaseMessage[] =>
    withId(new HumanMessage(`ask ${name}`), new AIMessage(`tell ${name}`));
  const step = (call: string): BaseMessage[] =>
    withId(
      new AIMessage({
        content: "",
        tool_calls: [{ id: call, name: "look", args: {} }],
      }),
      new ToolMessage({ tool_call_id: call, content: "seen" }),
    );
  const turns = [..."abcdef"].flatMap(turn);

  it("have one note over several passes, and its count goes on", async () => {
    const hook = hookWith(new SlidingWindowCompactor());
    const first = await hook.compact(turns);
    const second = await hook.compact([
      ...first.messages,
      ...turn("g"),
      ...turn("h"),
      ...turn("i"),
    ]);

    expect(first.report).toMatchObject({
      outcome: "compacted",
      removedIds: [],
    });
    expect(second.messages.map(({ text }) => text)).toEqual([
      "[16 earlier messages were removed from this conversation to free up context.]",
      "ask i",
      "tell i",
    ]);
  });

  it("are folded", async () => {
    const folding = new ToolCallCollapseCompactor({
      minKeepGroups: 1,
      format: () => "Looked.",
    });
    const { messages, report } = await hookWith(folding).compact([
      ...withId(new HumanMessage("Look at all of them.")),
      ...["1", "2", "3", "4"].flatMap(step),
    ]);

    expect(report.reason).toBe("above-trigger");
    expect(messages.filter(({ text }) => text === "Looked.")).toHaveLength(3);
  });

  it("are summarised", async () => {
    const summarizing = new SummarizationCompactor({
      model: { invoke: () => Promise.resolve("They talked.") },
    });
    const { messages, report } = await hookWith(summarizing).compact(turns);

    expect(report.reason).toBe("above-trigger");
    expect(messages[0]?.id).toBeUndefined();
  });

  it("do not pass for one another", async () => {
    const withoutTask: CompactorLike = {
      compact: (messages) => Promise.resolve([...messages.slice(0, 2)]),
    };
    const { report } = await hookWith(withoutTask).compact(turns);

    expect(report.reason).toBe("invalid-result");
    expect(report.error?.message).toContain("lacks the task");
  });
});
