/** Stands for "no token": larger than every rank. */
export const NO_RANK = 0x7fffffff;

/** Finds the rank of a token by its bytes. */
export interface Ranks {
  /** The rank of `bytes` from `start` to `end`, or {@link NO_RANK}. */
  rankOf(bytes: Uint8Array, start: number, end: number): number;
}

/**
 * The ranks of all tokens of an encoding.
 *
 * The bytes of all tokens lie behind one another in one array, in the order of
 * their ranks, and an open hash table of ranks points into it. A map with a key
 * for each of 200,000 tokens takes many times the memory and the time to build.
 */
export class RankTable implements Ranks {
  readonly #bytes: Uint8Array;
  readonly #starts: Uint32Array;
  readonly #slots: Int32Array;
  readonly #longest: number;

  /** Token `rank` is `bytes` from `starts[rank]` to `starts[rank + 1]`. */
  constructor(bytes: Uint8Array, starts: Uint32Array) {
    this.#bytes = bytes;
    this.#starts = starts;
    const count = starts.length - 1;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(count * 2)));
    this.#slots.fill(NO_RANK);
    let longest = 0;
    for (let rank = 0; rank < count; rank++) {
      const start = starts[rank]!;
      const end = starts[rank + 1]!;
      longest = Math.max(longest, end - start);
      let slot = this.#firstSlot(bytes, start, end);
      while (this.#slots[slot] !== NO_RANK) {
        slot = this.#slotAfter(slot);
      }
      this.#slots[slot] = rank;
    }
    this.#longest = longest;
  }

  rankOf(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > this.#longest) {
      return NO_RANK;
    }
    let slot = this.#firstSlot(bytes, start, end);
    for (;;) {
      const rank = this.#slots[slot]!;
      if (rank === NO_RANK || this.#isToken(rank, bytes, start, end)) {
        return rank;
      }
      slot = this.#slotAfter(slot);
    }
  }

  #firstSlot(bytes: Uint8Array, start: number, end: number): number {
    let hash = 0;
    for (let index = start; index < end; index++) {
      hash = Math.imul(hash ^ bytes[index]!, 0x5bd1e995);
      hash ^= hash >>> 15;
    }
    return hash & (this.#slots.length - 1);
  }

  #slotAfter(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }

  #isToken(
    rank: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): boolean {
    const own = this.#starts[rank]!;
    if (this.#starts[rank + 1]! - own !== end - start) {
      return false;
    }
    for (let index = start; index < end; index++) {
      if (this.#bytes[own + index - start] !== bytes[index]) {
        return false;
      }
    }
    return true;
  }
}
