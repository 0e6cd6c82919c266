/**
 * Kinds of UTF-16 code units: those of ASCII, and one for each script.
 *
 * Their order makes each question below a comparison: first what is neither
 * letter nor symbol, then letters, Latin ones first, then symbols. As plain numbers
 * they are written into the code that compares with them.
 */
export const NOTHING = 0;
export const SPACE = 1;
export const DIGIT = 2;
export const LOWER = 3;
export const UPPER = 4;
export const LATIN = 5;
export const HIRAGANA = 17;
export const KATAKANA = 18;
export const HAN = 19;
export const SURROGATE = 25;
export const SYMBOL = 26;
const FIRST_SCRIPT = LATIN;
const FIRST_SYMBOL = 21;

/** Scripts and sets of symbols that tokenizers price alike; symbols from `dashes` on. */
export const SCRIPTS = [
  "latin",
  "greek",
  "cyrillic",
  "cyrillicMore",
  "caucasian",
  "hebrew",
  "arabic",
  "devanagari",
  "indic",
  "thai",
  "mainland",
  "hangul",
  "hiragana",
  "katakana",
  "han",
  "otherLetters",
  "dashes",
  "joiners",
  "fullwidth",
  "pictures",
  "surrogates",
] as const;

export type Script = (typeof SCRIPTS)[number];

/** The kind of a UTF-16 code unit. */
export function kindOf(code: number): number {
  return KINDS[code]!;
}

/** The kind of a script. */
export function scriptKind(script: Script): number {
  return FIRST_SCRIPT + SCRIPTS.indexOf(script);
}

/** The place of a script's kind in `SCRIPTS`. */
export function scriptOf(kind: number): number {
  return kind - FIRST_SCRIPT;
}

/** Whether a kind is a letter of any script. */
export function isLetter(kind: number): boolean {
  return kind >= LOWER && kind < FIRST_SYMBOL;
}

/** Whether a kind is a letter that words in Latin script are written with. */
export function isLatinLetter(kind: number): boolean {
  return kind >= LOWER && kind <= LATIN;
}

/** Whether a kind is a letter of another script than Latin. */
export function isScriptLetter(kind: number): boolean {
  return kind > LATIN && kind < FIRST_SYMBOL;
}

/** Whether a kind is neither letter nor digit nor white space. */
export function isSymbol(kind: number): boolean {
  return kind >= FIRST_SYMBOL;
}

// First and last code; a later range wins.
const RANGES: readonly (readonly [number, number, Script])[] = [
  [0x0000, 0xffff, "otherLetters"],
  [0x0080, 0x00bf, "dashes"],
  [0x00c0, 0x036f, "latin"],
  [0x0370, 0x03ff, "greek"],
  [0x0400, 0x044f, "cyrillic"],
  [0x0450, 0x052f, "cyrillicMore"],
  [0x0530, 0x058f, "caucasian"],
  [0x0590, 0x05ff, "hebrew"],
  [0x0600, 0x07ff, "arabic"],
  [0x0900, 0x097f, "devanagari"],
  [0x0980, 0x0d7f, "indic"],
  [0x0d80, 0x0dff, "mainland"],
  [0x0e00, 0x0e7f, "thai"],
  [0x1000, 0x109f, "mainland"],
  [0x10a0, 0x10ff, "caucasian"],
  [0x1100, 0x11ff, "hangul"],
  [0x1780, 0x17ff, "mainland"],
  [0x1e00, 0x1eff, "latin"],
  [0x1f00, 0x1fff, "greek"],
  [0x2000, 0x200f, "joiners"],
  [0x2010, 0x206f, "dashes"],
  [0x2070, 0x2bff, "pictures"],
  [0x3000, 0x303f, "fullwidth"],
  [0x3040, 0x309f, "hiragana"],
  [0x30a0, 0x30ff, "katakana"],
  [0x3130, 0x318f, "hangul"],
  [0x31c0, 0x9fff, "han"],
  [0xac00, 0xd7af, "hangul"],
  [0xd800, 0xdfff, "surrogates"],
  [0xe000, 0xf8ff, "pictures"],
  [0xf900, 0xfaff, "han"],
  [0xfb50, 0xfdff, "arabic"],
  [0xfe00, 0xfe0f, "joiners"],
  [0xfe30, 0xfe6f, "fullwidth"],
  [0xfe70, 0xfeff, "arabic"],
  [0xff00, 0xffff, "fullwidth"],
];

const KINDS = new Uint8Array(0x1_0000);
for (const [first, last, script] of RANGES) {
  KINDS.fill(scriptKind(script), first, last + 1);
}
for (let code = 0; code < 128; code++) {
  KINDS[code] = asciiKind(String.fromCharCode(code));
}

function asciiKind(character: string): number {
  if (" \t\n\r".includes(character)) {
    return SPACE;
  }
  if (character >= "a" && character <= "z") {
    return LOWER;
  }
  if (character >= "A" && character <= "Z") {
    return UPPER;
  }
  return character >= "0" && character <= "9" ? DIGIT : SYMBOL;
}
