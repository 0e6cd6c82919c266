import { beforeAll, describe, expect, it } from "@jest/globals";
import o200kBase from "js-tiktoken/ranks/o200k_base";
import { PieceCounter } from "../../../src/tokens/tiktoken/piece-counter.js";
import type { Ranks } from "../../../src/tokens/tiktoken/rank-table.js";
import { readRankText } from "../../../src/tokens/tiktoken/rank-text.js";
import { HOSTILE_TEXTS } from "./hostile-texts.js";

let ranks: Ranks;
beforeAll(() => {
  ranks = readRankText(o200kBase.bpe_ranks);
});

const kinds = Object.entries(HOSTILE_TEXTS);

describe("PieceCounter", () => {
  it.each(kinds)("counts %s alike in windows of any width", (_kind, make) => {
    const bytes = new TextEncoder().encode(make(4_000));
    const whole = new PieceCounter(ranks, bytes.length);
    const expected = whole.count(bytes, bytes.length);
    for (const width of [2, 16, 256]) {
      const narrow = new PieceCounter(ranks, width);
      expect([width, narrow.count(bytes, bytes.length)]).toEqual([
        width,
        expected,
      ]);
    }
  });

  it.each(kinds)("merges %s in linear time", (_kind, make) => {
    const looks = (length: number): number => {
      const bytes = new TextEncoder().encode(make(length));
      const counted = new CountedRanks(ranks);
      new PieceCounter(counted).count(bytes, bytes.length);
      return counted.looks;
    };
    expect(looks(40_000) / looks(20_000)).toBeLessThan(2.1);
  });
});

/** Ranks that count how many bytes are looked up. */
class CountedRanks implements Ranks {
  looks = 0;
  readonly #ranks: Ranks;

  constructor(ranks: Ranks) {
    this.#ranks = ranks;
  }

  rankOf(bytes: Uint8Array, start: number, end: number): number {
    this.looks += end - start;
    return this.#ranks.rankOf(bytes, start, end);
  }
}
