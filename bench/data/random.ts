/** Numbers that are the same on each run. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Between 0 and 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    const state = this.#state;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number below a limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<Value>(values: readonly Value[] | string): Value {
    return values[this.below(values.length)] as Value;
  }

  /** A size: half are below the median, a few are many times as large. */
  lognormal(median: number, sigma: number): number {
    const normal =
      Math.sqrt(-2 * Math.log(1 - this.next())) *
      Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(sigma * normal);
  }
}
