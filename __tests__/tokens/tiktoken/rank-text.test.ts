import { describe, expect, it } from "@jest/globals";
import cl100kBase from "js-tiktoken/ranks/cl100k_base";
import o200kBase from "js-tiktoken/ranks/o200k_base";
import { NO_RANK } from "../../../src/tokens/tiktoken/rank-table.js";
import { readRankText } from "../../../src/tokens/tiktoken/rank-text.js";

describe.each([
  ["o200k_base", o200kBase.bpe_ranks],
  ["cl100k_base", cl100kBase.bpe_ranks],
])("the table of %s", (_name, rankText) => {
  it("finds every token by its bytes, and nothing else", () => {
    const table = readRankText(rankText);
    const [, , ...tokens] = rankText.split(" ");
    const known = new Set(tokens);
    const wrong = [];
    for (const [rank, token] of tokens.entries()) {
      // In the middle of other bytes, of which one more makes another token or none.
      const bytes = Buffer.from(`ab${atob(token)}c`, "latin1");
      const end = bytes.length - 1;
      const longer = bytes.toString("base64", 2);
      const isToken = table.rankOf(bytes, 2, end + 1) !== NO_RANK;
      if (
        table.rankOf(bytes, 2, end) !== rank ||
        isToken !== known.has(longer)
      ) {
        wrong.push(token);
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe("readRankText", () => {
  it.each(["", "! 5 IQ==", "! 0 IQ==\n! 1 Ig=="])(
    "refuses %j, which is in another form",
    (text) => {
      expect(() => readRankText(text)).toThrow(
        expect.objectContaining({ code: "COUNTER_FAILED" }),
      );
    },
  );
});
