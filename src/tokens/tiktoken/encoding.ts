import cl100kBase from "js-tiktoken/ranks/cl100k_base";
import o200kBase from "js-tiktoken/ranks/o200k_base";
import { CountCache } from "./count-cache.js";
import { PieceCounter } from "./piece-counter.js";
import { readRankText } from "./rank-text.js";
import { endOfCl100kPiece } from "./split-cl100k.js";
import { endOfO200kPiece } from "./split-o200k.js";
import { BYTES_PER_UNIT, writeUtf8 } from "./utf8.js";

/** `o200k_base` is read by GPT-4o and all models after it, `cl100k_base` by GPT-4 and GPT-3.5. */
export type TiktokenEncoding = "o200k_base" | "cl100k_base";

/** The names of the encodings that there are. */
export const ENCODINGS: readonly TiktokenEncoding[] = [
  "o200k_base",
  "cl100k_base",
];

/** Tokens of a text. Builds the encoding's tables when it is first used in the process. */
export function countTokens(name: TiktokenEncoding, text: string): number {
  let encoding = encodings.get(name);
  if (encoding === undefined) {
    encoding =
      name === "o200k_base"
        ? new Encoding(o200kBase.bpe_ranks, endOfO200kPiece)
        : new Encoding(cl100kBase.bpe_ranks, endOfCl100kPiece);
    encodings.set(name, encoding);
  }
  return encoding.countText(text);
}

const encodings = new Map<TiktokenEncoding, Encoding>();

type EndOfPiece = (text: string, start: number) => number;

class Encoding {
  readonly #pieces: PieceCounter;
  readonly #endOfPiece: EndOfPiece;
  readonly #bytes = new Uint8Array(SHORT_PIECE_UNITS * BYTES_PER_UNIT);
  readonly #cache = new CountCache(CACHED_UNITS);

  constructor(rankText: string, endOfPiece: EndOfPiece) {
    this.#pieces = new PieceCounter(readRankText(rankText));
    this.#endOfPiece = endOfPiece;
  }

  countText(text: string): number {
    return this.#cache.countOf(text, (unknown) => this.#count(unknown));
  }

  #count(text: string): number {
    let count = 0;
    let start = 0;
    while (start < text.length) {
      const end = this.#endOfPiece(text, start);
      const units = end - start;
      const bytes =
        units <= SHORT_PIECE_UNITS
          ? this.#bytes
          : new Uint8Array(units * BYTES_PER_UNIT);
      count += this.#pieces.count(bytes, writeUtf8(text, start, end, bytes));
      start = end;
    }
    return count;
  }
}

const SHORT_PIECE_UNITS = 1_024;

// At most 8 MiB, half of it for texts in Latin-1.
const CACHED_UNITS = 4 * 2 ** 20;
