import type { BaseMessage } from "@langchain/core/messages";
import type { TokenCounterLike } from "./token-counter.js";

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

  /** Tokens of a message, or `undefined` where they are not known. */
  get(message: BaseMessage): number | undefined {
    const counted = this.#counted.get(message);
    return counted !== undefined &&
      counted.content === message.content &&
      counted.calls === (message as WithCalls).tool_calls
      ? counted.tokens
      : undefined;
  }

  set(message: BaseMessage, tokens: number): void {
    const { content, tool_calls: calls } = message as WithCalls;
    this.#counted.set(
      message,
      calls === undefined ? { content, tokens } : { content, tokens, calls },
    );
  }
}

const memories = new WeakMap<TokenCounterLike, CountMemory>();

/** What was counted, by identity. Fields that are not there take no memory. */
interface CountedMessage {
  readonly content: unknown;
  readonly tokens: number;
  readonly calls?: unknown;
}

type WithCalls = BaseMessage & { readonly tool_calls?: unknown };
