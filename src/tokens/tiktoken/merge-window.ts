import { NO_RANK, type Ranks } from "./rank-table.js";

/**
 * Merges up to `width` bytes into tokens by byte pair encoding: of all
 * neighbours whose union is a token, the two with the lowest rank are joined,
 * the leftmost first, until there are none.
 *
 * The candidates wait in a heap, so that n bytes take time n log n. The arrays are
 * made once: merging the next bytes forgets the ones before.
 */
export class MergeWindow {
  readonly width: number;
  /** Where the token that begins at an index ends, counted from the first byte. */
  readonly ends: Int32Array;
  readonly #ranks: Ranks;
  readonly #previous: Int32Array;
  // The rank of the union of the part at an index with the one behind it.
  readonly #unions: Int32Array;
  // Candidates as rank * width + index: the lowest number is merged first.
  readonly #heap: Int32Array | Float64Array;
  #heapSize = 0;

  constructor(ranks: Ranks, width: number) {
    this.width = width;
    this.ends = new Int32Array(width + 1);
    this.#ranks = ranks;
    this.#previous = new Int32Array(width + 1);
    this.#unions = new Int32Array(width + 1);
    // Every byte is a candidate once, and every merge makes at most two more.
    const Heap = width <= WIDEST_OF_SMALL_NUMBERS ? Int32Array : Float64Array;
    this.#heap = new Heap(width * 3);
  }

  /** Merges `size` bytes from `start`; the tokens then stand in {@link ends}. */
  merge(bytes: Uint8Array, start: number, size: number): void {
    for (let index = 0; index < size; index++) {
      this.ends[index] = index + 1;
      this.#previous[index + 1] = index;
    }
    for (let index = 0; index < size; index++) {
      this.#addCandidate(bytes, start, size, index);
    }
    while (this.#heapSize > 0) {
      const candidate = this.#takeLowest();
      const left = candidate % this.width;
      if (this.#unions[left] !== (candidate - left) / this.width) {
        continue; // One of the two was joined with another part meanwhile.
      }
      const right = this.ends[left]!;
      const end = this.ends[right]!;
      this.ends[left] = end;
      this.#previous[end] = left;
      this.#unions[right] = NO_RANK;
      this.#addCandidate(bytes, start, size, left);
      if (left > 0) {
        this.#addCandidate(bytes, start, size, this.#previous[left]!);
      }
    }
  }

  #addCandidate(
    bytes: Uint8Array,
    start: number,
    size: number,
    left: number,
  ): void {
    const right = this.ends[left]!;
    const rank =
      right === size
        ? NO_RANK
        : this.#ranks.rankOf(bytes, start + left, start + this.ends[right]!);
    this.#unions[left] = rank;
    if (rank !== NO_RANK) {
      this.#add(rank * this.width + left);
    }
  }

  #add(candidate: number): void {
    const heap = this.#heap;
    let index = this.#heapSize++;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      if (heap[parent]! <= candidate) {
        break;
      }
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = candidate;
  }

  #takeLowest(): number {
    const heap = this.#heap;
    const lowest = heap[0]!;
    const size = --this.#heapSize;
    const moved = heap[size]!;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child + 1 < size && heap[child + 1]! < heap[child]!) {
        child++;
      }
      if (child >= size || heap[child]! >= moved) {
        break;
      }
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = moved;
    return lowest;
  }
}

// Ranks have 18 bits, so up to here a candidate fits into 31.
const WIDEST_OF_SMALL_NUMBERS = 2 ** 13;
