import { describe, expect, it } from "@jest/globals";
import {
  type CompactorOrTiers,
  SlidingWindowCompactor,
  ToolCallCollapseCompactor,
  ToolResultPruningCompactor,
  TruncationCompactor,
} from "langchain-compaction";
import { checkWire } from "../providers/wire/check-wire.js";
import type { WireProvider } from "../providers/wire/wire-provider.js";
import { CORPUS, toConversations } from "../support/corpus.js";
import { describeShared } from "../support/shared-files.js";
import { asSent, liveThrough, type ViewedThread } from "./viewed-thread.js";

const COMPACTORS: [string, CompactorOrTiers][] = [
  ["a sliding window", new SlidingWindowCompactor()],
  ["no note", new SlidingWindowCompactor({ omissionNote: null })],
  [
    "tiers",
    [
      new ToolResultPruningCompactor(),
      new ToolCallCollapseCompactor({ minKeepGroups: 6 }),
      new SlidingWindowCompactor(),
    ],
  ],
  ["truncation", new TruncationCompactor({ minKeepGroups: 4 })],
];

const PROVIDER_OF: Readonly<Record<string, WireProvider>> = {
  openai: "openai",
  anthropic: "anthropic",
  responses: "openai-responses",
  gemini: "gemini",
};

describeShared<unknown>("recorded conversations, viewed", CORPUS, (lines) => {
  const conversations = toConversations(lines);

  describe.each<ViewedThread["reports"]>(["all", "some", "none"])(
    "with reports on %s of the replies",
    (reports) => {
      it.each(
        COMPACTORS.flatMap(([name, compactor]) =>
          [1 / 3, 1 / 6].map((share) => [name, share, compactor] as const),
        ),
      )(
        "are shown as if rewritten, with %s in %d of their size",
        async (_, windowShare, compactor) => {
          let fired = 0;
          for (const conversation of conversations) {
            const calls = await liveThrough(conversation, {
              compactor,
              reports,
              windowShare,
            });
            const different = calls.findIndex(
              ({ viewed, rewritten, restarted = viewed }) =>
                asSent(viewed) !== asSent(rewritten) ||
                asSent(viewed) !== asSent(restarted),
            );
            expect([conversation.id, different]).toEqual([conversation.id, -1]);
            const broken = calls.findIndex(
              ({ hasFired, isGrown }) => hasFired === isGrown,
            );
            expect([conversation.id, broken]).toEqual([conversation.id, -1]);
            fired += calls.filter(({ hasFired }) => hasFired).length;
          }
          expect(fired).toBeGreaterThan(2 * conversations.length);
        },
      );
    },
  );

  it.each(
    [0.6, 2].flatMap((countedAs) =>
      COMPACTORS.slice(0, 2).map(([name, compactor]) => ({
        name,
        compactor,
        countedAs,
      })),
    ),
  )(
    "are shown as if rewritten, with $name, by a counter that says $countedAs times as much",
    async ({ compactor, countedAs }) => {
      const different: string[] = [];
      let corrected = 0;
      for (const conversation of conversations) {
        const calls = await liveThrough(conversation, {
          compactor,
          reports: "all",
          windowShare: 1 / 3,
          countedAs,
        });
        if (
          calls.some(
            ({ viewed, rewritten }) => asSent(viewed) !== asSent(rewritten),
          )
        ) {
          different.push(conversation.id);
        }
        for (const { viewed, restarted = viewed } of calls) {
          expect(asSent(restarted)).toBe(asSent(viewed));
        }
        const factors = calls
          .map(({ counterFactor }) => counterFactor)
          .filter((factor) => factor !== 1);
        expect(factors).toEqual(
          factors.map(() => expect.closeTo(1 / countedAs, 2)),
        );
        corrected += factors.length;
      }
      // A report may seem to fit the whole history better before the counter is corrected.
      expect(different.length).toBeLessThanOrEqual(3);
      expect(corrected).toBeGreaterThan(conversations.length / 2);
    },
  );

  it("are taken by their provider wherever the whole history is", async () => {
    let judged = 0;
    const refused: unknown[] = [];
    for (const [index, conversation] of conversations.entries()) {
      const provider =
        PROVIDER_OF[(lines[index] as { format: string }).format]!;
      const calls = await liveThrough(conversation, {
        compactor: new SlidingWindowCompactor(),
        reports: "all",
        windowShare: 1 / 3,
      });
      for (const { history, viewed } of calls.filter((call) => call.hasFired)) {
        if ((await checkWire(provider, history)).length === 0) {
          const [refusal] = await checkWire(provider, viewed);
          judged += 1;
          if (refusal !== undefined) {
            refused.push([conversation.id, viewed.at(-1)!.id, refusal.message]);
          }
        }
      }
    }
    expect(judged).toBeGreaterThan(500);
    expect(refused).toEqual([]);
  });
});
