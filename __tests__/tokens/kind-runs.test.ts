import { describe, expect, it } from "@jest/globals";
import {
  DIGIT,
  HAN,
  HIRAGANA,
  KATAKANA,
  kindOf,
  LATIN,
  LOWER,
  NOTHING,
  scriptKind,
  SCRIPTS,
  SPACE,
  SURROGATE,
  SYMBOL,
  UPPER,
} from "../../src/tokens/character-kinds.js";
import { kindRunsOf } from "../../src/tokens/kind-runs.js";

function runsOf(text: string): [kind: number, run: string][] {
  const { kinds, ends } = kindRunsOf(text);
  const runs: [number, string][] = [];
  for (let run = 0; kinds[run] !== NOTHING; run++) {
    const start = run === 0 ? 0 : ends[run - 1];
    runs.push([kinds[run]!, text.slice(start, ends[run])]);
  }
  return runs;
}

describe("kindRunsOf", () => {
  it("cuts a text where the kind of its characters changes", () => {
    expect(runsOf("Hélas,  42 日本の\n")).toEqual([
      [UPPER, "H"],
      [LATIN, "é"],
      [LOWER, "las"],
      [SYMBOL, ","],
      [SPACE, "  "],
      [DIGIT, "42"],
      [SPACE, " "],
      [HAN, "日本"],
      [HIRAGANA, "の"],
      [SPACE, "\n"],
    ]);
  });

  it("finds nothing in an empty text, whatever was read before", () => {
    runsOf("before");
    expect(runsOf("")).toEqual([]);
  });

  it.each([16_383, 16_384, 100_000])("reads %d characters", (length) => {
    const text = "a1".repeat(length).slice(0, length);
    const runs = runsOf(text);
    expect(runs).toHaveLength(length);
    expect(runs.map(([, run]) => run).join("")).toBe(text);
  });
});

describe("kinds", () => {
  it("have the numbers of their scripts", () => {
    expect(LATIN).toBe(scriptKind("latin"));
    expect(HIRAGANA).toBe(scriptKind("hiragana"));
    expect(KATAKANA).toBe(scriptKind("katakana"));
    expect(HAN).toBe(scriptKind("han"));
    expect(SURROGATE).toBe(scriptKind("surrogates"));
    expect(SYMBOL).toBe(scriptKind(SCRIPTS.at(-1)!) + 1);
  });

  it("are few enough to be told apart by five bits", () => {
    for (let code = 0; code < 0x1_0000; code++) {
      if (kindOf(code) <= NOTHING || kindOf(code) >= 32) {
        throw new Error(`Code ${code} is of kind ${kindOf(code)}.`);
      }
    }
  });
});
