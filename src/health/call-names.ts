import type { HealthView } from "./health-view.js";

const MAX_LENGTH = 40;

/** Ids that no call of the conversation has yet. */
export class CallNames {
  readonly #taken: Set<string | undefined>;

  constructor(view: HealthView) {
    this.#taken = new Set([
      ...view.calls.flat().map(({ id }) => id),
      ...view.answers.map(({ id }) => id),
    ]);
  }

  /** The wished id, numbered where it is taken. */
  fresh(wish: string): string {
    const base = plainCallId(wish);
    let id = base;
    for (let n = 2; this.#taken.has(id); n += 1) {
      const ending = `_${n}`;
      id = `${base.slice(0, MAX_LENGTH - ending.length)}${ending}`;
    }
    this.#taken.add(id);
    return id;
  }
}

/** An id in letters that every provider takes; the end of a long one tells most. */
export function plainCallId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(-MAX_LENGTH);
}
