import type { SummaryMemory } from "../compactors/summarization/summary-memory.js";

/**
 * The summaries that a view is made of: those that its thread keeps, and those written since.
 *
 * One that was written for a call that failed then is not written again.
 */
export class ViewSummaries implements SummaryMemory {
  readonly #kept: Readonly<Record<string, string>>;
  readonly #writtenFor: () => Map<string, string>;
  #unkept: Map<string, string> | undefined;

  /**
   * @param kept in the thread's state
   * @param writtenFor gives those written in this process, for this thread
   */
  constructor(
    kept: Readonly<Record<string, string>> | undefined,
    writtenFor: () => Map<string, string>,
  ) {
    this.#kept = kept ?? {};
    this.#writtenFor = writtenFor;
  }

  get(key: string): string | undefined {
    if (Object.hasOwn(this.#kept, key)) {
      return this.#kept[key];
    }
    const summary = this.#writtenFor().get(key);
    if (summary !== undefined) {
      this.#leave(key, summary);
    }
    return summary;
  }

  set(key: string, summary: string): void {
    this.#writtenFor().set(key, summary);
    this.#leave(key, summary);
  }

  /** For what was shown before: nothing is written for it any more. */
  get ofThePast(): SummaryMemory {
    return { get: (key) => this.get(key) };
  }

  /** What the thread has to keep from now on, or `undefined` where it does already. */
  get toKeep(): Readonly<Record<string, string>> | undefined {
    return this.#unkept === undefined
      ? undefined
      : { ...this.#kept, ...Object.fromEntries(this.#unkept) };
  }

  #leave(key: string, summary: string): void {
    this.#unkept ??= new Map();
    this.#unkept.set(key, summary);
  }
}
