import { expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { departureOf, outcomeOf } from "../support/departure.js";
import { checkPass } from "../support/rule-checkers.js";
import {
  actualOutcome,
  runSlidingWindow,
} from "../support/run-sliding-window.js";
import { describeShared } from "../support/shared-files.js";
import {
  expectedSlidingWindow,
  removedEarlier,
  standsFor,
  sum,
  type WindowRules,
} from "../support/sliding-window-rules.js";
import {
  countById,
  noteOption,
  toMessage,
  type SlidingRoundsRow,
} from "../support/vectors.js";

/** Rounds per departure, each looked at on the reference's own list before it. */
const ROUNDS_PER_DEPARTURE = {
  none: 67,
  "marker: only a mark that parses as ours counts": 2,
  "run: a run of human messages is one task": 11,
  "dead: dead messages go first and pending calls stay": 8,
  "preamble: the preamble stays when it fits": 1,
  "task: a system message stays, a summary is the oldest step, other messages go with the unit before": 4,
  "note price: the note's tokens count": 5,
  "count: counts go on over passes": 93,
};

interface Round {
  name: string;
  before: BaseMessage[];
  rules: WindowRules;
  reference: SlidingRoundsRow["rounds"][number]["expected"];
}

describeShared<SlidingRoundsRow>(
  "the sliding window, several passes in a row",
  "vectors/haystack-sliding-rounds.jsonl.gz",
  (rows) => {
    it.each(rows.map((row) => ({ name: `${row.id}, ${row.source}`, row })))(
      "$name",
      async ({ row }) => {
        let list = row.messages.map(toMessage);
        let original = list.length;
        for (const round of row.rounds) {
          const rules = rulesOf(row, round.target);
          const after = await runSlidingWindow(list, rules);
          expect(checkPass({ ...rules, before: list, after })).toEqual([]);
          list = after ?? list;
          if (rules.note !== null && !row.messages.some(isMarked)) {
            // What is there and what the note says are all that ever was.
            expect(removedEarlier(list) + sum(list.map(standsFor))).toBe(
              original,
            );
          }
          list = [...list, ...round.append_after.map(toMessage)];
          original += round.append_after.length;
        }
      },
    );

    it.each(rows.flatMap(roundsOf))(
      "$name, from the reference's list",
      async ({ before, rules }) => {
        const after = await runSlidingWindow(before, rules);
        expect(actualOutcome(before, after)).toEqual(
          outcomeOf(expectedSlidingWindow(before, rules)),
        );
      },
    );

    it("departs from the reference in a known number of rounds", () => {
      const counts: Record<string, number> = {};
      for (const { before, rules, reference } of rows.flatMap(roundsOf)) {
        const departure = departureOf(before, rules, reference);
        counts[departure] = (counts[departure] ?? 0) + 1;
      }
      expect(counts).toEqual(ROUNDS_PER_DEPARTURE);
    });
  },
);

function isMarked({ metadata }: SlidingRoundsRow["messages"][number]): boolean {
  return metadata?.["context_compaction"] !== undefined;
}

function rulesOf(row: SlidingRoundsRow, target: number): WindowRules {
  const all = [
    ...row.messages,
    ...row.rounds.flatMap((round) => round.append_after),
  ];
  return {
    target,
    minKeepSteps: row.params.min_keep_steps,
    note: noteOption(row.params.omission_note),
    count: countById(all, row.counter.note_tokens),
    noteTokens: () => row.counter.note_tokens,
  };
}

/** The rounds as the reference went through them, its notes in our words. */
function roundsOf(row: SlidingRoundsRow): Round[] {
  let list = row.messages.map(toMessage);
  return row.rounds.map(({ target, expected, append_after }, index) => {
    const round = {
      name: `${row.id}, round ${index + 1}`,
      before: list,
      rules: rulesOf(row, target),
      reference: expected,
    };
    if (expected !== null) {
      const byId = new Map(list.map((message) => [message.id, message]));
      const [note] = expected.notes;
      list = expected.order.map(
        (id) =>
          byId.get(id) ??
          toMessage({
            id,
            role: "user",
            content: note!.text ?? `${note!.num_removed} gone`,
            tokens: note!.tokens,
            metadata: note!.metadata,
          }),
      );
    }
    list = [...list, ...append_after.map(toMessage)];
    return round;
  });
}
