import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { SlidingWindowCompactor } from "langchain-compaction";
import type { CompactorLike, TokenCounter } from "langchain-compaction";
import { human } from "../support/make-messages.js";
import { agentThread, chatThread, hookOf, toolStep } from "./threads.js";

/** Messages that tell how often something of each was read. */
function watched(messages: readonly BaseMessage[]): {
  messages: BaseMessage[];
  reads: number[];
} {
  const reads = messages.map(() => 0);
  return {
    reads,
    messages: messages.map(
      (message, index) =>
        new Proxy(message, {
          get: (target, key) => {
            reads[index]! += 1;
            return Reflect.get(target, key, target) as unknown;
          },
        }),
    ),
  };
}

/** Ten tokens a message; tells how often each was counted. */
function spy(): { counter: TokenCounter; counts: Map<BaseMessage, number> } {
  const counts = new Map<BaseMessage, number>();
  return {
    counts,
    counter: {
      countMessage: (message) => {
        counts.set(message, (counts.get(message) ?? 0) + 1);
        return 10;
      },
      countTools: () => 0,
    },
  };
}

const most = (numbers: Iterable<number>): number => Math.max(...numbers);

const THREADS: [string, (steps: number) => BaseMessage[]][] = [
  ["one long turn", agentThread],
  ["many turns", chatThread],
  [
    "calls whose ids all are the same",
    (steps) => [
      human("task"),
      ...Array.from({ length: steps }, () => toolStep(1)).flat(),
    ],
  ],
  [
    "results that come late",
    (steps) => {
      const pairs = Array.from({ length: steps }, (_, i) => toolStep(i));
      return [
        human("task"),
        ...pairs.map(([call]) => call!),
        ...pairs.map(([, result]) => result!),
      ];
    },
  ],
];

describe.each(THREADS)("a pass over %s", (_name, thread) => {
  const CASES: [string, number][] = [
    ["a few go", 0.9],
    ["half go", 0.5],
    ["nearly all go", 0.05],
  ];

  it.each(CASES)("counts each message once where %s", async (_case, part) => {
    const messages = thread(500);
    const { counter, counts } = spy();
    const tokens = messages.length * 10;
    const { report } = await hookOf({
      contextWindow: tokens,
      compactAt: 0.95,
      compactTo: part,
      tokenCounter: counter,
    }).compact(messages);

    expect(report.reason).toMatch(/above-trigger|nothing-removable/);
    expect(messages.map((m) => counts.get(m))).toEqual(messages.map(() => 1));
    // Beyond the messages: the note at its longest, and as it stands.
    expect(counts.size).toBeLessThanOrEqual(messages.length + 2);
  });

  it.each(CASES)(
    "reads each message as often in a list four times as long, where %s",
    async (_case, part) => {
      const readsOf = async (steps: number): Promise<number> => {
        const { messages, reads } = watched(thread(steps));
        const tokens = messages.length * 10;
        await hookOf({
          contextWindow: tokens,
          compactAt: 0.95,
          compactTo: part,
          tokenCounter: spy().counter,
        }).compact(messages);
        return most(reads);
      };

      const short = await readsOf(250);
      expect(short).toBeGreaterThan(0);
      expect(await readsOf(1000)).toBeLessThanOrEqual(short + 4);
    },
  );
});

describe("a call below the trigger", () => {
  it("with a report touches what came after it and the answer itself, nothing else", async () => {
    const { messages, reads } = watched([
      ...agentThread(1000),
      ...toolStep(1001, [50, 10]),
      human("q"),
    ]);
    const { counter, counts } = spy();
    const hook = hookOf({ contextWindow: 1000, tokenCounter: counter });

    await hook.compact(messages);
    await hook.invoke({ messages });

    expect(reads.slice(0, -3)).toEqual(reads.slice(0, -3).map(() => 0));
    expect([...counts.keys()]).toEqual(messages.slice(-2));
  });

  it("without a report counts each message once", async () => {
    const messages = agentThread(40);
    const { counter, counts } = spy();
    await hookOf({ contextWindow: 10_000, tokenCounter: counter }).compact(
      messages,
    );
    expect([...counts.values()]).toEqual(messages.map(() => 1));
  });
});

describe("a call above the trigger", () => {
  it("with a report counts each message once", async () => {
    const messages = [...agentThread(40), ...toolStep(41, [500, 5])];
    const { counter, counts } = spy();
    await hookOf({ tokenCounter: counter }).compact(messages);
    expect(messages.map((m) => counts.get(m))).toEqual(messages.map(() => 1));
  });

  it("counts what a compactor of one's own keeps no second time", async () => {
    const messages = agentThread(40);
    const { counter, counts } = spy();
    const compactor: CompactorLike = {
      compact: async (list, { target }) => {
        let kept = [...list];
        while (!(await target.holds(kept)) && kept.length > 4) {
          kept = [...kept.slice(0, 2), ...kept.slice(4)];
        }
        return kept;
      },
    };
    const { report } = await hookOf({
      compactor,
      tokenCounter: counter,
    }).compact(messages);
    expect(report.outcome).toBe("compacted");
    expect(messages.map((m) => counts.get(m))).toEqual(messages.map(() => 1));
  });

  it("asks a predicate once after each unit that goes", async () => {
    let asked = 0;
    const messages = chatThread(500);
    await new SlidingWindowCompactor().compact(messages, {
      target: (metrics) => {
        asked += 1;
        return metrics.turns <= 100;
      },
    });
    // Once to see whether it holds already, then after each of 400 turns.
    expect(asked).toBe(401);
  });
});
