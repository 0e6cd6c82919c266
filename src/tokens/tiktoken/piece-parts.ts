import {
  after,
  classAt,
  endOfRun,
  MARK,
  NEWLINE,
  NUMBER,
  OTHER,
  SPACE,
} from "./code-point-class.js";

// Each function is one part of the encodings' regular expressions: it returns
// where the part ends that starts at `start`, and 0 if none does.

/** `[^\r\n\p{L}\p{N}]?`: what a word may begin with; `start` if there is nothing. */
export function endOfWordPrefix(text: string, start: number): number {
  const isPrefix = classAt(text, start) & (SPACE | MARK | OTHER);
  return isPrefix ? after(text, start) : start;
}

/** `\p{N}{1,3}` */
export function endOfNumber(text: string, start: number): number {
  let end = start;
  for (let digits = 0; digits < 3 && end < text.length; digits++) {
    if (classAt(text, end) !== NUMBER) break;
    end = after(text, end);
  }
  return end === start ? 0 : end;
}

/** ` ?[^\s\p{L}\p{N}]+` */
export function endOfSymbols(text: string, start: number): number {
  const body = text[start] === " " ? start + 1 : start;
  const end = endOfRun(text, body, MARK | OTHER);
  return end === body ? 0 : end;
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+` */
export function endOfWhitespace(text: string, start: number): number {
  const end = endOfRun(text, start, SPACE | NEWLINE);
  for (let index = end - 1; index >= start; index--) {
    if (classAt(text, index) === NEWLINE) return index + 1;
  }
  // The last space is left to the word behind it, unless it is the only one.
  return end === text.length || end === start + 1 ? end : end - 1;
}

/** `'s|'t|'re|'ve|'m|'ll|'d`, each letter in either case. */
export function endOfContraction(text: string, start: number): number {
  if (text[start] !== "'") return 0;
  CONTRACTION.lastIndex = start;
  return CONTRACTION.test(text) ? CONTRACTION.lastIndex : 0;
}

const CONTRACTION = /'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])/y;
