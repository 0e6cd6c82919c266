import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import {
  departureOf,
  outcomeOf,
  referenceOutcome,
  type Outcome,
} from "../support/departure.js";
import {
  checkPass,
  checkSecondPass,
  snapshot,
} from "../support/rule-checkers.js";
import {
  actualOutcome,
  runSlidingWindow,
} from "../support/run-sliding-window.js";
import { describeShared } from "../support/shared-files.js";
import {
  DEPARTURES,
  expectedSlidingWindow,
  type WindowRules,
} from "../support/sliding-window-rules.js";
import {
  countById,
  noteOption,
  toMessage,
  type SlidingRow,
} from "../support/vectors.js";

/** Rows per departure; a new set of rows, or a changed rule, shows here. */
const ROWS_PER_DEPARTURE = {
  none: 155,
  "marker: only a mark that parses as ours counts": 18,
  "pairing: results are found by call id and position": 13,
  "run: a run of human messages is one task": 9,
  "dead: dead messages go first and pending calls stay": 38,
  "preamble: the preamble stays when it fits": 2,
  "task: a system message stays, a summary is the oldest step, other messages go with the unit before": 32,
  "note price: the note's tokens count": 21,
  "count: counts go on over passes": 25,
  "smaller: a pass that does not make it smaller returns null": 4,
};

function rulesOf(row: SlidingRow, noteTokens: number): WindowRules {
  return {
    target: row.target,
    minKeepSteps: row.params.min_keep_steps,
    note: noteOption(row.params.omission_note),
    count: countById(row.messages, noteTokens),
    noteTokens: () => noteTokens,
  };
}

describeShared<SlidingRow>(
  "the sliding window on the reference's rows",
  "vectors/haystack-sliding.jsonl.gz",
  (rows) => {
    const conversations = new Map(
      rows.map((row) => [row.id, row.messages.map(toMessage)]),
    );
    const named = rows.map((row) => ({
      name: `${row.id}, ${row.source}`,
      row,
      messages: conversations.get(row.id)!,
      departure: departureOf(
        conversations.get(row.id)!,
        rulesOf(row, row.counter.note_tokens),
        row.expected,
      ),
    }));

    it("is restated rightly: without a departure the rows are the reference's", () => {
      for (const { name, row, messages } of named) {
        const rules = {
          ...rulesOf(row, row.counter.note_tokens),
          departures: new Set<never>(),
        };
        expect([
          name,
          outcomeOf(expectedSlidingWindow(messages, rules)),
        ]).toEqual([name, referenceOutcome(row.expected)]);
      }
    });

    it("departs from the reference in a known number of rows", () => {
      const counts: Record<string, number> = {};
      for (const { departure } of named) {
        counts[departure] = (counts[departure] ?? 0) + 1;
      }
      expect(counts).toEqual(ROWS_PER_DEPARTURE);
    });

    describe("gives the reference's result where no rule of ours touches it, the note being free", () => {
      it.each(named.filter(({ row }) => row.clean))(
        "$name",
        async ({ row, messages }) => {
          const after = await runSlidingWindow(messages, rulesOf(row, 0));
          // The number goes on over passes, so only a first note can say the same.
          const reference = withOurCount(row, messages);
          expect(actualOutcome(messages, after)).toEqual(reference);
        },
      );
    });

    describe("gives it also with the note at its price", () => {
      it.each(named.filter(({ row }) => row.plain))(
        "$name",
        async ({ row, messages }) => {
          const after = await runSlidingWindow(
            messages,
            rulesOf(row, row.counter.note_tokens),
          );
          expect(actualOutcome(messages, after)).toEqual(
            withOurCount(row, messages),
          );
        },
      );
    });

    for (const departure of ["none", ...DEPARTURES]) {
      const ofThis = named.filter((one) => one.departure === departure);
      if (ofThis.length === 0) {
        continue;
      }
      describe(`gives the expected result; what differs: ${departure}`, () => {
        it.each(ofThis)("$name", async ({ row, messages }) => {
          const rules = rulesOf(row, row.counter.note_tokens);
          const changes = snapshot(messages);
          const after = await runSlidingWindow(messages, rules);
          expect(actualOutcome(messages, after)).toEqual(
            outcomeOf(expectedSlidingWindow(messages, rules)),
          );
          expect(checkPass({ ...rules, before: messages, after })).toEqual([]);
          expect(changes()).toEqual([]);
          if (after !== null) {
            expect(
              checkSecondPass(await runSlidingWindow(after, rules)),
            ).toEqual([]);
          }
        });
      });
    }
  },
);

/** The reference's result, with the count that goes on where an earlier note was folded. */
function withOurCount(
  row: SlidingRow,
  messages: readonly BaseMessage[],
): Outcome | null {
  const reference = referenceOutcome(row.expected);
  const ours = outcomeOf(expectedSlidingWindow(messages, rulesOf(row, 0)));
  return reference === null
    ? null
    : { ...reference, removedMessages: ours?.removedMessages ?? null };
}
