import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import cl100kBase from "js-tiktoken/ranks/cl100k_base";
import o200kBase from "js-tiktoken/ranks/o200k_base";
import { endOfCl100kPiece } from "../../../src/tokens/tiktoken/split-cl100k.js";
import { endOfO200kPiece } from "../../../src/tokens/tiktoken/split-o200k.js";
import { propertyRuns } from "../../support/property-runs.js";
import { generatedText } from "./generated-texts.js";
import { HOSTILE_TEXTS } from "./hostile-texts.js";

describe.each([
  ["o200k_base", endOfO200kPiece, o200kBase.pat_str],
  ["cl100k_base", endOfCl100kPiece, cl100kBase.pat_str],
])("pieces of %s", (_name, endOfPiece, pattern) => {
  const expression = new RegExp(pattern, "gu");

  function split(text: string): string[] {
    const pieces = [];
    let start = 0;
    while (start < text.length) {
      const end = endOfPiece(text, start);
      pieces.push(text.slice(start, end));
      start = end;
    }
    return pieces;
  }

  function matches(text: string): string[] {
    return text.match(expression) ?? [];
  }

  it("are what the encoding's regular expression matches", () => {
    fc.assert(
      fc.property(generatedText, (text) => {
        expect(split(text)).toEqual(matches(text));
      }),
      propertyRuns(10_000),
    );
  });

  it("agree with the regular expression on every code point that may be a letter", () => {
    for (let page = 0; page < 0x40000; page += 256) {
      let text = "";
      for (let codePoint = page; codePoint < page + 256; codePoint++) {
        const character = String.fromCodePoint(codePoint);
        text += `A${character}a ${character}1${character}\n`;
      }
      expect(split(text).join("|")).toBe(matches(text).join("|"));
    }
  });

  it.each(Object.entries(HOSTILE_TEXTS))(
    "are found in linear time in %s",
    (_kind, make) => {
      const looks = (length: number): number => {
        const text = new CountedText(make(length));
        for (let start = 0; start < length;) {
          start = endOfPiece(text as unknown as string, start);
        }
        return text.looks;
      };
      expect(looks(4_000)).toBeLessThanOrEqual(2.1 * looks(2_000));
    },
  );
});

/** A text that counts how often it is looked at. */
class CountedText extends String {
  looks = 0;

  override codePointAt(index: number): number | undefined {
    this.looks++;
    return super.codePointAt(index);
  }
}
