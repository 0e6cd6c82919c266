/**
 * Remembers the counts of the texts that were asked for last.
 *
 * Holds texts of at most `units` UTF-16 units together. Two generations make it
 * forget: when the newer is half the size it becomes the older one, and what
 * nobody asked for since then is dropped.
 */
export class CountCache {
  readonly #unitsOfGeneration: number;
  #newer = new Map<string, number>();
  #older = new Map<string, number>();
  #newerUnits = 0;

  constructor(units: number) {
    this.#unitsOfGeneration = units / 2;
  }

  /** The count of a text: the one that is remembered, else what `count` says. */
  countOf(text: string, count: (text: string) => number): number {
    if (text.length < SHORTEST_UNITS) {
      return count(text);
    }
    let known = this.get(text);
    if (known === undefined) {
      known = count(text);
      this.set(text, known);
    }
    return known;
  }

  get(text: string): number | undefined {
    const count = this.#newer.get(text);
    if (count !== undefined) {
      return count;
    }
    const older = this.#older.get(text);
    if (older !== undefined) {
      this.set(text, older);
    }
    return older;
  }

  set(text: string, count: number): void {
    if (text.length > this.#unitsOfGeneration) {
      return;
    }
    if (this.#newerUnits + text.length > this.#unitsOfGeneration) {
      this.#older = this.#newer;
      this.#newer = new Map();
      this.#newerUnits = 0;
    }
    this.#newer.set(copyOf(text), count);
    this.#newerUnits += text.length;
  }
}

// Shorter texts are counted about as fast as they are looked up.
const SHORTEST_UNITS = 256;

// A text cut from a longer one keeps the longer one in memory; one cut from a
// new text keeps that one only.
function copyOf(text: string): string {
  return ` ${text}`.slice(1);
}
