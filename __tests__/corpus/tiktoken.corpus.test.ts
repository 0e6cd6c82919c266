import { expect, it } from "@jest/globals";
import { Tiktoken } from "js-tiktoken/lite";
import cl100kBase from "js-tiktoken/ranks/cl100k_base";
import o200kBase from "js-tiktoken/ranks/o200k_base";
import { TiktokenCounter } from "../../src/tokens/tiktoken/index.js";
import { CORPUS } from "../support/corpus.js";
import { describeShared } from "../support/shared-files.js";

describeShared("TiktokenCounter on recorded conversations", CORPUS, (lines) => {
  it.each([
    ["o200k_base", o200kBase],
    ["cl100k_base", cl100kBase],
  ] as const)(
    "counts every text as js-tiktoken does: %s",
    (encoding, source) => {
      const counter = new TiktokenCounter({ encoding });
      const reference = new Tiktoken(source);
      const differing = [];
      for (const text of textsIn(lines)) {
        const expected = reference.encode(text, [], []).length;
        if (counter.countText(text) !== expected) {
          differing.push(text);
        }
      }
      expect(differing).toEqual([]);
    },
  );
});

/** Every string that stands anywhere in the values, once. */
function textsIn(values: readonly unknown[]): Set<string> {
  const texts = new Set<string>();
  const pending = [...values];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === "string") {
      texts.add(value);
    } else if (typeof value === "object" && value !== null) {
      pending.push(...Object.values(value));
    }
  }
  return texts;
}
