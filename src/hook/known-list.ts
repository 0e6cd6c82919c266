import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { coerceMessages } from "../conversation/coerce-messages.js";
import { countedMessage } from "../tokens/ask-counter.js";
import type { CountedMessage } from "../tokens/count-memory.js";
import { MeasuredConversation } from "../tokens/measured-conversation.js";
import { untilAborted } from "../until-aborted.js";
import type { TokenCounterLike } from "../tokens/token-counter.js";
import type { Calibration } from "../tokens/calibration.js";
import type { ReportedRequest } from "./counter-factor.js";
import { type RewriteTrace, RewriteTraces } from "./rewrite-trace.js";
import { usageOf } from "./usage.js";
import type { ReportedSize } from "./vote.js";

/** A usage report in a list that was gone over. */
interface KnownReport extends ReportedRequest, ReportedSize {
  readonly index: number;
}

/** A list that was gone over: its messages, what they cost, what was reported and what rewrites left in it. */
export class KnownList {
  readonly messages: BaseMessage[] = [];
  /** Tokens of all messages. */
  total = 0;
  readonly reports: KnownReport[] = [];
  readonly #counted: CountedMessage[] = [];
  readonly #rewrites = new RewriteTraces();

  /** What the newest rewrite left behind, or `undefined` where there was none. */
  get rewrite(): RewriteTrace | undefined {
    return this.#rewrites.newest(this.messages);
  }

  /** Whether another list begins with these messages, contents and tool calls the same objects. */
  isStartOf(given: readonly unknown[]): boolean {
    const { messages } = this;
    const counted = this.#counted;
    if (messages.length > given.length) {
      return false;
    }
    for (let index = 0; index < messages.length; index += 1) {
      const message: WithCalls = messages[index]!;
      const { content, calls } = counted[index]!;
      if (
        message !== given[index] ||
        message.content !== content ||
        (calls !== undefined && message.tool_calls !== calls)
      ) {
        return false;
      }
    }
    return true;
  }

  /**
   * Goes over what another list, which begins with these messages, has more.
   *
   * Done when it returns, unless the counter answers later.
   *
   * @throws CompactionError `INVALID_MESSAGES` or `COUNTER_FAILED`
   */
  goOn(
    given: readonly BaseMessageLike[],
    counter: TokenCounterLike,
    signal: AbortSignal | undefined,
  ): Promise<void> | undefined {
    // A copy: the caller may append to the list before the pass ends.
    const fresh = coerceMessages(given.slice(this.messages.length));
    for (let index = 0; index < fresh.length; index += 1) {
      const message = fresh[index]!;
      const counted = countedMessage(message, counter, this.messages.length);
      if (counted instanceof Promise) {
        return this.#goOnLater(counted, fresh.slice(index), counter, signal);
      }
      this.append(message, counted);
    }
    return undefined;
  }

  append(message: BaseMessage, counted: CountedMessage): void {
    const sentTokens = this.total;
    this.total += counted.tokens;
    this.#rewrites.append(message);
    const usage = usageOf(message);
    if (usage !== undefined) {
      const { tokens, inputTokens, model } = usage;
      this.reports.push({
        index: this.messages.length,
        tokens,
        inputTokens,
        model,
        sentTokens,
        counted: this.total,
        marks: this.#rewrites.marks,
      });
    }
    this.messages.push(message);
    this.#counted.push(counted);
  }

  async #goOnLater(
    first: Promise<CountedMessage>,
    fresh: readonly BaseMessage[],
    counter: TokenCounterLike,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const [slow, ...rest] = fresh;
    this.append(slow!, await untilAborted(first, signal));
    for (const message of rest) {
      const counted = countedMessage(message, counter, this.messages.length);
      this.append(
        message,
        counted instanceof Promise
          ? await untilAborted(counted, signal)
          : counted,
      );
    }
  }

  /** The list inside a request. */
  measured(
    counter: TokenCounterLike,
    calibration: Calibration,
  ): MeasuredConversation {
    const counts = this.#counted.map(({ tokens }) => tokens);
    return new MeasuredConversation(
      this.messages,
      counts,
      counter,
      calibration,
    );
  }
}

/**
 * The list that each thread had when it was gone over last, so that a call pays only for what is new.
 *
 * It saves time and decides nothing: a list that does not go on from a known
 * one is gone over anew. A list is kept for as long as its second message
 * lives, by which a thread is known.
 */
export class KnownLists {
  readonly #ofThread = new WeakMap<BaseMessage, KeptList>();

  /** The lists that were counted by a counter. */
  static of(counter: TokenCounterLike): KnownLists {
    let lists = listsOf.get(counter);
    if (lists === undefined) {
      lists = new KnownLists();
      listsOf.set(counter, lists);
    }
    return lists;
  }

  /** The list that this one goes on from, or an empty one; nobody else gets it until it is kept again. */
  take(given: readonly BaseMessageLike[]): KnownList {
    const kept = this.#ofThread.get(threadOf(given));
    const list = kept?.list;
    if (kept === undefined || list === undefined) {
      return new KnownList();
    }
    kept.list = undefined;
    return list.isStartOf(given) ? list : new KnownList();
  }

  keep(list: KnownList): void {
    const thread = threadOf(list.messages);
    const kept = this.#ofThread.get(thread);
    if (kept === undefined) {
      this.#ofThread.set(thread, { list });
    } else {
      kept.list = list;
    }
  }
}

/** Changed in place: to set an entry of a `WeakMap` costs as much as counting a message. */
interface KeptList {
  /** Absent while somebody works with it. */
  list: KnownList | undefined;
}

const listsOf = new WeakMap<TokenCounterLike, KnownLists>();

/**
 * The message by which a thread is known.
 *
 * The second, since the first may be a system message that all threads share.
 */
export function threadOf(list: readonly unknown[]): BaseMessage {
  return (list[1] ?? list[0]) as BaseMessage;
}

type WithCalls = BaseMessage & { readonly tool_calls?: unknown };
