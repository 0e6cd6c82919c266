import { describe, expect, it } from "@jest/globals";
import { departureOfMaf, expectedOfMaf, MAF_DEPARTURES } from "./maf-rules.js";
import type { MafRow } from "./maf-vectors.js";
import {
  mafMessages,
  outcomeOfMaf,
  referenceOutcomeOfMaf,
  runMaf,
} from "./run-maf.js";
import { snapshot } from "./rule-checkers.js";
import { describeShared } from "./shared-files.js";

/** What is known of a file of rows; a new set of rows, or a changed rule, shows here. */
export interface KnownRows {
  /** Rows per departure. */
  departures: Record<string, number>;
  /** Rows marked as untouched by our rules that one of them touches after all. */
  touched: Record<string, string>;
}

/** Our compactors on the reference's rows of one strategy. */
export function describeMafRows(file: string, known: KnownRows): void {
  describeShared<MafRow>(file, `vectors/${file}.jsonl.gz`, (all) => {
    const rows = all
      .filter((row) => row.strategy !== "config")
      .map((row) => ({
        name: `${row.id}, ${row.source}`,
        row,
        reference: referenceOutcomeOfMaf(row),
        departure: departureOfMaf(referenceOutcomeOfMaf(row), (on) =>
          expectedOfMaf(row, on),
        ),
      }));

    it("is restated rightly: without a departure the rows are the reference's", () => {
      for (const { name, row, reference } of rows) {
        expect([name, expectedOfMaf(row, new Set())]).toEqual([
          name,
          reference,
        ]);
      }
    });

    it("departs from the reference in a known number of rows", () => {
      const counts: Record<string, number> = {};
      for (const { departure } of rows) {
        counts[departure] = (counts[departure] ?? 0) + 1;
      }
      expect(counts).toEqual(known.departures);
    });

    it("names the rows that a rule touches though they are marked as untouched", () => {
      const touched = rows.filter(
        ({ row, departure }) => row.clean && departure !== "none",
      );
      expect(
        Object.fromEntries(
          touched.map(({ row, departure }) => [
            row.id,
            departure.slice(0, departure.indexOf(":")),
          ]),
        ),
      ).toEqual(known.touched);
    });

    describe("gives the reference's result where no rule of ours touches it", () => {
      it.each(
        rows.filter(({ row }) => row.clean && !(row.id in known.touched)),
      )("$name", async ({ row, reference }) => {
        expect(outcomeOfMaf(await runMaf(row))).toEqual(reference);
      });
    });

    for (const departure of ["none", ...MAF_DEPARTURES]) {
      const ofThis = rows.filter((one) => one.departure === departure);
      if (ofThis.length === 0) {
        continue;
      }
      describe(`gives the expected result; what differs: ${departure}`, () => {
        it.each(ofThis)("$name", async ({ row }) => {
          const messages = mafMessages(row);
          const changes = snapshot(messages);
          const after = await runMaf(row, messages);
          expect(outcomeOfMaf(after)).toEqual(
            expectedOfMaf(row, new Set(MAF_DEPARTURES)),
          );
          expect(changes()).toEqual([]);
        });
      });
    }
  });
}
