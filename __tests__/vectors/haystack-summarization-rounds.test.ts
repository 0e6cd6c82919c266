import { expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { markOf } from "../support/anatomy.js";
import {
  runSummarization,
  toTraceableMessage,
} from "../support/run-summarization.js";
import { describeShared } from "../support/shared-files.js";
import { sum } from "../support/sliding-window-rules.js";
import {
  departureOfSummarization,
  expectedSummarization,
  type ExpectedRound,
  type ExpectedSummarization,
  type ScriptedAnswer,
  type SummarizationRules,
} from "../support/summarization-rules.js";
import type { VectorMessage } from "../support/vectors.js";

interface RoundsRow {
  id: string;
  source: string;
  params: { min_keep_steps: number; approximate_summary_tokens: number };
  target: number;
  messages: VectorMessage[];
  rounds: {
    append_before: VectorMessage[];
    script: ScriptedAnswer[];
    portions: (ExpectedRound & { summary?: string })[];
    expected: {
      order: string[];
      summaries: {
        id: string;
        metadata: { context_compaction: { summarized_messages: number } };
        tokens: number;
      }[];
    } | null;
  }[];
}

/** Rounds per departure, each looked at on the reference's own list before it. */
const ROUNDS_PER_DEPARTURE = {
  none: 116,
  "marker: only a mark that parses as ours counts": 6,
  "run: a run of human messages is one task": 2,
  "pending: a step that waits for an answer stays": 2,
  "system: a system message stays": 2,
  "failure: a failed merge, or a summary no smaller, goes on to the next tier": 1,
  "count: counts go on over passes": 17,
};

interface Round {
  name: string;
  before: BaseMessage[];
  rules: SummarizationRules;
  reference: ExpectedSummarization;
}

describeShared<RoundsRow>(
  "summarization, several passes in a row",
  "vectors/haystack-summarization-rounds.jsonl.gz",
  (rows) => {
    it.each(rows.map((row) => ({ name: `${row.id}, ${row.source}`, row })))(
      "$name",
      async ({ row }) => {
        const tokens = new Map<BaseMessage, number>();
        let list = take(row.messages, tokens);
        let originals = sum(list.map(standsFor));
        for (const round of row.rounds) {
          const fresh = take(round.append_before, tokens);
          list = [...list, ...fresh];
          originals += sum(fresh.map(standsFor));
          const rules = rulesOf(row, round.script, tokens);
          const { after, outcome } = await runSummarization(list, rules);
          expect(outcome.raises).toBe(false);
          for (const summary of after ?? []) {
            if (!tokens.has(summary)) {
              const round = Number(/«r(\d+)»/.exec(summary.text)?.[1]);
              const answer = rules.script[round]!;
              tokens.set(summary, answer.kind === "text" ? answer.tokens : NaN);
              // The next pass knows it by its id.
              summary.content = `«${summary.id}»`;
            }
          }
          list = after ?? list;
          // What is there and what it stands for are all that ever was.
          expect(sum(list.map(standsFor))).toBe(originals);
          expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
        }
      },
    );

    it.each(rows.flatMap(roundsOf))(
      "$name, from the reference's list",
      async ({ before, rules }) => {
        const { outcome } = await runSummarization(before, rules);
        expect(outcome).toEqual(expectedSummarization(before, rules));
      },
    );

    it("departs from the reference in a known number of rounds", () => {
      const counts: Record<string, number> = {};
      for (const { before, rules, reference } of rows.flatMap(roundsOf)) {
        const departure = departureOfSummarization(before, rules, reference);
        counts[departure] = (counts[departure] ?? 0) + 1;
      }
      expect(counts).toEqual(ROUNDS_PER_DEPARTURE);
    });
  },
);

function standsFor(message: BaseMessage): number {
  return markOf(message)?.standsFor ?? 1;
}

function take(
  messages: readonly VectorMessage[],
  tokens: Map<BaseMessage, number>,
): BaseMessage[] {
  return messages.map((row) => {
    const message = toTraceableMessage(row);
    tokens.set(message, row.tokens);
    return message;
  });
}

function rulesOf(
  row: RoundsRow,
  script: readonly ScriptedAnswer[],
  tokens: ReadonlyMap<BaseMessage, number>,
): SummarizationRules {
  // Calls that the reference does not make find a short answer.
  const spare = { kind: "text", text: "spare", tokens: 1 } as const;
  return {
    target: row.target,
    minKeepSteps: row.params.min_keep_steps,
    summaryTokens: row.params.approximate_summary_tokens,
    raiseOnFailure: false,
    script: [...script, ...new Array<ScriptedAnswer>(20).fill(spare)],
    count: (message) => tokens.get(message)!,
  };
}

/** The rounds as the reference went through them, its summaries in our words. */
function roundsOf(row: RoundsRow): Round[] {
  const tokens = new Map<BaseMessage, number>();
  let list = take(row.messages, tokens);
  return row.rounds.map(
    ({ append_before, script, portions, expected }, nth) => {
      list = [...list, ...take(append_before, tokens)];
      const names = new Map(
        portions
          .filter(({ outcome }) => outcome === "ok")
          .map(({ summary }, made) => [summary!, `@s${made}`]),
      );
      const nameOf = (id: string): string => names.get(id) ?? id;
      const round: Round = {
        name: `${row.id}, round ${nth + 1}`,
        before: list,
        rules: rulesOf(row, script, tokens),
        reference: {
          rounds: portions.map(({ summarized, outcome }) => ({
            summarized: summarized.map(nameOf),
            outcome,
          })),
          order: expected?.order.map(nameOf) ?? null,
          counts:
            expected?.summaries.map(
              ({ metadata }) => metadata.context_compaction.summarized_messages,
            ) ?? [],
          raises: false,
        },
      };
      if (expected !== null) {
        const byId = new Map(list.map((message) => [message.id, message]));
        for (const { id, metadata, tokens: cost } of expected.summaries) {
          const [made] = take(
            [{ id, role: "user", content: null, tokens: cost, metadata }],
            tokens,
          );
          byId.set(id, made!);
        }
        list = expected.order.map((id) => byId.get(id)!);
      }
      return round;
    },
  );
}
