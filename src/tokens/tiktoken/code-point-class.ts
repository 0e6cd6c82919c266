/** `\p{Lu}` and `\p{Lt}` */
export const UPPER = 1;
/** `\p{Ll}` */
export const LOWER = 2;
/** `\p{Lm}` and `\p{Lo}`: letters without case. */
export const CASELESS = 4;
/** `\p{L}` */
export const LETTER: number = UPPER | LOWER | CASELESS;
/** `\p{M}` */
export const MARK = 8;
/** `\p{N}` */
export const NUMBER = 16;
/** `\r` and `\n` */
export const NEWLINE = 32;
/** `\s` without `\r` and `\n` */
export const SPACE = 64;
/** Everything else: punctuation, symbols, unassigned code points, lone surrogates. */
export const OTHER = 128;

/**
 * The class of the code point at `index`: exactly one bit of those above.
 *
 * The classes are what the encodings' regular expressions tell apart, and they
 * are read from the engine's own tables, so both always agree.
 */
export function classAt(text: string, index: number): number {
  const codePoint = text.codePointAt(index)!;
  const page = pages[codePoint >>> 8] ?? readPage(codePoint >>> 8);
  return page[codePoint & 0xff]!;
}

/** The index of the code point after the one at `index`. */
export function after(text: string, index: number): number {
  return index + (text.codePointAt(index)! > 0xffff ? 2 : 1);
}

/** The end of the run of code points of the given classes that starts at `index`. */
export function endOfRun(text: string, index: number, classes: number): number {
  let end = index;
  while (end < text.length && classAt(text, end) & classes) {
    end = after(text, end);
  }
  return end;
}

// Where two match, the later one holds.
const RUNS: readonly (readonly [RegExp, number])[] = [
  [/[\p{Lu}\p{Lt}]+/gu, UPPER],
  [/\p{Ll}+/gu, LOWER],
  [/[\p{Lm}\p{Lo}]+/gu, CASELESS],
  [/\p{M}+/gu, MARK],
  [/\p{N}+/gu, NUMBER],
  [/\s+/gu, SPACE],
  [/[\r\n]+/gu, NEWLINE],
];

const PAGE = 256;
const pages: Uint8Array[] = [];

// Read page by page, since most texts touch few of the 4,352 pages.
function readPage(number: number): Uint8Array {
  const codePoints = Array.from(
    { length: PAGE },
    (_, at) => number * PAGE + at,
  );
  const characters = String.fromCodePoint(...codePoints);
  const units = characters.length / PAGE;
  const page = new Uint8Array(PAGE).fill(OTHER);
  for (const [expression, classOfRun] of RUNS) {
    for (const { 0: run, index } of characters.matchAll(expression)) {
      page.fill(classOfRun, index / units, (index + run.length) / units);
    }
  }
  pages[number] = page;
  return page;
}
