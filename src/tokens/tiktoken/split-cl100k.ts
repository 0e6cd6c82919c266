import { endOfRun, LETTER, NEWLINE } from "./code-point-class.js";
import {
  endOfContraction,
  endOfNumber,
  endOfSymbols,
  endOfWhitespace,
  endOfWordPrefix,
} from "./piece-parts.js";

/**
 * Where the piece of `cl100k_base` ends that starts at `start`.
 *
 * Tries the alternatives of the encoding's regular expression in its order, in
 * linear time like its neighbour for `o200k_base`.
 */
export function endOfCl100kPiece(text: string, start: number): number {
  return (
    endOfContraction(text, start) ||
    endOfWord(text, start) ||
    endOfNumber(text, start) ||
    endOfSymbolsAndLineEnds(text, start) ||
    endOfWhitespace(text, start)
  );
}

/** `[^\r\n\p{L}\p{N}]?\p{L}+` */
function endOfWord(text: string, start: number): number {
  const body = endOfWordPrefix(text, start);
  const end = endOfRun(text, body, LETTER);
  return end === body ? 0 : end;
}

/** ` ?[^\s\p{L}\p{N}]+[\r\n]*` */
function endOfSymbolsAndLineEnds(text: string, start: number): number {
  const end = endOfSymbols(text, start);
  return end === 0 ? 0 : endOfRun(text, end, NEWLINE);
}
