import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { estimateTextTokens } from "../../src/tokens/estimate-text.js";
import { exactTokens } from "./exact.js";
import { loadSources, windowsOf } from "./sources.js";

const DOCUMENT = fileURLToPath(
  new URL("../../docs/counting.md", import.meta.url),
);
const BEGIN = "<!-- errors: begin, made by bench/fit-estimate -->";
const END = "<!-- errors: end -->";

interface Errors {
  mean: number;
  bias: number;
  low: number;
}

function errorsOf(ratios: number[]): Errors {
  const sorted = [...ratios].sort((a, b) => a - b);
  const mean = (values: number[]): number =>
    values.reduce((total, value) => total + value, 0) / values.length;
  return {
    mean: mean(ratios.map((ratio) => Math.abs(ratio - 1))),
    bias: mean(ratios),
    low: sorted[Math.floor(sorted.length * 0.05)]!,
  };
}

const sources = loadSources().map((source) => ({
  ...source,
  ratios: windowsOf(source.text, 60, 11).map(
    (text) => estimateTextTokens(text) / exactTokens(text),
  ),
}));
const kinds = [...new Set(sources.map((source) => source.kind))];

if (process.argv.includes("--sources")) {
  for (const kind of kinds) {
    const row = sources
      .filter((source) => source.kind === kind)
      .map(({ source, isFitted, ratios }) => {
        const { mean, bias, low } = errorsOf(ratios);
        return `  ${isFitted ? " " : "*"} ${source}: ${(100 * mean).toFixed(1)} % (${bias.toFixed(2)}, p5 ${low.toFixed(2)})`;
      });
    console.log(`${kind}\n${row.join("\n")}`);
  }
}

// Every source weighs the same, however many windows it has.
function errorsOfSources(of: typeof sources): Errors {
  return errorsOf(
    of.flatMap(({ ratios }) =>
      Array.from({ length: 60 }, (_, i) => ratios[i % ratios.length]!),
    ),
  );
}

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
const rows = kinds.map((kind) => {
  const ofKind = sources.filter((source) => source.kind === kind);
  const tested = ofKind.filter((source) => !source.isFitted);
  const fitted = errorsOfSources(ofKind.filter((source) => source.isFitted));
  if (tested.length === 0) {
    return `| ${kind} | ${percent(fitted.mean)} | | | |`;
  }
  const { mean, bias, low } = errorsOfSources(tested);
  return `| ${kind} | ${percent(fitted.mean)} | ${percent(mean)} | ${bias.toFixed(2)} | ${low.toFixed(2)} |`;
});
const table = [
  "| kind | mean error, fitted texts | mean error, other texts | mean ratio | 5th percentile |",
  "| --- | --- | --- | --- | --- |",
  ...rows,
].join("\n");
console.log(table);

const names = (isFitted: boolean): string =>
  kinds
    .map(
      (kind) =>
        `${kind}: ${sources
          .filter(
            (source) => source.kind === kind && source.isFitted === isFitted,
          )
          .map(({ source }) => source)
          .join(", ")}`,
    )
    .filter((line) => !line.endsWith(": "))
    .map((line) => `- ${line}`)
    .join("\n");
if (process.argv.includes("--write")) {
  const document = readFileSync(DOCUMENT, "utf8");
  const [head, rest] = document.split(BEGIN);
  const tail = rest!.split(END)[1]!;
  writeFileSync(
    DOCUMENT,
    `${head}${BEGIN}\n\n${table}\n\nTexts of the test, unseen by the fit:\n\n${names(false)}\n\n${END}${tail}`,
  );
}
