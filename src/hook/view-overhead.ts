import { vote } from "./vote.js";

/** Tokens of the list as shown and of the whole history, a reply included. */
export interface ListSizes {
  readonly shown: number;
  readonly history: number;
}

/**
 * What a request holds besides its messages, by the reports on replies; tokens.
 *
 * A history may hold reports on requests that its view never made: another
 * agent's, or those of the time before the view.
 */
export class ViewOverhead {
  readonly #inputWindow: number;
  #tokens: number;
  /** What the newest reports say, at most three. */
  #votes: number[] = [];

  /** @param tokens what is known before any report */
  constructor(inputWindow: number, tokens: number) {
    this.#inputWindow = inputWindow;
    this.#tokens = tokens;
  }

  get tokens(): number {
    return this.#tokens;
  }

  /** Goes by a report on a request whose messages are known: it outweighs every other. */
  takeOwn(overhead: number): void {
    this.#tokens = overhead;
    this.#votes = [overhead, overhead];
  }

  /**
   * Goes by a report where it fits what was shown at least as well as the whole
   * history; before any report was taken, also where that would be no more than
   * 1/4 of the window off. One that is far off the two before it is outvoted.
   */
  take(reported: number, { shown, history }: ListSizes): void {
    const offShown = Math.abs(reported - shown - this.#tokens);
    const offHistory = Math.abs(reported - history - this.#tokens);
    const isPlausible =
      this.#votes.length === 0 && offShown <= this.#inputWindow / 4;
    if (offShown > offHistory && !isPlausible) {
      return;
    }
    const overhead = reported - shown;
    this.#votes = [...this.#votes.slice(-2), overhead];
    this.#tokens = vote(this.#votes, this.#inputWindow);
  }
}
