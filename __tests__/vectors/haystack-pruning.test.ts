import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { ToolResultPruningCompactor } from "../../src/index.js";
import { idsOf } from "../support/make-messages.js";
import {
  departureOfPruning,
  expectedPruning,
  type PruningRules,
} from "../support/pruning-rules.js";
import { snapshot } from "../support/rule-checkers.js";
import { describeShared } from "../support/shared-files.js";
import { toMessage, type VectorMessage } from "../support/vectors.js";

interface PruningRow {
  id: string;
  source: string;
  params: {
    min_keep_steps: number;
    min_tokens: number;
    placeholder: { kind: "default" | "custom"; template?: string };
    skip_meta_keys: string[];
  };
  counter: { placeholder_tokens: number };
  target: number;
  messages: VectorMessage[];
  expected: {
    replaced: {
      position: number;
      text: string | null;
      name: string;
      is_error: boolean;
      metadata: { context_compaction: { original_tokens: number } };
    }[];
    tokens_after: number;
  } | null;
  clean: boolean;
}

/** Rows per departure; a new set of rows, or a changed rule, shows here. */
const ROWS_PER_DEPARTURE = {
  none: 223,
  "marker: only a mark that parses as ours counts": 19,
  "pairing: results are found by call id and position": 21,
  "unseen: a result that the model has not seen yet stays": 2,
};

function rulesOf(
  row: PruningRow,
  messages: readonly BaseMessage[],
): PruningRules {
  const tokens = new Map(
    messages.map((message, index) => [message, row.messages[index]!.tokens]),
  );
  return {
    target: row.target,
    minKeepSteps: row.params.min_keep_steps,
    minTokens: row.params.min_tokens,
    skip: ({ additional_kwargs }) =>
      row.params.skip_meta_keys.some((key) => key in additional_kwargs),
    count: (message) => tokens.get(message) ?? row.counter.placeholder_tokens,
    prunedTokens: () => row.counter.placeholder_tokens,
  };
}

async function prune(
  row: PruningRow,
  messages: readonly BaseMessage[],
): Promise<BaseMessage[] | null> {
  const { target, minKeepSteps, minTokens, skip, count } = rulesOf(
    row,
    messages,
  );
  const { kind, template = "" } = row.params.placeholder;
  const compactor = new ToolResultPruningCompactor({
    minKeepSteps,
    minTokens,
    skip,
    ...(kind === "custom" ? { placeholder: template } : {}),
  });
  return compactor.compact(messages, {
    targetTokens: target,
    tokenCounter: ([message]) => count(message!),
  });
}

function replacedIn(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[] | null,
): number[] | null {
  return (
    after?.flatMap((message, index) =>
      message === before[index] ? [] : [index],
    ) ?? null
  );
}

describeShared<PruningRow>(
  "tool result pruning on the reference's rows",
  "vectors/haystack-pruning.jsonl.gz",
  (rows) => {
    const named = rows.map((row) => {
      const messages = row.messages.map(toMessage);
      const reference =
        row.expected?.replaced.map(({ position }) => position) ?? null;
      return {
        name: `${row.id}, ${row.source}`,
        row,
        messages,
        reference,
        departure: departureOfPruning(
          messages,
          rulesOf(row, messages),
          reference,
        ),
      };
    });

    it("is restated rightly: without a departure the rows are the reference's", () => {
      for (const { name, row, messages, reference } of named) {
        const rules = { ...rulesOf(row, messages), departures: new Set([]) };
        expect([name, expectedPruning(messages, rules)]).toEqual([
          name,
          reference,
        ]);
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
        async ({ row, messages, reference }) => {
          const after = await prune(row, messages);
          expect(replacedIn(messages, after)).toEqual(reference);
          for (const replaced of row.expected?.replaced ?? []) {
            expect(after?.[replaced.position]).toMatchObject({
              ...(replaced.text === null ? {} : { content: replaced.text }),
              name: replaced.name,
              ...(replaced.is_error ? { status: "error" } : {}),
              additional_kwargs: {
                context_compaction: {
                  strategy: "tool-result-pruning",
                  originalTokens:
                    replaced.metadata.context_compaction.original_tokens,
                },
              },
            });
          }
        },
      );
    });

    describe("gives the expected result on every row", () => {
      it.each(named)("$name: $departure", async ({ row, messages }) => {
        const rules = rulesOf(row, messages);
        const changes = snapshot(messages);
        const after = await prune(row, messages);
        expect(replacedIn(messages, after)).toEqual(
          expectedPruning(messages, rules),
        );
        expect(changes()).toEqual([]);
        if (after !== null) {
          expect(idsOf(after)).toEqual(idsOf(messages));
          const second = await new ToolResultPruningCompactor({
            minKeepSteps: rules.minKeepSteps,
            minTokens: rules.minTokens,
            skip: rules.skip,
          }).compact(after, {
            targetTokens: row.target,
            tokenCounter: ([message]) => rules.count(message!),
          });
          expect(second).toBeNull();
        }
      });
    });
  },
);
