import type { BaseMessage } from "@langchain/core/messages";
import { type Condition, triggerHolds } from "../conditions/condition.js";
import { roleOf } from "../conversation/message.js";
import { callsOf } from "../conversation/tool-calls.js";
import type { ConversationMetrics } from "../tokens/metrics.js";
import { tokenThreshold } from "./size-up.js";

/** Sizes that are known without reading a list's anatomy, and a way to read the others. */
export interface GrowingSizes {
  readonly tokens: number;
  readonly messages: number;
  readonly read: () => ConversationMetrics;
}

/**
 * Tells whether compaction is due for a list that grows, message by message.
 *
 * The list's anatomy is read only where a size could have reached the trigger,
 * since a message adds at most one to each and its calls to theirs, and where a
 * predicate asks for more than tokens and messages.
 */
export class ViewTrigger {
  readonly #compactAt: Condition;
  readonly #inputWindow: number;
  readonly #threshold: number | undefined;
  readonly #hasPredicate: boolean;
  /** As last read, with the most that can have come since. */
  #atMost: Anatomical = { turns: 0, steps: 0, groups: 0, toolCalls: 0 };

  constructor(compactAt: Condition, inputWindow: number) {
    this.#compactAt = compactAt;
    this.#inputWindow = inputWindow;
    this.#threshold = tokenThreshold(compactAt, inputWindow);
    this.#hasPredicate = [compactAt]
      .flat()
      .some((entry) => typeof entry === "function");
  }

  /** Takes a message that was appended into account. */
  push(message: BaseMessage): void {
    if (this.#threshold !== undefined || this.#hasPredicate) {
      return;
    }
    const role = roleOf(message);
    const { valid, invalid } = role === "ai" ? callsOf(message) : NO_CALLS;
    const { turns, steps, groups, toolCalls } = this.#atMost;
    this.#atMost = {
      turns: turns + (role === "human" ? 1 : 0),
      steps: steps + (role === "ai" ? 1 : 0),
      groups: groups + 1,
      toolCalls: toolCalls + valid.length + invalid.length,
    };
  }

  /** Forgets the sizes: the list is another one now. */
  reset(): void {
    this.#atMost = UNKNOWN;
  }

  isDue({ tokens, messages, read }: GrowingSizes): boolean {
    if (this.#threshold !== undefined) {
      return tokens >= this.#threshold;
    }
    const isPossible =
      this.#hasPredicate || this.#holds({ tokens, messages, ...this.#atMost });
    return (
      isPossible &&
      this.#holds(
        new SizesOnDemand(tokens, messages, () => {
          const { turns, steps, groups, toolCalls } = read();
          this.#atMost = { turns, steps, groups, toolCalls };
          return this.#atMost;
        }),
      )
    );
  }

  #holds(sizes: ConversationMetrics): boolean {
    return triggerHolds(this.#compactAt, sizes, this.#inputWindow);
  }
}

type Anatomical = Omit<ConversationMetrics, "tokens" | "messages">;

const NO_CALLS = { valid: [], invalid: [] };

const UNKNOWN: Anatomical = {
  turns: Infinity,
  steps: Infinity,
  groups: Infinity,
  toolCalls: Infinity,
};

class SizesOnDemand implements ConversationMetrics {
  readonly tokens: number;
  readonly messages: number;
  readonly #read: () => Anatomical;
  #known: Anatomical | undefined;

  constructor(tokens: number, messages: number, read: () => Anatomical) {
    this.tokens = tokens;
    this.messages = messages;
    this.#read = read;
  }

  get turns(): number {
    return this.#anatomy.turns;
  }

  get steps(): number {
    return this.#anatomy.steps;
  }

  get groups(): number {
    return this.#anatomy.groups;
  }

  get toolCalls(): number {
    return this.#anatomy.toolCalls;
  }

  get #anatomy(): Anatomical {
    return (this.#known ??= this.#read());
  }
}
