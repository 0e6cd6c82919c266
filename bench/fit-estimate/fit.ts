import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  isSymbol,
  scriptKind,
  SCRIPTS,
} from "../../src/tokens/character-kinds.js";
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
// Too low an estimate ends in a refused request, too high a one in a
// compaction that comes a little early. The less a kind weighs, the more its
// texts differ from each other.
const TOO_LOW = 1.15;
const TOO_LOW_OF_OTHERS = 1.5;
const WEIGHT_OF_WORDS = 0.15;
const WINDOWS = 24;
const HAN_PAIRS = 320;
const KANA_PAIRS = 270;

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
    const weight = (WEIGHTS[kind] ?? WEIGHT_OF_OTHERS) / ofKind;
    const windows = windowsOf(text, WINDOWS);
    const words = wordsByLength(text);
    return [
      ...weighed(windows, weight / windows.length),
      ...weighed(words, (WEIGHT_OF_WORDS * weight) / words.length),
    ].map((sample) => ({
      ...sample,
      tooLow: WEIGHTS[kind] === 3 ? TOO_LOW : TOO_LOW_OF_OTHERS,
    }));
  });
  const fitted = leastSquares(
    (parameters) => {
      const constants = unflatten(parameters);
      return samples.map(({ text, exact, tooLow }) => {
        const error = estimateTextTokensWith(constants, text) / exact - 1;
        return error < 0 ? tooLow * error : error;
      });
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

function weighed(
  texts: readonly string[],
  weight: number,
): { text: string; exact: number; weight: number }[] {
  return texts.map((text) => ({ text, exact: exactTokens(text), weight }));
}

/**
 * The words of a text, those of one length together: stretches of a text differ
 * too little in that to show what a letter more costs.
 */
function wordsByLength(text: string): string[] {
  const byLength = new Map<number, string[]>();
  for (const word of text.slice(0, 100_000).split(/\s+/)) {
    const ofLength = byLength.get(word.length) ?? [];
    if (ofLength.length < 100) {
      ofLength.push(word);
    }
    byLength.set(word.length, ofLength);
  }
  return [...byLength]
    .filter(([length, words]) => length <= 20 && words.length >= 30)
    .map(([, words]) => words.join(" "));
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
        ? [name, value.map((_, i) => bounded(name, i, parameters[next++]!))]
        : [name, parameters[next++]!],
    ),
  ) as unknown as EstimateConstants;
}

// What the fitted texts hold too little of must not become free elsewhere.
function bounded(name: string, index: number, value: number): number {
  if (name !== "scriptUnits") {
    return value;
  }
  const script = SCRIPTS[index]!;
  const isMeagre = isSymbol(scriptKind(script)) && script !== "joiners";
  return Math.max(value, isMeagre ? 0.4 : 0.1);
}
