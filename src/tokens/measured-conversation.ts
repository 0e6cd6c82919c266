import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import {
  type Conversation,
  readConversation,
} from "../conversation/anatomy.js";
import { CompactionError } from "../errors.js";
import { show } from "../options.js";
import { CountMemory } from "./count-memory.js";
import { RunningMetrics } from "./metrics.js";
import type { TokenCounter, TokenCounterLike } from "./token-counter.js";

/**
 * A list of messages with the tokens of each, counted once.
 *
 * The anatomy is read when it is first asked for.
 */
export class MeasuredConversation {
  readonly messages: readonly BaseMessage[];
  /** Tokens of each message, in order. */
  readonly counts: ArrayLike<number>;
  /** Tokens of all messages. */
  readonly total: number;
  /** Tokens of the request that are no messages of the list; metrics include them. */
  readonly overheadTokens: number;
  readonly counter: TokenCounterLike;
  #conversation: Conversation | undefined;

  constructor(
    messages: readonly BaseMessage[],
    counts: ArrayLike<number>,
    counter: TokenCounterLike,
    overheadTokens = 0,
  ) {
    this.messages = messages;
    this.counts = counts;
    this.counter = counter;
    this.overheadTokens = overheadTokens;
    let total = 0;
    for (let index = 0; index < counts.length; index += 1) {
      total += counts[index]!;
    }
    this.total = total;
  }

  get conversation(): Conversation {
    return (this.#conversation ??= readConversation(this.messages));
  }

  /** The sizes, which may be run down message by message. */
  metrics(): RunningMetrics {
    return new RunningMetrics(
      this.conversation,
      this.counts,
      this.total + this.overheadTokens,
    );
  }

  /** The same conversation inside a request of which so many tokens are something else. */
  withOverhead(overheadTokens: number): MeasuredConversation {
    const measured = new MeasuredConversation(
      this.messages,
      this.counts,
      this.counter,
      overheadTokens,
    );
    measured.#conversation = this.#conversation;
    return measured;
  }

  /** Another list measured by the same counter, inside the same request. */
  remeasure(
    messages: readonly BaseMessage[],
    signal?: AbortSignal,
  ): MeasuredConversation | Promise<MeasuredConversation> {
    if (isSameList(messages, this.messages)) {
      return this;
    }
    const measured = measure(messages, this.counter, signal);
    return measured instanceof Promise
      ? measured.then((other) => other.withOverhead(this.overheadTokens))
      : measured.withOverhead(this.overheadTokens);
  }
}

/**
 * Counts every message of a list that was not counted before.
 *
 * Stays synchronous while the counter does.
 *
 * @throws CompactionError `COUNTER_FAILED` where the counter throws or
 *   returns anything but a number of tokens that is 0 or more; the reason of
 *   `signal` where that is aborted while a counter is waited for.
 */
export function measure(
  messages: readonly BaseMessage[],
  counter: TokenCounterLike,
  signal?: AbortSignal,
): MeasuredConversation | Promise<MeasuredConversation> {
  const memory = CountMemory.of(counter);
  const counts = new Float64Array(messages.length);
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index]!;
    const count =
      memory.get(message) ?? countAnew(message, counter, memory, index);
    if (typeof count !== "number") {
      return finish(messages, counter, counts, index, count, signal);
    }
    counts[index] = count;
  }
  return new MeasuredConversation(messages, counts, counter);
}

/**
 * Tokens of the tool definitions of a request.
 *
 * @throws CompactionError `COUNTER_FAILED`
 */
export function countToolDefinitions(
  tools: readonly BindToolsInput[],
  counter: TokenCounter,
): number {
  let count: number;
  try {
    count = counter.countTools(tools);
  } catch (cause) {
    throw counterThrew("the tools", cause);
  }
  if (!isTokens(count)) {
    throw invalidCount(count, "the tools");
  }
  return count;
}

/** Tokens of one message; `index` is only for the error's text. */
export function countMessage(
  message: BaseMessage,
  counter: TokenCounterLike,
  index?: number,
): number | Promise<number> {
  const memory = CountMemory.of(counter);
  return memory.get(message) ?? countAnew(message, counter, memory, index);
}

function countAnew(
  message: BaseMessage,
  counter: TokenCounterLike,
  memory: CountMemory,
  index: number | undefined,
): number | Promise<number> {
  let count: number | Promise<number>;
  try {
    count =
      typeof counter === "function"
        ? counter([message])
        : counter.countMessage(message);
  } catch (cause) {
    throw counterThrew(nameOf(message, index), cause);
  }
  if (isTokens(count)) {
    memory.set(message, count);
    return count;
  }
  if (typeof count === "number") {
    throw invalidCount(count, nameOf(message, index));
  }
  return Promise.resolve(count).then(
    (settled) => {
      if (!isTokens(settled)) {
        throw invalidCount(settled, nameOf(message, index));
      }
      memory.set(message, settled);
      return settled;
    },
    (cause: unknown) => {
      throw counterThrew(nameOf(message, index), cause);
    },
  );
}

function isSameList(
  left: readonly BaseMessage[],
  right: readonly BaseMessage[],
): boolean {
  return (
    left === right ||
    (left.length === right.length &&
      left.every((message, index) => message === right[index]))
  );
}

async function finish(
  messages: readonly BaseMessage[],
  counter: TokenCounterLike,
  counts: Float64Array,
  from: number,
  first: Promise<number>,
  signal: AbortSignal | undefined,
): Promise<MeasuredConversation> {
  counts[from] = await untilAborted(first, signal);
  for (let index = from + 1; index < messages.length; index += 1) {
    const message = messages[index]!;
    const count = countMessage(message, counter, index);
    counts[index] =
      typeof count === "number" ? count : await untilAborted(count, signal);
  }
  return new MeasuredConversation(messages, counts, counter);
}

/** A promise, given up when the signal aborts: a counter may never settle. */
export async function untilAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) {
    return promise;
  }
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) {
      stop();
    } else {
      signal.addEventListener("abort", stop, { once: true });
    }
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop!);
  }
}

function isTokens(count: unknown): count is number {
  return typeof count === "number" && Number.isFinite(count) && count >= 0;
}

function invalidCount(count: unknown, what: string): CompactionError {
  return new CompactionError(
    "COUNTER_FAILED",
    `The token counter returned ${show(count)} for ${what}; it must return a number of tokens, 0 or more.`,
  );
}

function counterThrew(what: string, cause: unknown): CompactionError {
  return CompactionError.isInstance(cause)
    ? cause
    : new CompactionError(
        "COUNTER_FAILED",
        `The token counter failed on ${what}: ${cause instanceof Error ? cause.message : show(cause)}`,
        { cause },
      );
}

function nameOf(message: BaseMessage, index: number | undefined): string {
  const place = index === undefined ? "a message" : `message ${index}`;
  return message.id === undefined ? place : `${place} (id ${show(message.id)})`;
}
