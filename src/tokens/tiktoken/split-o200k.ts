import {
  after,
  CASELESS,
  classAt,
  endOfRun,
  LOWER,
  MARK,
  UPPER,
} from "./code-point-class.js";
import {
  endOfContraction,
  endOfNumber,
  endOfSymbols,
  endOfWhitespace,
  endOfWordPrefix,
} from "./piece-parts.js";

/**
 * Where the piece of `o200k_base` ends that starts at `start`.
 *
 * Tries the alternatives of the encoding's regular expression in its order. None
 * looks further than a fixed number of times over what the piece, or the piece after it,
 * takes, so a text is split in linear time.
 */
export function endOfO200kPiece(text: string, start: number): number {
  return (
    endOfWord(text, start) ||
    endOfNumber(text, start) ||
    endOfSymbolsAndLineEnds(text, start) ||
    endOfWhitespace(text, start)
  );
}

// Two alternatives: a word that ends in lower case, then one all in upper case. A mark may
// be the prefix of a word as well as its beginning.
function endOfWord(text: string, start: number): number {
  const body = endOfWordPrefix(text, start);
  const end =
    endOfMixedCase(text, body) ||
    (classAt(text, start) === MARK
      ? endOfMixedCase(text, start)
      : endOfUpperCase(text, body));
  return end === 0 ? 0 : endOfContraction(text, end) || end;
}

/** `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+` */
function endOfMixedCase(text: string, start: number): number {
  let index = start;
  // Where the second class can match for the last time if no lower case follows.
  let endOfBoth = 0;
  while (index < text.length) {
    const found = classAt(text, index);
    if (found === LOWER) return endOfRun(text, index, LOWER | CASELESS | MARK);
    if ((found & (UPPER | CASELESS | MARK)) === 0) break;
    index = after(text, index);
    if (found !== UPPER) endOfBoth = index;
  }
  return endOfBoth;
}

/** What the alternative above leaves of `[\p{Lu}\p{Lt}…]+[\p{Ll}…]*`. */
function endOfUpperCase(text: string, start: number): number {
  const end = endOfRun(text, start, UPPER);
  return end === start ? 0 : end;
}

/** ` ?[^\s\p{L}\p{N}]+[\r\n/]*` */
function endOfSymbolsAndLineEnds(text: string, start: number): number {
  let end = endOfSymbols(text, start);
  while (end > 0 && end < text.length && "\r\n/".includes(text[end]!)) end++;
  return end;
}
