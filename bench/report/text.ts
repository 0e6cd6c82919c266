import { isMet, type SuiteResult } from "../results.js";
import { show } from "./format.js";
import { ratioCell, spreadCell } from "./cells.js";
import { tableOf } from "./table.js";

/** A suite's result for a terminal. */
export function textOf(result: SuiteResult): string {
  const ratios = tableOf(result.measurements, ratioCell(result));
  const medians = tableOf(result.measurements, spreadCell);
  const bars = result.bars.map(
    (bar) =>
      `${isMet(bar) ? "met   " : "MISSED"} ${bar.demand}: ${show(bar.measured)} (at ${bar.at} ${show(bar.bar)})`,
  );
  return [
    `\n${result.title}`,
    ...(result.reference === undefined ? [] : aligned(ratios)),
    ...aligned(medians),
    ...bars,
  ].join("\n");
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) =>
    Math.max(...rows.map((row) => row[column]!.length)),
  );
  return rows.map((row) =>
    row.map((text, column) => text.padEnd(widths[column]!)).join("  "),
  );
}
