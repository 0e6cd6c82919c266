import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import {
  CompactorPipeline,
  type ConversationMetrics,
  SlidingWindowCompactor,
  ToolCallCollapseCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
} from "langchain-compaction";
import { ai, human, system, tool } from "../support/make-messages.js";

/** Turns of one tool step each; how often any message is looked at is written down. */
function watched(turns: number): {
  messages: BaseMessage[];
  reads: () => number;
} {
  let reads = 0;
  const plain = [
    system("s"),
    ...Array.from({ length: turns }, (_, turn) => [
      human(`h${turn}`),
      ai(`a${turn}`, [`c${turn}`]),
      tool(`t${turn}`, `c${turn}`),
      ai(`b${turn}`),
    ]).flat(),
  ];
  const messages = plain.map(
    (message) =>
      new Proxy(message, {
        get(target, property) {
          reads += 1;
          return Reflect.get(target, property, target) as unknown;
        },
      }),
  );
  return { messages, reads: () => reads };
}

interface Work {
  /** Times that the target was asked. */
  asked: number;
  /** Times that the counter saw a message of the conversation. */
  counted: number;
  /** Times that any property of any message was read. */
  reads: number;
  /** Messages and records that are left. */
  left: number;
  /** What the metrics said each time the target was asked. */
  seen: ConversationMetrics[];
}

const fold = new ToolCallCollapseCompactor({
  minKeepGroups: 1,
  format: () => "record",
});
const turnWindow = new TurnWindowCompactor({ omissionNote: null });
const truncation = new TruncationCompactor({
  minKeepGroups: 1,
  omissionNote: null,
});

/** Each with what it removes or folds one by one, of 100 turns of four messages. */
const compactors = [
  [
    "SlidingWindowCompactor",
    new SlidingWindowCompactor({ omissionNote: null }),
    100,
  ],
  ["TurnWindowCompactor", turnWindow, 99],
  // The task stays, and so does the newest group.
  ["TruncationCompactor", truncation, 3 * 100 - 2],
  ["ToolCallCollapseCompactor", fold, 100],
] as const;

/** Runs a compactor to its floor, with a target that never holds. */
async function workOf(
  compactor: (typeof compactors)[number][1],
  turns: number,
): Promise<Work> {
  const { messages, reads } = watched(turns);
  const work = { asked: 0, counted: 0, seen: [] as ConversationMetrics[] };
  const after = await compactor.compact(messages, {
    trigger: () => true,
    target: (metrics) => {
      work.asked += 1;
      work.seen.push({ ...metrics });
      return false;
    },
    tokenCounter: ([message]) => {
      work.counted += message!.id?.startsWith("compaction-") ? 0 : 1;
      return message!.id?.startsWith("compaction-") ? 1 : 10;
    },
  });
  return { ...work, reads: reads(), left: after!.length };
}

describe.each(compactors)("%s", (_, compactor, removals) => {
  it("asks its target once after each removal and counts each message once", async () => {
    const work = await workOf(compactor, 100);
    expect(work.asked).toBe(removals);
    expect(work.counted).toBe(401);
    // Each question sees one unit less than the one before.
    work.seen.reduce((before, after) => {
      expect(after.tokens).toBeLessThan(before.tokens);
      return after;
    });
    expect(work.seen.at(-1)!.messages).toBe(work.left);
  });

  it("does work in proportion to the messages, however often it asks", async () => {
    const [small, large] = [
      await workOf(compactor, 100),
      await workOf(compactor, 1600),
    ];
    // The list's fixed parts aside, 16 times the messages are 16 times the work.
    expect(large.reads / small.reads).toBeLessThan(16.5);
  });
});

describe("CompactorPipeline", () => {
  it("counts each message once and does work in proportion, over all tiers", async () => {
    const pipeline = new CompactorPipeline([fold, turnWindow, truncation]);
    const reads: number[] = [];
    for (const turns of [100, 1600]) {
      const list = watched(turns);
      let counted = 0;
      await pipeline.compact(list.messages, {
        target: () => false,
        tokenCounter: ([message]) => {
          counted += message!.id?.startsWith("compaction-") ? 0 : 1;
          return message!.id?.startsWith("compaction-") ? 1 : 10;
        },
      });
      expect(counted).toBe(4 * turns + 1);
      reads.push(list.reads());
    }
    expect(reads[1]! / reads[0]!).toBeLessThan(16.5);
  });
});
