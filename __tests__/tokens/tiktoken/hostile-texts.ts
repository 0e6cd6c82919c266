// Texts of one piece, or of alternations that look like many and are not: what a
// splitter or a merge that looks back would take quadratic time for.

/** Generators of texts of a given number of UTF-16 units, by what they are made of. */
export const HOSTILE_TEXTS: Readonly<
  Record<string, (length: number) => string>
> = {
  spaces: repeat(" "),
  "line ends": repeat("\n"),
  tabs: repeat("\t"),
  "one letter": repeat("a"),
  "two letters": repeat("ab"),
  "equals signs": repeat("="),
  "random letters": random((at) => String.fromCharCode(97 + at(26))),
  "random capitals": random((at) => String.fromCharCode(65 + at(26))),
  "Chinese without punctuation": random((at) =>
    String.fromCharCode(0x4e00 + at(20_000)),
  ),
  emoji: random((at) => String.fromCodePoint(0x1f300 + at(700))),
  "one emoji": repeat("😀"),
  base64: random((at) => BASE64[at(64)]!),
  "random symbols": random((at) => "=-+*#.,;:!?<>/"[at(14)]!),
  "marks only": random((at) => "\u0301\u0300\u093f\u20dd"[at(4)]!),
  "symbols and emoji": repeat("=😀"),
  "symbols and marks": repeat("=\u0301"),
  "letters and marks": repeat("a\u0301"),
  "capitals and marks": repeat("A\u0301"),
  "capitals and Chinese": repeat("A中"),
  "lower case and Chinese": repeat("a中"),
  "spaces and line ends": repeat("  \n"),
  "slashes and line ends": random((at) => "/\n\r"[at(3)]!),
  "kinds of spaces": repeat(" \u00a0\u3000"),
  "apostrophes and letters": repeat("'s"),
  "digits and letters": random((at) => "0123456789abcdef"[at(16)]!),
};

const BASE64 =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function repeat(part: string): (length: number) => string {
  return (length) =>
    part.repeat(Math.ceil(length / part.length)).slice(0, length);
}

/** The same text on every call: a linear congruential generator draws it. */
function random(
  draw: (at: (below: number) => number) => string,
): (length: number) => string {
  return (length) => {
    let state = 42;
    const at = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    let text = "";
    while (text.length < length) {
      text += draw(at);
    }
    return text.slice(0, length);
  };
}
