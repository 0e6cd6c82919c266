import { describe, expect, it } from "@jest/globals";
import { CORPUS, toConversations } from "../support/corpus.js";
import { describeShared } from "../support/shared-files.js";
import { DEFAULT_NOTE } from "../support/vectors.js";
import {
  COMPACT_AT,
  COMPACT_TO,
  replay,
  type ModelCall,
  type Replay,
} from "./growing-thread.js";

describeShared<unknown>("recorded conversations, growing", CORPUS, (lines) => {
  const conversations = toConversations(lines);

  describe.each<Replay["reports"]>(["all", "some", "none"])(
    "with reports on %s of the replies",
    (reports) => {
      it.each([
        ["a note", DEFAULT_NOTE],
        ["no note", null],
      ])(
        "are compacted when it is time, for several calls, with %s",
        async (_, note) => {
          let fired = 0;
          let lasting = 0;
          let callsUntilNext = 0;
          for (const conversation of conversations) {
            const { calls, threshold } = await replay(conversation, {
              reports,
              note,
              windowShare: 0.4,
            });
            const faults = calls.flatMap((call) => call.faults);
            expect([conversation.id, faults]).toEqual([conversation.id, []]);
            // It starts where the request is too large, there and nowhere else.
            const wrong = calls.filter(
              ({ report, before }) =>
                (report.reason !== "below-trigger") !== before >= threshold,
            );
            expect([conversation.id, wrong]).toEqual([conversation.id, []]);
            fired += calls.filter(
              ({ report }) => report.outcome === "compacted",
            ).length;
            for (const gap of gapsOf(calls)) {
              // Room that was made has to be used up before it fires again.
              const room = (threshold / COMPACT_AT) * (COMPACT_AT - COMPACT_TO);
              expect(gap.growth).toBeGreaterThanOrEqual(Math.floor(room) - 2);
              lasting += 1;
              callsUntilNext += gap.calls;
            }
          }
          expect(fired).toBeGreaterThan(500);
          expect(callsUntilNext / lasting).toBeGreaterThan(3);
        },
      );
    },
  );
});

/** From each compaction that reached its target to the next one. */
function gapsOf(
  calls: readonly ModelCall[],
): { calls: number; growth: number }[] {
  const gaps: { calls: number; growth: number }[] = [];
  let last: number | null = null;
  calls.forEach(({ report, before }, index) => {
    if (report.reason === "below-trigger") {
      return;
    }
    if (last !== null) {
      gaps.push({ calls: index - last, growth: before - calls[last]!.after });
    }
    const reached = report.outcome === "compacted" && !report.overTarget;
    last = reached ? index : null;
  });
  return gaps;
}
