import type { BaseMessage } from "@langchain/core/messages";
import { CompactionError } from "../errors.js";
import { countMessage } from "./ask-counter.js";
import type { TokenCounter } from "./token-counter.js";

/** Tokens of each message of a list, counted when they are asked for. */
export class MessageCounts {
  readonly #messages: readonly BaseMessage[];
  readonly #counter: TokenCounter;
  /** NaN where a message is not counted yet. */
  readonly #counts: Float64Array;
  #isWhole = false;

  constructor(messages: readonly BaseMessage[], counter: TokenCounter) {
    this.#messages = messages;
    this.#counter = counter;
    this.#counts = new Float64Array(messages.length).fill(Number.NaN);
  }

  /** @throws CompactionError `COUNTER_FAILED` */
  at(index: number): number {
    const known = this.#counts[index]!;
    if (!Number.isNaN(known)) {
      return known;
    }
    const count = countMessage(this.#messages[index]!, this.#counter, index);
    if (typeof count !== "number") {
      throw new CompactionError(
        "COUNTER_FAILED",
        "The token counter's countMessage() returned a promise; only a counting function may answer later.",
      );
    }
    this.#counts[index] = count;
    return count;
  }

  /** @throws CompactionError `COUNTER_FAILED` */
  all(): ArrayLike<number> {
    if (!this.#isWhole) {
      for (let index = 0; index < this.#counts.length; index += 1) {
        this.at(index);
      }
      this.#isWhole = true;
    }
    return this.#counts;
  }
}
