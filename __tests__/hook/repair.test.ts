import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  HumanMessage,
  type BaseMessage,
  ToolMessage,
} from "@langchain/core/messages";
import {
  END,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import {
  checkConversation,
  CompactionHook,
  type CompactionReport,
  SlidingWindowCompactor,
} from "langchain-compaction";

/** A thread whose tool crashed before the person went on. */
function interrupted(): BaseMessage[] {
  return [
    new HumanMessage({ id: "h1", content: "Water the roses." }),
    new AIMessage({
      id: "a1",
      content: "",
      tool_calls: [{ id: "c1", name: "water", args: {} }],
    }),
    new HumanMessage({ id: "h2", content: "Are they wet?" }),
  ];
}

function hookWith(
  options: { repair?: boolean; mode?: "rewrite" | "view" },
  reports: CompactionReport[] = [],
): CompactionHook {
  return new CompactionHook({
    compactor: new SlidingWindowCompactor(),
    contextWindow: 100_000,
    onReport: (report) => void reports.push(report),
    ...options,
  });
}

describe("a hook with repair", () => {
  it("leaves a broken thread alone unless it is asked", async () => {
    const messages = interrupted();
    const { messages: after, report } = await hookWith({}).compact(messages);
    expect(after).toEqual(messages);
    expect(report.mends).toBeUndefined();
  });

  it("heals a graph's thread below the trigger, and says what it mended", async () => {
    const reports: CompactionReport[] = [];
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("compact", hookWith({ repair: true }, reports))
      .addEdge(START, "compact")
      .addEdge("compact", END)
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "roses" } };
    const { messages } = await graph.invoke(
      { messages: interrupted() },
      config,
    );

    expect(checkConversation(messages)).toEqual([]);
    expect(messages.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["h1", "a1", "h2"]),
    );
    expect(reports[0]).toMatchObject({ outcome: "unchanged" });
    expect(reports[0]!.mends!.map(({ code }) => code)).toContain(
      "unanswered-call",
    );
    await graph.invoke({ messages: [] }, config);
    expect(reports[1]!.mends).toBeUndefined();
  });

  it("shows the model a healed view and leaves the state as it is", async () => {
    const messages = interrupted();
    const hook = hookWith({ repair: true, mode: "view" });
    const { llmInputMessages } = await hook.invoke({ messages });
    expect(llmInputMessages!.length).toBeGreaterThan(messages.length);
    expect(checkConversation(await hook.view(messages))).toEqual([]);
    expect(checkConversation(messages)).not.toEqual([]);
  });

  it("heals where the rest of the pass fails", async () => {
    const hook = new CompactionHook({
      compactor: new SlidingWindowCompactor(),
      contextWindow: 100_000,
      tokenCounter: () => Number.NaN,
      repair: true,
    });
    const { messages, report } = await hook.compact(interrupted());
    expect(report.reason).toBe("counter-failed");
    expect(report.mends).toMatchObject([
      { code: "unanswered-call" },
      { code: "role-order" },
    ]);
    expect(checkConversation(messages)).toEqual([]);
    expect(await hook.view(interrupted())).toEqual(messages);
  });

  it("leaves a thread of which nothing would be left", async () => {
    const messages = ["c1", "c2"].map(
      (id) => new ToolMessage({ tool_call_id: id, content: "done" }),
    );
    const hook = hookWith({ repair: true });
    const { messages: left, report } = await hook.compact(messages);
    expect(left).toEqual(messages);
    expect(report).toMatchObject({
      outcome: "unchanged",
      reason: "below-trigger",
    });
    expect(report.mends).toBeUndefined();
    expect(await hook.view(messages)).toEqual(messages);
  });

  it("does nothing to a healthy thread", async () => {
    const messages = [new HumanMessage({ id: "h", content: "Hello." })];
    expect(await hookWith({ repair: true }).invoke({ messages })).toEqual({});
  });
});
