import { expect, it } from "@jest/globals";
import { describeMafRows } from "../support/maf-suite.js";
import type { MafContextWindow } from "../support/maf-vectors.js";
import { mafCompactor } from "../support/run-maf.js";
import { describeShared } from "../support/shared-files.js";

describeMafRows("maf-context-window", {
  departures: {
    none: 62,
    "unanswered: a step with an unanswered call, or in which anyone else spoke, is not folded": 2,
    "empty: a message without any part is no reasoning": 10,
    "behind: reasoning behind results belongs to the step after it": 4,
    "step: results are found by call id and position": 10,
    "task: the newest human messages stay": 16,
    "smaller: a record that is no smaller is no record": 4,
  },
  touched: { "cs-cw-r-0064": "smaller", "cs-cw-r-0101": "smaller" },
});

interface ConfigRow {
  id: string;
  strategy: string;
  what: string;
  params: MafContextWindow;
  expected: "ok" | "invalid";
}

describeShared<ConfigRow>(
  "the preset's options",
  "vectors/maf-context-window.jsonl.gz",
  (rows) => {
    it.each(rows.filter(({ strategy }) => strategy === "config"))(
      "$id: $what is $expected",
      ({ params, expected }) => {
        const construct = (): unknown => mafCompactor(params);
        if (expected === "ok") {
          expect(construct).not.toThrow();
        } else {
          expect(construct).toThrow(/^Option "/);
        }
      },
    );
  },
);
