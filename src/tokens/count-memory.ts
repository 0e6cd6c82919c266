import type { BaseMessage } from "@langchain/core/messages";
import type { TokenCounterLike } from "./token-counter.js";

/** What was counted of a message, by identity. */
export interface CountedMessage {
  readonly tokens: number;
  readonly content: unknown;
  readonly calls: unknown;
}

/**
 * What a counter said of each message, for as long as the message lives.
 *
 * Keeps no message and no counter alive. A message whose content or tool calls
 * were replaced since is not known any more; an edit deep inside them goes
 * unnoticed.
 */
export class CountMemory {
  readonly #counted = new WeakMap<BaseMessage, CountedMessage>();

  /** The memory of a counter: the same one for everybody who counts with it. */
  static of(counter: TokenCounterLike): CountMemory {
    let memory = memories.get(counter);
    if (memory === undefined) {
      memory = new CountMemory();
      memories.set(counter, memory);
    }
    return memory;
  }

  /** What is known of a message, or `undefined`. */
  get(message: BaseMessage): CountedMessage | undefined {
    const counted = this.#counted.get(message);
    return counted !== undefined &&
      counted.content === message.content &&
      counted.calls === (message as WithCalls).tool_calls
      ? counted
      : undefined;
  }

  set(message: BaseMessage, tokens: number): CountedMessage {
    const { content, tool_calls: calls } = message as WithCalls;
    const counted = { tokens, content, calls };
    this.#counted.set(message, counted);
    return counted;
  }
}

const memories = new WeakMap<TokenCounterLike, CountMemory>();

type WithCalls = BaseMessage & { readonly tool_calls?: unknown };
