import { describe, expect, it } from "@jest/globals";
import { get_encoding } from "tiktoken";
import { GENERATED } from "../../bench/fit-estimate/generated.js";
import { PARAGRAPHS } from "../../bench/fit-estimate/paragraphs.js";
import { estimateTextTokens } from "../../src/tokens/estimate-text.js";

const o200k = get_encoding("o200k_base");
const exactTokens = (text: string): number =>
  o200k.encode_ordinary(text).length;
const ratio = (text: string): number =>
  estimateTextTokens(text) / exactTokens(text);

describe("estimateTextTokens on texts that it was not fitted to", () => {
  const made = GENERATED.filter(({ isFitted }) => !isFitted);

  it.each(made.map(({ kind, source, text }) => [kind, source, text] as const))(
    "is right on every stretch of %s: %s",
    (_kind, _source, text) => {
      for (
        let start = 0;
        start + 1_000 <= Math.min(text.length, 20_000);
        start += 1_000
      ) {
        const stretch = text.slice(start, start + 1_000);
        expect(ratio(stretch)).toBeGreaterThan(0.9);
        expect(ratio(stretch)).toBeLessThan(1.15);
      }
    },
  );

  it.each(Object.entries(PARAGRAPHS))(
    "is right within 15 % on paragraphs in %s",
    (_language, paragraphs) => {
      const text = Object.values(paragraphs).join("\n\n");
      expect(Math.abs(ratio(text) - 1)).toBeLessThan(0.15);
    },
  );
});

describe("estimateTextTokens on runs of one character", () => {
  const characters = [
    ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)),
    ..."\n\t的一人中国あアの가이안яоАαעاकกé。、，─█★—…",
    "😀",
    "🎉",
    "👍",
  ];

  it.each([16, 100, 500])(
    "stays between half and double for %d of any",
    (length) => {
      const wrong = characters.filter((character) => {
        const of = ratio(character.repeat(length));
        return of < 0.5 || of > 2;
      });
      expect(wrong).toEqual([]);
    },
  );

  it("stays within it for a run inside a text", () => {
    expect(ratio(`before ${" ".repeat(5_000)} after`)).toBeLessThan(2);
    expect(ratio(`x${"=".repeat(5_000)}y`)).toBeLessThan(2);
    expect(ratio(`whitespace${"\r\n".repeat(2_000)}`)).toBeGreaterThan(0.5);
  });
});

describe("estimateTextTokens", () => {
  it("costs nothing for nothing, and at least one token for anything", () => {
    expect(estimateTextTokens("")).toBe(0);
    for (const text of ["a", " ", "\n", "7", "!", "é", "中", "\ud83d", "\0"]) {
      expect(estimateTextTokens(text)).toBeGreaterThanOrEqual(1);
    }
  });

  it("counts numbers by three digits", () => {
    expect(estimateTextTokens("1234567")).toBe(3);
    expect(estimateTextTokens("3.14159")).toBe(4);
  });

  it("counts a common word as one token with the blank before it", () => {
    expect(estimateTextTokens("the quick brown fox")).toBe(4);
  });

  it("does not take a glued random text for words", () => {
    expect(
      ratio("dGhpcyBpcyBhIHRlc3Qgb2YgYmFzZTY0IHRleHQgdGhhdCBnb2VzIG9u"),
    ).toBeGreaterThan(0.85);
  });
});
