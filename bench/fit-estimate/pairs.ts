import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tokensLike, tokensOf } from "./exact.js";
import type { Source } from "./sources.js";

const DICTIONARY = fileURLToPath(
  new URL(
    "node_modules/nodejieba/submodules/cppjieba/dict/jieba.dict.utf8",
    import.meta.url,
  ),
);

/**
 * Chinese words of two characters that o200k has as one token, the most useful first.
 *
 * Ordered by two ranks in sum: how common a word is in jieba's dictionary and
 * in the fitted texts, and how early o200k has it.
 */
export function commonHanPairs(
  sources: readonly Source[],
  count: number,
): string[] {
  const tokens = tokensLike(/^\p{Script=Han}{2}$/u);
  const inDictionary = new Map<string, number>();
  const known = new Set(tokens);
  for (const line of readFileSync(DICTIONARY, "utf8").split("\n")) {
    const [word, frequency] = line.split(" ");
    if (known.has(word!)) {
      inDictionary.set(word!, Number(frequency));
    }
  }
  const inTexts = pairFrequencies(sources, "Chinese", known);
  const words = tokens.filter((word) => inDictionary.has(word));
  const share = (of: Map<string, number>, word: string): number =>
    (of.get(word) ?? 0) / sum(of.values());
  const byUse = new Map(
    words.map((word) => [
      word,
      share(inDictionary, word) + share(inTexts, word),
    ]),
  );
  const useRank = rankOf(
    [...words].sort((a, b) => byUse.get(b)! - byUse.get(a)!),
  );
  const tokenRank = rankOf(words);
  return words
    .sort(
      (a, b) =>
        useRank.get(a)! +
        tokenRank.get(a)! -
        useRank.get(b)! -
        tokenRank.get(b)!,
    )
    .slice(0, count);
}

/**
 * Pairs of Japanese kana that o200k mostly keeps in one token, in the fitted
 * texts: those that it keeps most often first.
 */
export function commonKanaPairs(
  sources: readonly Source[],
  count: number,
): string[] {
  const kept = new Map<string, number>();
  const all = new Map<string, number>();
  for (const { kind, text, isFitted } of sources) {
    if (kind === "Japanese" && isFitted) {
      countPairs(kept, tokensOf(text), 1 / text.length);
      countPairs(all, [text], 1 / text.length);
    }
  }
  return [...kept.keys()]
    .filter((pair) => kept.get(pair)! > 0.6 * all.get(pair)!)
    .sort((a, b) => kept.get(b)! - kept.get(a)!)
    .slice(0, count);
}

function countPairs(
  into: Map<string, number>,
  texts: readonly string[],
  weight: number,
): void {
  for (const text of texts) {
    for (let i = 0; i + 1 < text.length; i++) {
      const pair = text.slice(i, i + 2);
      if (/^[\p{Script=Hiragana}\p{Script=Katakana}ー]{2}$/u.test(pair)) {
        into.set(pair, (into.get(pair) ?? 0) + weight);
      }
    }
  }
}

function pairFrequencies(
  sources: readonly Source[],
  kind: string,
  pairs: ReadonlySet<string>,
): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const { text } of sources.filter(
    (source) => source.kind === kind && source.isFitted,
  )) {
    for (let i = 0; i + 1 < text.length; i++) {
      const pair = text.slice(i, i + 2);
      if (pairs.has(pair)) {
        frequencies.set(pair, (frequencies.get(pair) ?? 0) + 1 / text.length);
      }
    }
  }
  return frequencies;
}

function rankOf(words: readonly string[]): Map<string, number> {
  return new Map(words.map((word, rank) => [word, rank]));
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) {
    total += value;
  }
  return total;
}
