// npm run bench, npm run bench:quick; `-- --only one-pass` runs one suite anew.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { describeMachine, type Machine } from "./report/machine.js";
import { pageOf } from "./report/page.js";
import { textOf } from "./report/text.js";
import type { SuiteResult } from "./results.js";
import { suites } from "./suites/index.js";

interface SavedResults {
  readonly machine: Machine;
  readonly isQuick: boolean;
  /** By name of the suite. */
  readonly results: Record<string, SuiteResult>;
}

const FILE = new URL("results.json", import.meta.url);
const PAGE = new URL("../docs/benchmarks.md", import.meta.url);

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
  },
});
const isQuick = values.quick;
const machine = describeMachine();

for (const suite of suites) {
  if (values.only === undefined || values.only.includes(suite.name)) {
    const result = await suite.run({ isQuick });
    console.log(textOf(result));
    save(suite.name, result);
  }
}

/** The page shows whole runs only, whose suites may have been run one by one. */
function save(name: string, result: SuiteResult): void {
  const results = { ...savedResults(), [name]: result };
  const saved: SavedResults = { machine, isQuick, results };
  writeFileSync(FILE, JSON.stringify(saved, undefined, 2));
  const all = suites.flatMap((suite) => results[suite.name] ?? []);
  if (!isQuick && all.length === suites.length) {
    writeFileSync(PAGE, pageOf(machine, all));
  }
}

/** What earlier runs of the same kind on the same machine left. */
function savedResults(): SavedResults["results"] {
  if (!existsSync(FILE)) {
    return {};
  }
  const saved = JSON.parse(readFileSync(FILE, "utf8")) as SavedResults;
  return saved.isQuick === isQuick && isDeepStrictEqual(saved.machine, machine)
    ? saved.results
    : {};
}
