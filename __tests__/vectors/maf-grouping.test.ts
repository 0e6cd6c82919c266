import { expect, it } from "@jest/globals";
import { describeConversation, type GroupKind } from "../../src/index.js";
import {
  departureOfMaf,
  groupsWith,
  MAF_DEPARTURES,
  type SimulatedGroup,
} from "../support/maf-rules.js";
import {
  toMafMessage,
  type MafGroup,
  type MafGroupingRow,
} from "../support/maf-vectors.js";
import { describeShared } from "../support/shared-files.js";

/** Rows per departure; a new set of rows, or a changed rule, shows here. */
const ROWS_PER_DEPARTURE = {
  none: 50,
  "empty: a message without any part is no reasoning": 9,
  "behind: reasoning behind results belongs to the step after it": 12,
  "step: results are found by call id and position": 17,
};

const KINDS: Readonly<Record<GroupKind, MafGroup["kind"]>> = {
  system: "system",
  human: "user",
  ai: "assistant_text",
  "tool-step": "tool_call",
  summary: "summary",
  other: "assistant_text",
  note: "assistant_text",
};

interface Grouped {
  kind: string;
  ids: (string | null)[];
  turn: number | null;
}

function simple(groups: readonly SimulatedGroup[]): Grouped[] {
  return groups.map(({ kind, members, turn }) => ({
    kind,
    ids: members.map(({ id }) => id!),
    turn,
  }));
}

describeShared<MafGroupingRow>(
  "groups of the reference's rows",
  "vectors/maf-grouping.jsonl.gz",
  (rows) => {
    const named = rows.map((row) => {
      const messages = row.messages.map(toMafMessage);
      const reference = row.expected.groups.map(({ kind, ids, turn }) => ({
        kind,
        ids,
        turn,
      }));
      return {
        name: `${row.id}, ${row.source}`,
        row,
        messages,
        reference,
        departure: departureOfMaf(reference, (on) =>
          simple(groupsWith(messages, on)),
        ),
      };
    });

    it("are restated rightly", () => {
      for (const { name, messages, reference } of named) {
        expect([name, simple(groupsWith(messages, new Set()))]).toEqual([
          name,
          reference,
        ]);
      }
    });

    it("differ in a known number of rows", () => {
      const counts: Record<string, number> = {};
      for (const { departure } of named) {
        counts[departure] = (counts[departure] ?? 0) + 1;
      }
      expect(counts).toEqual(ROWS_PER_DEPARTURE);
    });

    it.each(named)("$name", async ({ row, messages, departure }) => {
      const tokens = new Map(row.messages.map((one) => [one.id, one.tokens]));
      const { groups, metrics } = await describeConversation(messages, {
        tokenCounter: ([message]) => tokens.get(message!.id!)!,
      });
      expect(
        groups.map(({ kind, messageIds, turn }) => ({
          kind: KINDS[kind],
          ids: messageIds,
          turn,
        })),
      ).toEqual(simple(groupsWith(messages, new Set(MAF_DEPARTURES))));
      const { included_tokens, included_messages } = row.expected.metrics;
      expect(metrics).toMatchObject({
        tokens: included_tokens,
        messages: included_messages,
        groups: groups.length,
      });
      if (departure === "none") {
        expect(groups.map((group) => group.tokens)).toEqual(
          row.expected.groups.map((group) => group.tokens),
        );
        expect(metrics).toMatchObject({
          groups: row.expected.metrics.included_groups,
          turns: row.expected.metrics.included_turns,
        });
      }
    });
  },
);
