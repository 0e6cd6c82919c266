import {
  HAN,
  HIRAGANA,
  KATAKANA,
  kindOf,
  LATIN,
  scriptOf,
  SURROGATE,
  SYMBOL,
} from "./character-kinds.js";
import { runTokens } from "./character-runs.js";
import { isCommonPair } from "./common-pairs.js";
import type { EstimateConstants } from "./estimate-constants.js";

/** Tokens of letters, plain and accented, less the base of their word. */
export function letterTokens(
  constants: EstimateConstants,
  text: string,
  start: number,
  end: number,
): number {
  let tokens = 0;
  let last = -1;
  let repeats = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const price = kindOf(code) === LATIN ? constants.accent : constants.letter;
    repeats = code === last ? repeats + 1 : 0;
    last = code;
    tokens += repeatedTokens(code, repeats, price);
  }
  return tokens;
}

/**
 * Tokens of a word of another script than Latin.
 *
 * @param lastKana where the last Japanese kana before the word stands:
 *   Chinese characters cost more in Japanese, which has fewer common words of them
 */
export function scriptWordTokens(
  constants: EstimateConstants,
  text: string,
  start: number,
  end: number,
  lastKana: number,
): number {
  const { scriptBases, scriptUnits } = constants;
  let tokens = scriptBases[scriptOf(kindOf(text.charCodeAt(start)))]!;
  let kana = lastKana;
  let last = -1;
  let repeats = 0;
  let isPaired = false;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const kind = kindOf(code);
    let unit = scriptUnits[scriptOf(kind)]!;
    if (kind === HIRAGANA || kind === KATAKANA) {
      kana = at;
    } else if (kind === HAN && at - kana < KANA_REACH) {
      unit = constants.hanInJapanese;
    }
    repeats = code === last ? repeats + 1 : 0;
    if (repeats >= 2) {
      unit = repeatedTokens(code, repeats, unit);
    } else if (kind >= HIRAGANA && kind <= HAN && isCommonPair(last, code)) {
      if (kind !== HAN) {
        unit -= constants.kanaPair;
      } else if (!isPaired) {
        unit -= constants.hanPair;
      }
      isPaired = !isPaired;
    } else {
      isPaired = false;
    }
    tokens += unit;
    last = code;
  }
  return tokens < 1 ? 1 : tokens;
}

const KANA_REACH = 24;

/** Tokens of a run of symbols. */
export function symbolTokens(
  constants: EstimateConstants,
  text: string,
  start: number,
  end: number,
): number {
  const { symbolBase, symbolUnit, scriptBases, scriptUnits } = constants;
  const first = kindOf(text.charCodeAt(start));
  let tokens = first === SYMBOL ? symbolBase : scriptBases[scriptOf(first)]!;
  let last = -1;
  let repeats = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const kind = kindOf(code);
    const unit = kind === SYMBOL ? symbolUnit : scriptUnits[scriptOf(kind)]!;
    // An emoji is two code units, and so repeats every other one.
    const same = kind === SURROGATE && at > 1 ? text.charCodeAt(at - 2) : last;
    repeats = code === same ? repeats + 1 : 0;
    last = code;
    tokens += repeatedTokens(code, repeats, unit);
  }
  return tokens < 1 ? 1 : tokens;
}

/** Tokens of white space that is part of no word: its lines, and the blanks after them. */
export function blankTokens(text: string, start: number, end: number): number {
  let afterLines = start;
  let returns = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED) {
      afterLines = at + 1;
    } else if (code === RETURN) {
      afterLines = at + 1;
      returns += text.charCodeAt(at + 1) === LINE_FEED ? 0 : 1;
    }
  }
  let tokens = 0;
  if (afterLines > start) {
    tokens += 1 + Math.floor((afterLines - start) / 16) + returns / 2;
  }
  if (end > afterLines) {
    const longest = text.charCodeAt(end - 1) === SPACE_BAR ? 110 : 16;
    tokens += 1 + Math.floor((end - afterLines) / longest);
  }
  return tokens;
}

/** Whether a character ends a line. */
export function isLineEnd(code: number): boolean {
  return code === LINE_FEED || code === RETURN;
}

const LINE_FEED = 10;
const RETURN = 13;
export const SPACE_BAR = 32;

/**
 * What a character adds to a piece in which it repeats the one before.
 *
 * The third of a kind shows a run, which prices the two before it anew.
 */
function repeatedTokens(code: number, repeats: number, price: number): number {
  if (repeats < 2) {
    return price;
  }
  const inRun = runTokens(code, price);
  return repeats === 2 ? 3 * inRun - 2 * price : inRun;
}
