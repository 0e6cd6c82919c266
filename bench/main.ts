// npm run bench, npm run bench:quick; `-- --only one-pass` runs one suite.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { describeMachine } from "./report/machine.js";
import { pageOf } from "./report/page.js";
import { textOf } from "./report/text.js";
import type { SuiteResult } from "./results.js";
import { suites } from "./suites/index.js";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
  },
});

const results: SuiteResult[] = [];
for (const suite of suites) {
  if (values.only === undefined || values.only.includes(suite.name)) {
    const result = await suite.run({ isQuick: values.quick });
    results.push(result);
    console.log(textOf(result));
  }
}

const machine = describeMachine();
writeFileSync(
  new URL("results.json", import.meta.url),
  JSON.stringify({ machine, isQuick: values.quick, results }, undefined, 2),
);
// The page shows whole runs only.
if (!values.quick && values.only === undefined) {
  writeFileSync(
    new URL("../docs/benchmarks.md", import.meta.url),
    pageOf(machine, results),
  );
}
