import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { coerceMessages } from "../conversation/coerce-messages.js";
import { measure } from "../tokens/measured-conversation.js";
import type { TokenCounterLike } from "../tokens/token-counter.js";
import { RewriteTraces } from "./rewrite-trace.js";

/** A list that was gone over: its messages, what they cost and what rewrites left in it. */
export class KnownList {
  readonly messages: BaseMessage[] = [];
  /** Tokens of each message, in order. */
  readonly counts: number[] = [];
  /** Tokens of all messages. */
  total = 0;
  readonly rewrites = new RewriteTraces();
  readonly #contents: unknown[] = [];
  readonly #calls: unknown[] = [];

  /** Whether another list begins with these messages, contents and tool calls the same objects. */
  isStartOf(given: readonly unknown[]): boolean {
    if (this.messages.length > given.length) {
      return false;
    }
    for (let index = 0; index < this.messages.length; index += 1) {
      const message = this.messages[index]! as WithCalls;
      if (
        message !== given[index] ||
        message.content !== this.#contents[index] ||
        message.tool_calls !== this.#calls[index]
      ) {
        return false;
      }
    }
    return true;
  }

  append(messages: readonly BaseMessage[], counts: ArrayLike<number>): void {
    for (let index = 0; index < messages.length; index += 1) {
      const message = messages[index]! as WithCalls;
      this.messages.push(message);
      this.counts.push(counts[index]!);
      this.total += counts[index]!;
      this.rewrites.append(message);
      this.#contents.push(message.content);
      this.#calls.push(message.tool_calls);
    }
  }
}

/**
 * The list that each thread had when it was gone over last, so that a call pays only for what is new.
 *
 * It saves time and decides nothing: a list that does not go on from a known
 * one is gone over anew. A list is kept for as long as its newest message
 * lives.
 */
export class KnownLists {
  readonly #byNewest = new WeakMap<BaseMessage, KnownList>();

  /** The lists that were counted by a counter. */
  static of(counter: TokenCounterLike): KnownLists {
    let lists = listsOf.get(counter);
    if (lists === undefined) {
      lists = new KnownLists();
      listsOf.set(counter, lists);
    }
    return lists;
  }

  /** @throws CompactionError `INVALID_MESSAGES` or `COUNTER_FAILED` */
  async read(
    given: readonly BaseMessageLike[],
    counter: TokenCounterLike,
    signal: AbortSignal | undefined,
  ): Promise<KnownList> {
    const list = this.#take(given);
    // A copy: the caller may append to the list before the pass ends.
    const fresh = coerceMessages(given.slice(list.messages.length));
    const measured = measure(fresh, counter, signal);
    const { counts } = measured instanceof Promise ? await measured : measured;
    list.append(fresh, counts);
    return list;
  }

  keep(list: KnownList): void {
    const newest = list.messages.at(-1);
    if (newest !== undefined) {
      this.#byNewest.set(newest, list);
    }
  }

  /** The list that this one goes on from, or an empty one; nobody else gets it meanwhile. */
  #take(given: readonly BaseMessageLike[]): KnownList {
    for (let index = given.length - 1; index >= 0; index -= 1) {
      const newest = given[index] as BaseMessage;
      const known = this.#byNewest.get(newest);
      if (known !== undefined) {
        this.#byNewest.delete(newest);
        return known.isStartOf(given) ? known : new KnownList();
      }
    }
    return new KnownList();
  }
}

const listsOf = new WeakMap<TokenCounterLike, KnownLists>();

type WithCalls = BaseMessage & { readonly tool_calls?: unknown };
