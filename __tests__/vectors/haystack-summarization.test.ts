import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { snapshot } from "../support/rule-checkers.js";
import {
  runSummarization,
  toTraceableMessage,
} from "../support/run-summarization.js";
import { describeShared } from "../support/shared-files.js";
import {
  departureOfSummarization,
  expectedSummarization,
  type ExpectedRound,
  type ExpectedSummarization,
  type ScriptedAnswer,
  type SummarizationRules,
} from "../support/summarization-rules.js";
import type { VectorMessage } from "../support/vectors.js";

interface SummarizationRow {
  id: string;
  source: string;
  params: {
    min_keep_steps: number;
    approximate_summary_tokens: number;
    raise_on_failure: boolean;
  };
  target: number;
  script: ScriptedAnswer[];
  messages: VectorMessage[];
  rounds: ExpectedRound[];
  expected: {
    raises?: string;
    order: string[];
    summaries: {
      metadata: { context_compaction: { summarized_messages: number } };
    }[];
  } | null;
  clean: boolean;
}

/** Rows per departure; a new set of rows, or a changed rule, shows here. */
const ROWS_PER_DEPARTURE = {
  none: 120,
  "marker: only a mark that parses as ours counts": 20,
  "pairing: results are found by call id and position": 11,
  "run: a run of human messages is one task": 9,
  "pending: a step that waits for an answer stays": 11,
  "system: a system message stays": 16,
  "failure: a failed merge, or a summary no smaller, goes on to the next tier": 9,
  "raise: what succeeded before a failure is kept": 2,
  "count: counts go on over passes": 68,
};

function rulesOf(
  row: SummarizationRow,
  messages: readonly BaseMessage[],
): SummarizationRules {
  const tokens = new Map(
    messages.map((message, index) => [message, row.messages[index]!.tokens]),
  );
  // Calls that the reference does not make find a short answer.
  const spare = { kind: "text", text: "spare", tokens: 1 } as const;
  return {
    target: row.target,
    minKeepSteps: row.params.min_keep_steps,
    summaryTokens: row.params.approximate_summary_tokens,
    raiseOnFailure: row.params.raise_on_failure,
    script: [...row.script, ...new Array<ScriptedAnswer>(20).fill(spare)],
    count: (message) => tokens.get(message)!,
  };
}

function referenceOf({
  rounds,
  expected,
}: SummarizationRow): ExpectedSummarization {
  const raises = expected?.raises !== undefined;
  const isGiven = expected !== null && !raises;
  return {
    rounds: rounds.map(({ summarized, outcome }) => ({ summarized, outcome })),
    order: isGiven ? expected.order : null,
    counts: isGiven
      ? expected.summaries.map(
          ({ metadata }) => metadata.context_compaction.summarized_messages,
        )
      : [],
    raises,
  };
}

describeShared<SummarizationRow>(
  "summarization on the reference's rows",
  "vectors/haystack-summarization.jsonl.gz",
  (rows) => {
    const named = rows.map((row) => {
      const messages = row.messages.map(toTraceableMessage);
      const rules = rulesOf(row, messages);
      const reference = referenceOf(row);
      return {
        name: `${row.id}, ${row.source}`,
        row,
        messages,
        rules,
        reference,
        departure: departureOfSummarization(messages, rules, reference),
      };
    });

    it("is restated rightly: without a departure the rows are the reference's", () => {
      for (const { name, messages, rules, reference } of named) {
        const restated = expectedSummarization(messages, {
          ...rules,
          departures: new Set([]),
        });
        expect([name, restated]).toEqual([name, reference]);
      }
    });

    it("departs from the reference in a known number of rows", () => {
      const counts: Record<string, number> = {};
      for (const { departure } of named) {
        counts[departure] = (counts[departure] ?? 0) + 1;
      }
      expect(counts).toEqual(ROWS_PER_DEPARTURE);
    });

    describe("gives the reference's result where no rule of ours touches it", () => {
      it.each(named.filter(({ row }) => row.clean))(
        "$name",
        async ({ messages, rules, reference }) => {
          const { outcome } = await runSummarization(messages, rules);
          // A count that goes on over passes is the only difference.
          expect({ ...outcome, counts: [] }).toEqual({
            ...reference,
            counts: [],
          });
        },
      );
    });

    describe("gives the expected result on every row", () => {
      it.each(named)("$name: $departure", async ({ messages, rules }) => {
        const changes = snapshot(messages);
        const { outcome } = await runSummarization(messages, rules);
        expect(outcome).toEqual(expectedSummarization(messages, rules));
        expect(changes()).toEqual([]);
      });
    });
  },
);
