import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  ESTIMATE_CONSTANTS,
  type EstimateConstants,
} from "../../src/tokens/estimate-constants.js";
import { estimateTextTokensWith } from "../../src/tokens/estimate-text.js";
import { exactTokens } from "./exact.js";
import { leastSquares } from "./least-squares.js";
import { commonHanPairs, commonKanaPairs } from "./pairs.js";
import { loadSources, windowsOf } from "./sources.js";

// Kinds that agents see most weigh most; scripts with one text of a few
// thousand characters each must not bend the rest.
const WEIGHTS: Record<string, number> = {
  English: 3,
  code: 3,
  JSON: 3,
  logs: 3,
  CSV: 3,
  hex: 3,
  uuid: 3,
  base64: 3,
  Chinese: 3,
  Japanese: 3,
  Korean: 1,
  Russian: 1,
  Arabic: 1,
  Hindi: 1,
  Thai: 1,
  Greek: 1,
  Hebrew: 1,
  emoji: 1,
};
const WEIGHT_OF_OTHERS = 0.3;
const WINDOWS = 24;
const HAN_PAIRS = 320;
const KANA_PAIRS = 160;

const CONSTANTS_FILE = fileURLToPath(
  new URL("../../src/tokens/estimate-constants.ts", import.meta.url),
);
const PAIRS_FILE = fileURLToPath(
  new URL("../../src/tokens/common-pairs.ts", import.meta.url),
);

const sources = loadSources().filter((source) => source.isFitted);
if (process.argv.includes("--pairs")) {
  // The pairs are read when the estimator is loaded: fit in a second run.
  writePairs();
} else {
  fitConstants();
}

function fitConstants(): void {
  const samples = sources.flatMap(({ kind, text }) => {
    const ofKind = sources.filter((source) => source.kind === kind).length;
    const weight = (WEIGHTS[kind] ?? WEIGHT_OF_OTHERS) / ofKind / WINDOWS;
    return windowsOf(text, WINDOWS).map((sample) => ({
      text: sample,
      exact: exactTokens(sample),
      weight,
    }));
  });
  const fitted = leastSquares(
    (parameters) => {
      const constants = unflatten(parameters);
      return samples.map(
        ({ text, exact }) =>
          estimateTextTokensWith(constants, text) / exact - 1,
      );
    },
    samples.map(({ weight }) => weight),
    flatten(ESTIMATE_CONSTANTS),
  );
  const file = readFileSync(CONSTANTS_FILE, "utf8");
  const literal = JSON.stringify(
    unflatten(fitted.map((value) => Math.round(value * 100) / 100)),
    null,
    2,
  ).replace(/"(\w+)":/g, "$1:");
  writeFileSync(
    CONSTANTS_FILE,
    file.replace(
      /(ESTIMATE_CONSTANTS: EstimateConstants = )\{[\s\S]*?\n\};/,
      `$1${literal};`,
    ),
  );
}

function writePairs(): void {
  const han = commonHanPairs(sources, HAN_PAIRS);
  const kana = commonKanaPairs(sources, KANA_PAIRS);
  const literal = (pairs: string[]): string =>
    Array.from(
      { length: Math.ceil(pairs.length / 18) },
      (_, line) =>
        `  ${JSON.stringify(pairs.slice(line * 18, line * 18 + 18).join(""))}`,
    ).join(" +\n");
  const file = readFileSync(PAIRS_FILE, "utf8");
  writeFileSync(
    PAIRS_FILE,
    file
      .replace(/(HAN_PAIRS =\n)[\s\S]*?;/, `$1${literal(han)};`)
      .replace(/(KANA_PAIRS =\n)[\s\S]*?;/, `$1${literal(kana)};`),
  );
}

function flatten(constants: EstimateConstants): number[] {
  return Object.values(constants).flat() as number[];
}

function unflatten(parameters: readonly number[]): EstimateConstants {
  let next = 0;
  return Object.fromEntries(
    Object.entries(ESTIMATE_CONSTANTS).map(([name, value]) =>
      Array.isArray(value)
        ? [name, value.map(() => parameters[next++]!)]
        : [name, parameters[next++]!],
    ),
  ) as unknown as EstimateConstants;
}
