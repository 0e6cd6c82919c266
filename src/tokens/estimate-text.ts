import {
  DIGIT,
  HIRAGANA,
  isLatinLetter,
  isLetter,
  isScriptLetter,
  isSymbol,
  KATAKANA,
  LATIN,
  LOWER,
  NOTHING,
  SPACE,
  SYMBOL,
  UPPER,
} from "./character-kinds.js";
import {
  ESTIMATE_CONSTANTS,
  type EstimateConstants,
} from "./estimate-constants.js";
import { type KindRuns, kindRunsOf } from "./kind-runs.js";
import {
  blankTokens,
  isLineEnd,
  letterTokens,
  scriptWordTokens,
  SPACE_BAR,
  symbolTokens,
} from "./piece-tokens.js";

/**
 * Tokens of a text in OpenAI's o200k, estimated in one pass over its characters.
 *
 * Splits as o200k does, into words with what stands directly before them, up
 * to three digits, runs of symbols and runs of white space, and prices each
 * piece by its kind and length. `docs/counting.md` states the errors.
 */
export function estimateTextTokens(text: string): number {
  return estimateTextTokensWith(ESTIMATE_CONSTANTS, text);
}

/** The same with other constants, which is what fits them. */
export function estimateTextTokensWith(
  constants: EstimateConstants,
  text: string,
): number {
  return new TextEstimate(constants, text).total();
}

/**
 * Reads a text piece by piece: a method for each kind of piece.
 *
 * Small methods, since one loop around them all would never be compiled well.
 */
class TextEstimate {
  readonly #constants: EstimateConstants;
  readonly #text: string;
  readonly #kinds: KindRuns["kinds"];
  readonly #ends: KindRuns["ends"];
  #tokens = 0;
  #run = 0;
  #end = 0;
  // The kind of the run that is read next.
  #next: number;
  // What stands directly before the next piece and is part of it.
  #before = NO_MARK;
  #isAfterLetters = false;
  // How many of the last words have accents, newer words counting for more.
  #accented = 0;
  #lastKana = NO_KANA;
  // Words and numbers with nothing between them, and what they cost more if random.
  #gluedStart = 0;
  #gluedEnd = -1;
  #gluedPieces = 0;
  #ifRandom = 0;

  constructor(constants: EstimateConstants, text: string) {
    this.#constants = constants;
    this.#text = text;
    const { kinds, ends } = kindRunsOf(text);
    this.#kinds = kinds;
    this.#ends = ends;
    this.#next = kinds[0]!;
  }

  total(): number {
    for (let kind = this.#next; kind !== NOTHING; kind = this.#next) {
      const start = this.#end;
      this.#takeRun();
      if (isLatinLetter(kind)) {
        this.#readWord(start, kind);
      } else if (kind === SPACE) {
        this.#readBlanks(start);
      } else if (kind === DIGIT) {
        this.#readNumber(start);
      } else if (isLetter(kind)) {
        this.#readScriptWord(start);
      } else {
        this.#readSymbols(start, kind);
      }
    }
    return this.#tokens;
  }

  #takeRun(): void {
    this.#end = this.#ends[this.#run]!;
    this.#next = this.#kinds[++this.#run]!;
  }

  #readWord(start: number, first: number): void {
    const constants = this.#constants;
    let shape = first === UPPER ? ALL_UPPER : ALL_LOWER;
    if (first === UPPER && this.#next === LOWER) {
      this.#takeRun();
      shape = CAPITALISED;
    }
    let hasAccents = first === LATIN;
    while (this.#next === LATIN || (hasAccents && this.#next === LOWER)) {
      this.#takeRun();
      hasAccents = true;
      shape = first === UPPER ? CAPITALISED : ALL_LOWER;
    }
    const end = this.#end;
    const length = end - start;
    // The plus says that it is a number, which spares V8 an object for each word.
    let tokens =
      hasAccents || mayHaveRuns(this.#text, start, length)
        ? +letterTokens(constants, this.#text, start, end)
        : length * constants.letter;
    if (this.#accented > 0.01 || hasAccents) {
      this.#accented += ((hasAccents ? 1 : 0) - this.#accented) / 10;
      const share = Math.min(0.4, this.#accented);
      tokens += constants.accentedLanguage * share * length;
    }
    const before = this.#before;
    if (
      before === JOINING_MARK &&
      this.#isAfterLetters &&
      isContraction(this.#text, start, end)
    ) {
      tokens = constants.contraction;
    } else if (length === 1 && before <= BLANK) {
      tokens = 1;
    } else {
      tokens += constants.wordBase[before * 3 + shape]!;
      tokens = tokens < 1 ? 1 : tokens;
    }
    this.#add(tokens, true);
    const { randomBase, randomLetter } = constants;
    this.#glue(start, 1, randomBase + randomLetter * length - tokens);
  }

  #readNumber(start: number): void {
    const tokens = Math.ceil((this.#end - start) / 3);
    this.#add(tokens, false);
    this.#glue(start, tokens, 0);
  }

  #readScriptWord(start: number): void {
    while (isScriptLetter(this.#next)) {
      this.#takeRun();
    }
    const tokens = scriptWordTokens(
      this.#constants,
      this.#text,
      start,
      this.#end,
      this.#lastKana,
    );
    const last = this.#kinds[this.#run - 1];
    if (last === HIRAGANA || last === KATAKANA) {
      this.#lastKana = this.#end - 1;
    }
    this.#add(tokens, true);
  }

  #readSymbols(start: number, first: number): void {
    while (isSymbol(this.#next)) {
      this.#takeRun();
    }
    const end = this.#end;
    const isOne = end === start + 1;
    if (isOne && this.#before === NO_MARK && isLetter(this.#next)) {
      const isJoining = JOINING_MARKS[this.#text.charCodeAt(start)] === 1;
      this.#before = isJoining ? JOINING_MARK : OTHER_MARK;
      return;
    }
    const tokens =
      isOne && first === SYMBOL
        ? 1
        : symbolTokens(this.#constants, this.#text, start, end);
    this.#add(tokens, false);
    if (this.#next === SPACE) {
      this.#takeLineEnds();
    }
  }

  /** Line ends directly after symbols are in one piece with them. */
  #takeLineEnds(): void {
    const spaceEnd = this.#ends[this.#run]!;
    while (
      this.#end < spaceEnd &&
      isLineEnd(this.#text.charCodeAt(this.#end))
    ) {
      this.#end++;
    }
    if (this.#end === spaceEnd) {
      this.#takeRun();
    }
  }

  #readBlanks(start: number): void {
    const before = blankBefore(this.#text, this.#end, this.#next);
    const own = before === NO_MARK ? this.#end : this.#end - 1;
    if (own > start) {
      this.#tokens += blankTokens(this.#text, start, own);
    }
    this.#before = before;
    this.#isAfterLetters = false;
  }

  /** Ends a piece that is no white space. */
  #add(tokens: number, areLetters: boolean): void {
    this.#tokens += tokens;
    this.#before = NO_MARK;
    this.#isAfterLetters = areLetters;
  }

  /** Base64, hexadecimal text and the like have no common words in them. */
  #glue(start: number, pieces: number, ifRandom: number): void {
    if (this.#gluedEnd !== start) {
      this.#gluedStart = start;
      this.#gluedPieces = 0;
      this.#ifRandom = 0;
    }
    this.#gluedEnd = this.#end;
    this.#gluedPieces += pieces;
    this.#ifRandom += ifRandom > 0 ? ifRandom : 0;
    const length = this.#end - this.#gluedStart;
    if (length >= RANDOM_LENGTH && length < this.#gluedPieces * RANDOM_PIECE) {
      this.#tokens += this.#ifRandom;
      this.#ifRandom = 0;
    }
  }
}

// Further from any character than a kana reaches.
const NO_KANA = -100;

const ALL_LOWER = 0;
const CAPITALISED = 1;
const ALL_UPPER = 2;

const NO_MARK = 0;
const BLANK = 1;
// A mark that o200k often has in one token with the word, as in ".get".
const JOINING_MARK = 2;
const OTHER_MARK = 3;
const JOINING_MARKS = new Uint8Array(128);
for (const mark of "._(@-#'$") {
  JOINING_MARKS[mark.charCodeAt(0)] = 1;
}

/** A glued text of this length is random where its pieces are shorter than this on average. */
const RANDOM_LENGTH = 12;
const RANDOM_PIECE = 3.3;

/** Whether a word could hold one letter many times over: cheap, and never wrong for a pure run. */
function mayHaveRuns(text: string, start: number, length: number): boolean {
  return (
    length > 16 ||
    (length > 2 &&
      text.charCodeAt(start) === text.charCodeAt(start + 1) &&
      text.charCodeAt(start) === text.charCodeAt(start + 2))
  );
}

/** The "t" of "don't": with the word before it one piece, and often one token. */
function isContraction(text: string, start: number, end: number): boolean {
  return (
    end - start <= 2 &&
    text[start - 1] === "'" &&
    CONTRACTIONS.has(text.slice(start, end))
  );
}

const CONTRACTIONS = new Set(["s", "t", "m", "d", "re", "ve", "ll"]);

/** How the last blank of white space goes with what follows it. */
function blankBefore(text: string, end: number, following: number): number {
  if (following === NOTHING || following === DIGIT) {
    return NO_MARK;
  }
  const code = text.charCodeAt(end - 1);
  if (code === SPACE_BAR) {
    return BLANK;
  }
  return isLineEnd(code) || isSymbol(following) ? NO_MARK : JOINING_MARK;
}
