import { MergeWindow } from "./merge-window.js";
import { NO_RANK, type Ranks } from "./rank-table.js";

/**
 * Counts the tokens of one piece of a text, in time n log n for n bytes.
 *
 * A long piece is merged window by window, so that the work stays in the
 * processor's cache. Where one window hands over to the next, both must see the same token;
 * see {@link countInWindows} for why that suffices. If they do not, the
 * piece is merged again in windows of the square of the width: log n doubles each
 * time, so that the last round outweighs all before it.
 */
export class PieceCounter {
  readonly #ranks: Ranks;
  readonly #window: MergeWindow;

  constructor(ranks: Ranks, width: number = WINDOW_BYTES) {
    this.#ranks = ranks;
    this.#window = new MergeWindow(ranks, width);
  }

  /** Tokens of the first `length` bytes, which are one whole piece. */
  count(bytes: Uint8Array, length: number): number {
    if (this.#ranks.rankOf(bytes, 0, length) !== NO_RANK) {
      return 1;
    }
    let window = this.#window;
    let count = countInWindows(window, bytes, length);
    while (count === undefined) {
      const width = Math.min(window.width ** 2, length);
      window = new MergeWindow(this.#ranks, width);
      count = countInWindows(window, bytes, length);
    }
    return count;
  }
}

// The longest token of both encodings, 128 spaces, has room eight times.
const WINDOW_BYTES = 1024;

/**
 * Counts with windows of one width, or gives up with `undefined` at a seam that is not
 * proven.
 *
 * Whether two neighbouring tokens stay apart depends on their own bytes alone: up
 * to the first merge across their border, each is merged as if it stood alone.
 * So a list of tokens is the encoding of a text if every two neighbours in it
 * are the encoding of theirs. Both windows' tokens are such lists, and if they
 * share a token at the seam, so is the one list joined to the other there.
 */
function countInWindows(
  window: MergeWindow,
  bytes: Uint8Array,
  length: number,
): number | undefined {
  const { ends, width } = window;
  let count = 0;
  let start = 0;
  let sharedEnd: number | undefined;
  for (;;) {
    const size = Math.min(width, length - start);
    window.merge(bytes, start, size);
    if (sharedEnd !== undefined && start + ends[0]! !== sharedEnd) {
      return undefined;
    }
    const isLast = start + size === length;
    const handOver = isLast ? size : size * 0.75;
    let seam = 0;
    while (seam < size && ends[seam]! <= handOver) {
      seam = ends[seam]!;
      count++;
    }
    if (isLast) {
      return count;
    }
    if (seam === 0) {
      return undefined;
    }
    sharedEnd = start + ends[seam]!;
    start += seam;
  }
}
