import type { Conversation } from "../conversation/anatomy.js";
import { turnNumbers } from "../conversation/groups.js";

/** The sizes of a conversation that conditions read. */
export interface ConversationMetrics {
  /** Tokens by the counter in use; in a hook, of the whole request. */
  readonly tokens: number;
  readonly messages: number;
  /** Turns that still have a message other than system messages. */
  readonly turns: number;
  readonly steps: number;
  /** A step is one group, and so is each message in no step (Microsoft Agent Framework). */
  readonly groups: number;
  /** Tool calls, answered or not. */
  readonly toolCalls: number;
}

/**
 * The metrics of a conversation while messages go from it, at constant cost a message.
 *
 * Asking costs nothing, so a condition may be asked after every removal.
 */
export class RunningMetrics implements ConversationMetrics {
  tokens: number;
  messages: number;
  turns = 0;
  steps: number;
  groups: number;
  toolCalls = 0;
  readonly #conversation: Conversation;
  readonly #counts: ArrayLike<number>;
  readonly #counterFactor: number;
  readonly #turnOf: Int32Array;
  readonly #leftInTurn: Int32Array;
  readonly #leftInStep: Int32Array;

  /**
   * @param counts tokens of each message, as counted
   * @param tokens of the whole request
   * @param counterFactor true tokens for one that was counted
   */
  constructor(
    conversation: Conversation,
    counts: ArrayLike<number>,
    tokens: number,
    counterFactor = 1,
  ) {
    const { messages, roles, callCounts, stepOf, stepStarts, turnStarts } =
      conversation;
    this.#conversation = conversation;
    this.#counts = counts;
    this.#counterFactor = counterFactor;
    this.#turnOf = turnNumbers(conversation);
    this.#leftInTurn = new Int32Array(turnStarts.length + 1);
    this.#leftInStep = new Int32Array(stepStarts.length);
    this.tokens = tokens;
    this.messages = messages.length;
    this.steps = stepStarts.length;
    this.groups = stepStarts.length;
    for (let index = 0; index < messages.length; index += 1) {
      const step = stepOf[index]!;
      if (step < 0) {
        this.groups += 1;
      } else {
        this.#leftInStep[step]! += 1;
      }
      this.#leftInTurn[this.#turnOf[index]!]! +=
        roles[index] === "system" ? 0 : 1;
      this.toolCalls += callCounts[index]!;
    }
    for (let turn = 1; turn < this.#leftInTurn.length; turn += 1) {
      this.turns += this.#leftInTurn[turn]! > 0 ? 1 : 0;
    }
  }

  /** Takes one message of the conversation out of the sizes. */
  remove(index: number): void {
    const { roles, callCounts, stepOf } = this.#conversation;
    this.tokens -= this.#counterFactor * this.#counts[index]!;
    this.messages -= 1;
    const step = stepOf[index]!;
    if (step < 0) {
      this.groups -= 1;
    } else {
      this.#leftInStep[step]! -= 1;
      if (this.#leftInStep[step] === 0) {
        this.groups -= 1;
        this.steps -= 1;
      }
    }
    if (roles[index] !== "system") {
      const turn = this.#turnOf[index]!;
      this.#leftInTurn[turn]! -= 1;
      if (turn > 0 && this.#leftInTurn[turn] === 0) {
        this.turns -= 1;
      }
    }
    this.toolCalls -= callCounts[index]!;
  }

  /** Takes so many tokens out of a message that stays. */
  shrink(tokens: number): void {
    this.tokens -= this.#counterFactor * tokens;
  }

  /** Takes a message of ours, a note say, into the sizes; one from the model is a step. */
  add(tokens: number, isStep = false): void {
    this.tokens += this.#counterFactor * tokens;
    this.messages += 1;
    this.groups += 1;
    this.steps += isStep ? 1 : 0;
  }
}
