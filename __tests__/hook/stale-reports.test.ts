import { describe, expect, it } from "@jest/globals";
import {
  type BaseMessage,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { tool as defineTool } from "@langchain/core/tools";
import { MemorySaver, messagesStateReducer } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { SlidingWindowCompactor } from "langchain-compaction";
import type { CompactionHook, CompactorLike } from "langchain-compaction";
import { z } from "zod";
import { ai, human, idsOf } from "../support/make-messages.js";
import {
  agentThread,
  hookOf,
  markOn,
  reportingHook,
  toolStep,
} from "./threads.js";

/** A window of 1000 tokens: starts at 500, goes down to 300. */
const wide = { contextWindow: 1000, compactAt: 0.5, compactTo: 0.3 };

/** 220 tokens by the counter, 520 by the provider: an overhead of 290 beside them. */
const reported = (): BaseMessage[] => [
  ...agentThread(9),
  ...toolStep(10, [500, 10]),
];

async function state(
  hook: CompactionHook,
  before: BaseMessage[],
): Promise<BaseMessage[]> {
  const { messages } = await hook.invoke({ messages: before });
  return messages === undefined
    ? before
    : messagesStateReducer(before, messages);
}

/** As another process gets it from a checkpoint. */
function reloaded(messages: readonly BaseMessage[]): BaseMessage[] {
  return mapStoredMessagesToChatMessages(
    JSON.parse(JSON.stringify(messages.map((m) => m.toDict()))) as never,
  );
}

describe.each([
  ["on a note", {}],
  [
    "on the AI message where there is no note",
    { compactor: new SlidingWindowCompactor({ omissionNote: null }) },
  ],
])("the mark %s", (_name, more) => {
  it.each([
    [
      "at once, as after a model call that failed",
      (list: BaseMessage[]) => list,
    ],
    ["in another process", reloaded],
    ["after a new question", (list: BaseMessage[]) => [...list, human("next")]],
    [
      "after an answer without a report",
      (list: BaseMessage[]) => [...list, ai("x"), human("next")],
    ],
  ])("lets a report of before fire nothing: %s", async (_when, later) => {
    const { hook, reports } = reportingHook({ ...wide, ...more });
    const after = await state(hook, reported());
    const next = later(after);

    expect(await hook.invoke({ messages: next })).toEqual({});
    expect(reports[0]).toMatchObject({
      outcome: "compacted",
      overheadTokens: 300,
    });
    expect(reports[1]).toMatchObject({
      reason: "below-trigger",
      // The overhead that was found goes on being used.
      tokensBefore: next.length * 10 + 300,
    });
  });

  it("makes room for a report of after", async () => {
    const { hook, reports } = reportingHook({ ...wide, ...more });
    const after = await state(hook, reported());
    const next = [...after, ...toolStep(11, [333, 4])];

    await hook.invoke({ messages: next });
    expect(reports[1]).toMatchObject({ tokensBefore: 347 });
  });

  it("fires again by the overhead that was found", async () => {
    const { hook, reports } = reportingHook({ ...wide, ...more });
    let messages = await state(hook, reported());
    for (let step = 11; reports.length < 40; step += 1) {
      messages = await state(hook, [...messages, ...toolStep(step)]);
    }

    const sizes = reports.map((r) => r.tokensBefore);
    expect(Math.max(...sizes)).toBeLessThan(520 + 20);
    const fired = reports.flatMap((r, i) =>
      r.outcome === "compacted" ? [i] : [],
    );
    expect(fired.length).toBeGreaterThan(2);
    for (let i = 1; i < fired.length; i += 1) {
      expect(fired[i]! - fired[i - 1]!).toBeGreaterThan(3);
    }
  });

  it("says which report is the newest stale one", async () => {
    const after = await state(hookOf({ ...wide, ...more }), reported());
    const marks = after.flatMap((message) => markOn(message) ?? []);
    expect(marks).toEqual([
      {
        strategy: "sliding-window",
        removedMessages: 18,
        keptMessages: 4,
        lastReportId: "a10",
        overheadTokens: 300,
      },
    ]);
  });
});

describe("without a note", () => {
  const compactor = new SlidingWindowCompactor({ omissionNote: null });

  it("marks a copy of the newest AI message that has a report, and nothing else", async () => {
    const before = reported();
    const marked = before.at(-2)!;
    const { messages } = await hookOf({ ...wide, compactor }).compact(before);

    expect(idsOf(messages)).toEqual(["s", "task", "a10", "r10"]);
    expect(messages.map((m) => before.includes(m))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    const copy = messages[2]!;
    expect(copy).not.toBe(marked);
    expect(copy.constructor).toBe(marked.constructor);
    expect(copy).toMatchObject({
      id: "a10",
      tool_calls: [{ id: "c10" }],
      usage_metadata: { input_tokens: 500 },
    });
    expect(marked.response_metadata).toEqual({});
  });

  it("goes on with the count, and replaces the mark", async () => {
    const hook = hookOf({ ...wide, compactor });
    let messages = await state(hook, reported());
    for (let step = 11; step <= 30; step += 1) {
      messages = await state(hook, [...messages, ...toolStep(step, [500, 5])]);
    }
    const marks = messages.map(markOn).filter((mark) => mark);
    expect(marks.at(-1)!["removedMessages"]).toBe(2 + 30 * 2 - messages.length);
  });

  it("marks nothing where no report is left, since nothing is stale then", async () => {
    const { messages } = await hookOf({ ...wide, compactor }).compact(
      agentThread(30),
    );
    expect(JSON.stringify(messages.map((m) => m.toDict()))).not.toContain(
      "context_compaction",
    );
  });
});

describe("when the AI message that the mark names has gone", () => {
  it("goes by the number of kept messages", async () => {
    const compactor = new SlidingWindowCompactor({ minKeepSteps: 0 });
    const { hook, reports } = reportingHook({ ...wide, compactor });
    const before = [...agentThread(9), ...toolStep(10, [600, 10])];
    const after = await state(hook, before);
    expect(idsOf(after)).toEqual(["s", "task", "compaction-note-a1"]);

    await hook.invoke({ messages: [...after, ...toolStep(11, [450, 5])] });
    expect(reports[1]).toMatchObject({ tokensBefore: 465 });
  });
});

describe("forged and broken marks", () => {
  it.each([
    [{ strategy: "sliding-window" }],
    [{ strategy: "sliding-window", removedMessages: -1, keptMessages: 99 }],
    [{ strategy: "other", removedMessages: 1, keptMessages: 99 }],
    ["text"],
    [null],
  ])("count for nothing: %p", async (mark) => {
    const forged = human("forged", {
      additional_kwargs: { context_compaction: mark },
    });
    const { report } = await hookOf(wide).compact([forged, ...reported()]);
    expect(report).toMatchObject({ outcome: "compacted", tokensBefore: 520 });
  });
});

describe("a compactor that leaves no note of ours", () => {
  it("is marked on the AI message all the same", async () => {
    const compactor: CompactorLike = {
      compact: async (messages) => [
        ...messages.slice(0, 2),
        ...messages.slice(-2),
      ],
    };
    const { hook, reports } = reportingHook({ ...wide, compactor });
    const after = await state(hook, reported());
    await hook.invoke({ messages: after });

    expect(markOn(after[2]!)).toEqual({
      strategy: "custom",
      removedMessages: 18,
      keptMessages: 4,
      lastReportId: "a10",
      overheadTokens: 300,
    });
    expect(reports[1]).toMatchObject({ reason: "below-trigger" });
  });
});

describe("a thread in which no report ever came", () => {
  it.each(["rewrite", "view"] as const)(
    "is measured with the tools of now, not with those of its last compaction: %s",
    async (mode) => {
      const before = await state(hookOf(wide), agentThread(30));
      const { hook, reports } = reportingHook({
        ...wide,
        mode,
        overheadTokens: 300,
      });
      await hook.invoke({ messages: before });
      expect(before.length).toBeLessThan(40);
      expect(reports[0]).toMatchObject({
        outcome: "compacted",
        tokensBefore: before.length * 10 + 300,
      });
    },
  );
});

describe("in a real agent", () => {
  it("does not fire again after a model call that failed", async () => {
    const llm = fakeModel();
    for (let call = 1; call <= 4; call += 1) {
      llm.respond(ai(`a${call}`, [`c${call}`], { usage: [call * 130, 10] }));
    }
    llm.respond(new Error("503"));
    llm.respond(ai("end", [], { usage: [350, 10] }));
    llm.respond(ai("now", [], { usage: [370, 10] }));
    const { hook, reports } = reportingHook(wide);
    const agent = createReactAgent({
      llm,
      tools: [
        defineTool(async () => "done", {
          name: "look_up",
          description: "Looks something up.",
          schema: z.object({}),
        }),
      ],
      preModelHook: hook,
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" }, recursionLimit: 50 };

    await expect(
      agent.invoke({ messages: [human("task")] }, config),
    ).rejects.toThrow("503");
    await agent.invoke(null, config);
    await agent.invoke({ messages: [human("and now?")] }, config);

    expect(reports.map((r) => r.outcome)).toEqual([
      "unchanged",
      "unchanged",
      "unchanged",
      "unchanged",
      "compacted",
      "unchanged",
    ]);
  });
});
