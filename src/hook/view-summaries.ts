import type { SummaryMemory } from "../compactors/summarization/summary-memory.js";

/**
 * The summaries that a view is made of: those that its thread keeps, and those written since.
 *
 * One that was written for a call that failed then is not written again.
 */
export class ViewSummaries implements SummaryMemory {
  readonly #kept: Readonly<Record<string, string>>;
  readonly #written: Map<string, string>;
  readonly #unkept = new Map<string, string>();

  /**
   * @param kept in the thread's state
   * @param written in this process, for this thread
   */
  constructor(
    kept: Readonly<Record<string, string>> = {},
    written: Map<string, string> = new Map(),
  ) {
    this.#kept = kept;
    this.#written = written;
  }

  get(key: string): string | undefined {
    if (Object.hasOwn(this.#kept, key)) {
      return this.#kept[key];
    }
    const summary = this.#written.get(key);
    if (summary !== undefined) {
      this.#unkept.set(key, summary);
    }
    return summary;
  }

  set(key: string, summary: string): void {
    this.#written.set(key, summary);
    this.#unkept.set(key, summary);
  }

  /** For what was shown before: nothing is written for it any more. */
  get ofThePast(): SummaryMemory {
    return { get: (key) => this.get(key) };
  }

  /** What the thread has to keep from now on, or `undefined` where it does already. */
  get toKeep(): Readonly<Record<string, string>> | undefined {
    return this.#unkept.size === 0
      ? undefined
      : { ...this.#kept, ...Object.fromEntries(this.#unkept) };
  }
}
