import { type Bar, isMet, type SuiteResult } from "../results.js";
import { ratioCell, spreadCell } from "./cells.js";
import { show } from "./format.js";
import type { Machine } from "./machine.js";
import { tableOf } from "./table.js";

/** The results page of a run. */
export function pageOf(
  machine: Machine,
  results: readonly SuiteResult[],
): string {
  return [
    "# Benchmarks",
    "Made by `npm run bench`; do not edit. `npm run bench:quick` runs a smaller part in two minutes, and `bench/README.md` says how to add a contender.",
    "Ratios travel between machines, times do not. All that one table compares ran in one process (imports and memory: each in its own), in turns, on the same conversations or texts. Times are processor time, the garbage collector's included: medians, with the quartiles behind them. Every contender was warmed up.",
    machineText(machine),
    missesIn(results.flatMap(({ bars }) => bars)),
    ...results.flatMap(sectionOf),
  ]
    .join("\n\n")
    .concat("\n");
}

function machineText({ processor, cores, node, versions }: Machine): string {
  const packages = versions.map(([name, version]) => `${name} ${version}`);
  return `Machine: ${cores} × ${processor}, shared with other work. Node ${node}; ${packages.join(", ")}.`;
}

/** What a reader wants to know first. */
function missesIn(bars: readonly Bar[]): string {
  const misses = bars.filter((bar) => !isMet(bar));
  const met = `${bars.length - misses.length} of the ${bars.length} demands below are met`;
  return misses.length === 0
    ? `${met}.`
    : `${met}. Missed:\n\n${barsOf(misses)}`;
}

function barsOf(bars: readonly Bar[]): string {
  return markdown([
    ["", "demanded", "measured", ""],
    ...bars.map((bar) => [
      bar.demand,
      `at ${bar.at} ${show(bar.bar)}`,
      show(bar.measured),
      isMet(bar) ? "met" : "**missed**",
    ]),
  ]);
}

function sectionOf(result: SuiteResult): string[] {
  const { title, about, reference, unit, measurements, bars } = result;
  const medians = markdown(tableOf(measurements, spreadCell));
  return [
    `## ${title}`,
    about,
    ...(reference === undefined
      ? []
      : [
          `Times as much as ${reference}:`,
          markdown(tableOf(measurements, ratioCell(result))),
        ]),
    unit === undefined ? "As measured:" : `As measured, in ${unit}:`,
    medians,
    ...(bars.length === 0 ? [] : ["What is demanded:", barsOf(bars)]),
  ];
}

function markdown([head, ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const ruler = head!.map((_, column) => (column === 0 ? "---" : "--:"));
  return [head!, ruler, ...rows].map(line).join("\n");
}
