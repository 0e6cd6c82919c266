import {
  DIGIT,
  isScriptLetter,
  isSymbol,
  KATAKANA,
  HIRAGANA,
  kindOf,
  LATIN,
  LOWER,
  SPACE,
  SYMBOL,
  UPPER,
} from "./character-kinds.js";
import {
  ESTIMATE_CONSTANTS,
  type EstimateConstants,
} from "./estimate-constants.js";
import {
  blankTokens,
  letterTokens,
  LINE_FEED,
  RETURN,
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
  const { wordBase } = constants;
  let tokens = 0;
  // What stands directly before the next piece and is part of it.
  let before = NOTHING;
  let isAfterLetters = false;
  // How many of the last words have accents, newer words counting for more.
  let accented = 0;
  let lastKana = -Infinity;
  // Words and numbers with nothing between them, and what they cost more if random.
  let gluedStart = 0;
  let gluedEnd = -1;
  let gluedPieces = 0;
  let ifRandom = 0;

  let end = 0;
  for (let start = 0; start < text.length; start = end) {
    const kind = kindOf(text.charCodeAt(start));
    let pieces = 0;
    let randomTokens = 0;

    if (kind === LOWER || kind === UPPER || kind === LATIN) {
      end = kind === UPPER ? endOf(UPPER, text, start + 1) : start;
      const uppers = end - start;
      const plainEnd = (end = endOf(LOWER, text, end));
      while (end < text.length && kindOf(text.charCodeAt(end)) === LATIN) {
        end = endOf(LOWER, text, endOf(LATIN, text, end));
      }
      const length = end - start;
      let word =
        end > plainEnd || mayHaveRuns(text, start, length)
          ? letterTokens(constants, text, start, end)
          : length * constants.letter;
      if (accented > 0.01 || end > plainEnd) {
        accented += ((end > plainEnd ? 1 : 0) - accented) / 10;
        const share = Math.min(0.4, accented);
        word += constants.accentedLanguage * share * length;
      }
      if (
        isAfterLetters &&
        before === JOINING_MARK &&
        isContraction(text, start, end)
      ) {
        word = constants.contraction;
      } else if (length === 1 && before <= BLANK) {
        word = 1;
      } else {
        const shape = uppers === 0 ? 0 : uppers === length ? 2 : 1;
        word += wordBase[before * 3 + shape]!;
        word = word < 1 ? 1 : word;
      }
      tokens += word;
      before = NOTHING;
      isAfterLetters = true;
      pieces = 1;
      randomTokens =
        constants.randomBase + constants.randomLetter * length - word;
    } else if (kind === SPACE) {
      end = start + 1;
      if (isBlankOfWord(text, start)) {
        before = BLANK;
        isAfterLetters = false;
        continue;
      }
      end = endOf(SPACE, text, end);
      before = blankBefore(text, end);
      const own = before === NOTHING ? end : end - 1;
      if (own > start) {
        tokens += blankTokens(text, start, own);
      }
      isAfterLetters = false;
    } else if (kind === DIGIT) {
      end = endOf(DIGIT, text, start);
      pieces = Math.ceil((end - start) / 3);
      tokens += pieces;
      before = NOTHING;
      isAfterLetters = false;
    } else if (isScriptLetter(kind)) {
      end = start + 1;
      while (end < text.length && isScriptWord(text.charCodeAt(end))) {
        end++;
      }
      tokens += scriptWordTokens(constants, text, start, end, lastKana);
      const last = kindOf(text.charCodeAt(end - 1));
      if (last === HIRAGANA || last === KATAKANA) {
        lastKana = end - 1;
      }
      before = NOTHING;
      isAfterLetters = true;
    } else {
      end = start + 1;
      while (end < text.length && isSymbol(kindOf(text.charCodeAt(end)))) {
        end++;
      }
      if (end === start + 1 && before === NOTHING && isWordAt(text, end)) {
        before =
          JOINING_MARKS[text.charCodeAt(start)] === 1
            ? JOINING_MARK
            : OTHER_MARK;
        continue;
      }
      tokens +=
        end === start + 1 && kind === SYMBOL
          ? 1
          : symbolTokens(constants, text, start, end);
      // Line ends directly after symbols are in one piece with them.
      while (end < text.length && isLineEnd(text.charCodeAt(end))) {
        end++;
      }
      before = NOTHING;
      isAfterLetters = false;
    }

    // Base64, hexadecimal text and the like have no common words in them.
    if (pieces > 0) {
      if (gluedEnd !== start) {
        gluedStart = start;
        gluedPieces = 0;
        ifRandom = 0;
      }
      gluedEnd = end;
      gluedPieces += pieces;
      ifRandom += randomTokens > 0 ? randomTokens : 0;
      const length = end - gluedStart;
      if (length >= RANDOM_LENGTH && length < gluedPieces * RANDOM_PIECE) {
        tokens += ifRandom;
        ifRandom = 0;
      }
    }
  }
  return tokens;
}

const NOTHING = 0;
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

function endOf(kind: number, text: string, start: number): number {
  let end = start;
  while (end < text.length && kindOf(text.charCodeAt(end)) === kind) {
    end++;
  }
  return end;
}

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

/** Whether a character is the one blank before something other than a number. */
function isBlankOfWord(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== SPACE_BAR || at + 1 === text.length) {
    return false;
  }
  const following = kindOf(text.charCodeAt(at + 1));
  return following !== SPACE && following !== DIGIT;
}

/** Whether the last blank of white space goes with what follows it. */
function blankBefore(text: string, end: number): number {
  if (end === text.length) {
    return NOTHING;
  }
  const code = text.charCodeAt(end - 1);
  const following = kindOf(text.charCodeAt(end));
  if (following === DIGIT || isLineEnd(code)) {
    return NOTHING;
  }
  if (code === SPACE_BAR) {
    return BLANK;
  }
  return isSymbol(following) ? NOTHING : JOINING_MARK;
}

function isLineEnd(code: number): boolean {
  return code === LINE_FEED || code === RETURN;
}

function isScriptWord(code: number): boolean {
  const kind = kindOf(code);
  return isScriptLetter(kind) && kind !== LATIN;
}

function isWordAt(text: string, at: number): boolean {
  if (at >= text.length) {
    return false;
  }
  const kind = kindOf(text.charCodeAt(at));
  return kind === LOWER || kind === UPPER || isScriptLetter(kind);
}
