/**
 * Tokens that one more of the same character adds to a run of it.
 *
 * Tokenizers write long runs in pieces of fixed length, which differ by
 * character: o200k takes 64 hyphens, but only two brackets, as one token.
 *
 * @param code a UTF-16 code unit
 * @param usual what a character of its script costs elsewhere
 */
export function runTokens(code: number, usual: number): number {
  if (code < 128) {
    return ASCII_RUNS[code]!;
  }
  // Half an emoji: o200k has whole ones as one token or as two.
  if (code >= 0xd800 && code < 0xe000) {
    return 0.75;
  }
  return OTHER_RUNS.get(code) ?? Math.max(1.1, usual);
}

/** Characters by how many of them o200k writes as one token in a long run. */
const PIECES: Readonly<Record<number, string>> = {
  64: "#*-./=_",
  32: "%+~",
  16: "!:;X—…─□\u3000",
  8: "<>?@AF^aflox━═\u00a0\ufffd",
  4: "\"$'(),BCEILMOY\\bcdehikmrsvy|ه۔–█★♀・ー久！＊＝",
  2: "äöüλμσІДИОСаеилмоуфэяіүөնوي،؟دزسشطقلم।ৰদชนบร‘’•․↓▄■▬☆⭐、。，？いこすㅋㅎ人哈哥天妈妹姐期爸牛看",
};

const ASCII_RUNS = new Float64Array(128).fill(1, 0, 32).fill(1 / 2, 32);
const OTHER_RUNS = new Map<number, number>();
for (const [length, characters] of Object.entries(PIECES)) {
  for (const character of characters) {
    const code = character.charCodeAt(0);
    if (code < 128) {
      ASCII_RUNS[code] = 1 / Number(length);
    } else {
      OTHER_RUNS.set(code, 1 / Number(length));
    }
  }
}
