import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import {
  CompactionError,
  type MessagesTokenCounter,
  type TokenCounterLike,
} from "langchain-compaction";
import { ai, human, idsOf, system, tool } from "../support/make-messages.js";
import {
  agentThread,
  chatThread,
  hookOf,
  reportingHook,
  tens,
} from "./threads.js";

/** Counts as given for one message of the list, ten tokens for any other. */
const except = (id: string, count: () => unknown): MessagesTokenCounter =>
  (([message]: BaseMessage[]) =>
    message!.id === id ? count() : 10) as MessagesTokenCounter;

const fail = (): never => {
  throw new Error("no table");
};

const BAD_COUNTERS: [string, () => unknown, RegExp][] = [
  ["throws", fail, /message 1 \(id "task"\): no table/],
  ["rejects", async () => fail(), /message 1 \(id "task"\): no table/],
  ["returns NaN", () => Number.NaN, /returned NaN for message 1 \(id "task"\)/],
  ["returns a negative number", () => -1, /returned -1 for message 1/],
  ["returns infinity", () => Infinity, /returned Infinity for message 1/],
  ["returns a text", () => "12", /returned "12" for message 1/],
  ["returns nothing", () => undefined, /returned undefined for message 1/],
  ["resolves to NaN", async () => Number.NaN, /returned NaN for message 1/],
  ["resolves to nothing", async () => undefined, /returned undefined/],
];

describe("a counter that", () => {
  it.each(BAD_COUNTERS)(
    "%s leaves the messages alone",
    async (_name, count, text) => {
      const before = agentThread(6);
      const { hook, reports } = reportingHook({
        tokenCounter: except("task", count),
      });

      expect(await hook.invoke({ messages: before })).toEqual({});
      expect(reports).toHaveLength(1);
      expect(reports[0]).toMatchObject({
        outcome: "failed",
        reason: "counter-failed",
        error: {
          code: "COUNTER_FAILED",
          message: expect.stringMatching(text),
        },
      });
    },
  );

  it.each(BAD_COUNTERS)(
    "%s is an error with raiseOnFailure",
    async (_name, count) => {
      const hook = hookOf({
        tokenCounter: except("task", count),
        raiseOnFailure: true,
      });
      const error: unknown = await hook
        .invoke({ messages: agentThread(6) })
        .catch((e: unknown) => e);
      expect(CompactionError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ code: "COUNTER_FAILED" });
    },
  );

  it("fails on the note alone leaves the messages alone", async () => {
    const tokenCounter: TokenCounterLike = ([message]) =>
      message!.id?.startsWith("compaction-note") ? Number.NaN : 10;
    const { messages, report } = await hookOf({ tokenCounter }).compact(
      agentThread(6),
    );
    expect(messages).toHaveLength(14);
    expect(report.reason).toBe("counter-failed");
  });

  it("fails on tools leaves the messages alone", async () => {
    const { report } = await hookOf({
      tokenCounter: { ...tens, countTools: () => Number.NaN },
      tools: [{ type: "function", function: { name: "x" } }],
    }).compact(agentThread(6));
    expect(report).toMatchObject({
      reason: "counter-failed",
      error: { message: expect.stringContaining("the tools") },
    });
  });

  it.each<[string, TokenCounterLike]>([
    ["at the first message", async () => new Promise<number>(() => {})],
    ["in the middle", except("r3", async () => new Promise(() => {}))],
    [
      "at the note",
      ([message]) =>
        message!.id?.startsWith("compaction-note")
          ? new Promise<number>(() => {})
          : 10,
    ],
  ])("never settles %s ends with the signal", async (_name, tokenCounter) => {
    const abort = new AbortController();
    const hook = hookOf({ tokenCounter });
    const before = agentThread(6);
    const pass = hook.compact(before, { signal: abort.signal });
    queueMicrotask(() => abort.abort());

    const { messages, report } = await pass;
    expect(messages).toEqual(before);
    expect(report).toMatchObject({ outcome: "failed", reason: "aborted" });
  });

  it("never settles does not hold a graph that is aborted", async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode(
        "compact",
        hookOf({ tokenCounter: async () => new Promise<number>(() => {}) }),
      )
      .addEdge(START, "compact")
      .compile();
    const abort = new AbortController();
    const run = graph.invoke(
      { messages: agentThread(6) },
      { signal: abort.signal },
    );
    setImmediate(() => abort.abort());
    await expect(run).rejects.toThrow(/abort/i);
  });
});

describe("an aborted signal", () => {
  it("is looked at first", async () => {
    let asked = 0;
    const { report } = await hookOf({
      tokenCounter: () => (asked += 1),
    }).compact(agentThread(6), { signal: AbortSignal.abort() });
    expect(report).toMatchObject({ outcome: "failed", reason: "aborted" });
    expect(asked).toBe(0);
  });

  it("ends a compactor that never settles", async () => {
    const abort = new AbortController();
    const pass = hookOf({
      compactor: {
        compact: async () => {
          queueMicrotask(() => abort.abort());
          return new Promise<never>(() => {});
        },
      },
    }).compact(agentThread(6), { signal: abort.signal });
    expect((await pass).report.reason).toBe("aborted");
  });
});

describe("a compactor that", () => {
  it.each<[string, () => unknown]>([
    ["throws", fail],
    ["rejects", async () => fail()],
  ])("%s leaves the messages alone", async (_name, compact) => {
    const { messages, report } = await hookOf({
      compactor: { compact: compact as never },
    }).compact(agentThread(6));
    expect(messages).toHaveLength(14);
    expect(report).toMatchObject({
      outcome: "failed",
      reason: "compactor-failed",
      error: {
        code: "COMPACTION_FAILED",
        message: "no table",
        cause: new Error("no table"),
      },
    });
  });

  it("throws what is no error is told of too", async () => {
    const { report } = await hookOf({
      compactor: { compact: () => Promise.reject("text") },
    }).compact(agentThread(6));
    expect(report.error?.message).toContain("text");
  });
});

describe("a predicate that throws", () => {
  it.each(["compactAt", "compactTo"])(
    "as %s leaves the messages alone",
    async (option) => {
      const { messages, report } = await hookOf({ [option]: fail }).compact(
        agentThread(6),
      );
      expect(messages).toHaveLength(14);
      expect(report).toMatchObject({
        outcome: "failed",
        reason: "compactor-failed",
      });
    },
  );
});

describe("odd input", () => {
  it("does nothing on an empty list", async () => {
    const { hook, reports } = reportingHook();
    expect(await hook.invoke({ messages: [] })).toEqual({});
    expect(reports[0]).toMatchObject({
      outcome: "unchanged",
      reason: "no-messages",
      tokensBefore: 0,
    });
  });

  it("keeps instructions when there is nothing else", async () => {
    const before = Array.from({ length: 20 }, (_, i) => system(`s${i}`));
    const { messages, report } = await hookOf().compact(before);
    expect(messages).toHaveLength(20);
    expect(report).toMatchObject({
      reason: "nothing-removable",
      overTarget: true,
    });
  });

  it("keeps the newest steps where nobody asked anything", async () => {
    const before = agentThread(8).filter((m) => m.type !== "human");
    const { messages } = await hookOf().compact(before);
    expect(idsOf(messages)).toEqual(["s", "compaction-note-a1", "a8", "r8"]);
  });

  it("keeps one giant message and says that it is over the target", async () => {
    const { messages, report } = await hookOf({
      tokenCounter: () => 1_000_000,
    }).compact([human("giant")]);
    expect(idsOf(messages)).toEqual(["giant"]);
    expect(report).toMatchObject({
      outcome: "unchanged",
      reason: "nothing-removable",
      overTarget: true,
      warnings: ["over-target"],
    });
  });

  it("keeps a giant task, and takes all else away", async () => {
    const { messages, report } = await hookOf({
      tokenCounter: ([m]) => (m!.id === "task" ? 1_000 : 10),
    }).compact(agentThread(8));
    expect(idsOf(messages)).toEqual([
      "s",
      "task",
      "compaction-note-a1",
      "a8",
      "r8",
    ]);
    expect(report).toMatchObject({ outcome: "compacted", overTarget: true });
  });

  it("takes a list and messages that are frozen", async () => {
    const before = Object.freeze(
      agentThread(8).map((m) => Object.freeze(m)),
    ) as BaseMessage[];
    const { messages, report } = await hookOf().compact(before);
    expect(report.outcome).toBe("compacted");
    expect(messages[0]).toBe(before[0]);
  });

  it("marks a frozen answer by a copy", async () => {
    const before = [
      ...chatThread(8),
      human("q"),
      ai("a", [], { usage: [400, 1] }),
    ].map((m) => Object.freeze(m));
    const { messages, report } = await hookOf({
      compactor: { compact: async (list) => list.slice(-2) },
    }).compact(before);
    expect(report.outcome).toBe("compacted");
    expect(messages.at(-1)!.response_metadata).toHaveProperty(
      "context_compaction",
    );
    expect(before.at(-1)!.response_metadata).toEqual({});
  });

  it.each<[string, unknown]>([
    ["a number", 7],
    ["null", null],
    ["undefined", undefined],
    ["an empty object", {}],
    ["a role that nobody has", { role: "wizard", content: "x" }],
    [
      "a call whose arguments are no JSON",
      {
        role: "assistant",
        content: "",
        tool_calls: [
          {
            id: "1",
            type: "function",
            function: { name: "f", arguments: "{" },
          },
        ],
      },
    ],
  ])("%s is no message, which harms no run", async (_name, value) => {
    const before = [...agentThread(8), value] as BaseMessage[];
    const { hook, reports } = reportingHook();
    const { messages, report } = await hook.compact(before);

    expect(await hook.invoke({ messages: before })).toEqual({});
    expect(messages).toHaveLength(19);
    expect(messages.every((m, index) => m === before[index])).toBe(true);
    for (const each of [report, ...reports]) {
      expect(each).toMatchObject({
        outcome: "failed",
        reason: "invalid-messages",
        error: {
          code: "INVALID_MESSAGES",
          message: expect.stringContaining("Entry 18"),
        },
      });
    }
    await expect(
      hookOf({ raiseOnFailure: true }).compact(before),
    ).rejects.toMatchObject({ code: "INVALID_MESSAGES" });
  });

  it.each([[undefined], [null], ["text"], [{}]])(
    "%p is no list at all",
    async (messages) => {
      await expect(hookOf().compact(messages as never)).rejects.toMatchObject({
        code: "INVALID_MESSAGES",
      });
    },
  );

  it("counts a doubled id and an endless content", async () => {
    const before = [
      ...agentThread(4),
      ...agentThread(4).slice(2),
      tool("r9", "c4", { content: "x".repeat(100_000) }),
    ];
    const { report } = await hookOf({
      tokenCounter: undefined as never,
    }).compact(before);
    expect(report.outcome).not.toBe("failed");
  });
});
