import type { ViewList } from "./view-list.js";

/** By how much a list grows before it is asked about again. */
const GROWTH = 1 + 1 / 64;

/**
 * How long a list with which nothing could be done is left alone.
 *
 * A pass reads the whole list. A history in which every call is above the
 * trigger and nothing can go would take quadratic time if each call were asked
 * about; so it is asked about again when a person spoke, which frees a turn, or
 * when the list has grown by a 64th. A list of fewer than 64 messages is always
 * asked about.
 */
export class ViewPatience {
  #messages = 0;
  #tokens = 0;

  /** Whether nothing would come of asking now. */
  isNeeded({
    messages,
    tokens,
  }: Pick<ViewList, "messages" | "tokens">): boolean {
    return (
      messages.length <= this.#messages * GROWTH &&
      tokens <= this.#tokens * GROWTH
    );
  }

  /** Nothing came of asking about a list. */
  begin({ messages, tokens }: Pick<ViewList, "messages" | "tokens">): void {
    this.#messages = messages.length;
    this.#tokens = tokens;
  }

  end(): void {
    this.#messages = 0;
    this.#tokens = 0;
  }
}
