import type { BaseMessage } from "@langchain/core/messages";
import {
  type Conversation,
  readConversation,
} from "../conversation/anatomy.js";
import { countMessage } from "./ask-counter.js";
import {
  type Calibration,
  requestTokens,
  UNCALIBRATED,
} from "./calibration.js";
import { MessageCounts } from "./message-counts.js";
import { RunningMetrics } from "./metrics.js";
import type { TokenCounterLike } from "./token-counter.js";
import { untilAborted } from "../until-aborted.js";

/**
 * A list of messages with the tokens of each, counted once.
 *
 * The anatomy is read when it is first asked for, and where the counter answers
 * at once a message is counted when its tokens are. What is asked may throw
 * CompactionError `COUNTER_FAILED` then.
 */
export class MeasuredConversation {
  readonly messages: readonly BaseMessage[];
  /** What the request takes, by these counts; metrics go by it. */
  readonly calibration: Calibration;
  readonly counter: TokenCounterLike;
  readonly #counts: MessageCounts | ArrayLike<number>;
  #total: number | undefined;
  #conversation: Conversation | undefined;

  constructor(
    messages: readonly BaseMessage[],
    counts: MessageCounts | ArrayLike<number>,
    counter: TokenCounterLike,
    calibration: Calibration = UNCALIBRATED,
  ) {
    this.messages = messages;
    this.counter = counter;
    this.calibration = calibration;
    this.#counts = counts;
  }

  /** Tokens of one message. */
  countAt(index: number): number {
    return this.#counts instanceof MessageCounts
      ? this.#counts.at(index)
      : this.#counts[index]!;
  }

  /** Tokens of each message, in order. */
  get counts(): ArrayLike<number> {
    return this.#counts instanceof MessageCounts
      ? this.#counts.all()
      : this.#counts;
  }

  /** Tokens of all messages. */
  get total(): number {
    return (this.#total ??= sum(this.counts));
  }

  /** Tokens of the whole request. */
  get requestTokens(): number {
    return requestTokens(this.calibration, this.total);
  }

  /** Whether all messages together cost more than so many tokens: no more is counted than that takes, the newest first. */
  exceeds(tokens: number): boolean {
    let newest = 0;
    for (let index = this.messages.length - 1; index >= 0; index -= 1) {
      newest += this.countAt(index);
      if (newest > tokens) {
        return true;
      }
    }
    return false;
  }

  get conversation(): Conversation {
    return (this.#conversation ??= readConversation(this.messages));
  }

  /** The sizes, which may be run down message by message. */
  metrics(): RunningMetrics {
    return new RunningMetrics(
      this.conversation,
      this.counts,
      this.requestTokens,
      this.calibration.counterFactor,
    );
  }

  /** The same conversation inside a request. */
  calibratedBy(calibration: Calibration): MeasuredConversation {
    const measured = new MeasuredConversation(
      this.messages,
      this.#counts,
      this.counter,
      calibration,
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
      ? measured.then((other) => other.calibratedBy(this.calibration))
      : measured.calibratedBy(this.calibration);
  }
}

/**
 * Measures a list: a counting function, which may answer later, is asked for every message at once.
 *
 * Stays synchronous while the counter does. No message is counted twice in the process.
 *
 * @throws CompactionError `COUNTER_FAILED` where the counting function throws or
 *   returns anything but a number of tokens that is 0 or more; the reason of
 *   `signal` where that is aborted while it is waited for.
 */
export function measure(
  messages: readonly BaseMessage[],
  counter: TokenCounterLike,
  signal?: AbortSignal,
): MeasuredConversation | Promise<MeasuredConversation> {
  if (typeof counter !== "function") {
    const counts = new MessageCounts(messages, counter);
    return new MeasuredConversation(messages, counts, counter);
  }
  const counts = new Float64Array(messages.length);
  for (let index = 0; index < messages.length; index += 1) {
    const count = countMessage(messages[index]!, counter, index);
    if (typeof count !== "number") {
      return finish(messages, counter, counts, index, count, signal);
    }
    counts[index] = count;
  }
  return new MeasuredConversation(messages, counts, counter);
}

function sum(counts: ArrayLike<number>): number {
  let total = 0;
  for (let index = 0; index < counts.length; index += 1) {
    total += counts[index]!;
  }
  return total;
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
