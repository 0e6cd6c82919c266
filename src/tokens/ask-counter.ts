import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { CompactionError } from "../errors.js";
import { show } from "../options.js";
import { type CountedMessage, CountMemory } from "./count-memory.js";
import { defaultTokenCounter } from "./default-counter.js";
import type { TokenCounterLike } from "./token-counter.js";

/**
 * Tokens of the tool definitions of a request.
 *
 * @throws CompactionError `COUNTER_FAILED`
 */
export function countToolDefinitions(
  tools: readonly BindToolsInput[],
  counter: TokenCounterLike,
): number {
  let count: number;
  try {
    // A counting function knows messages only.
    count = (
      typeof counter === "function" ? defaultTokenCounter : counter
    ).countTools(tools);
  } catch (cause) {
    throw counterThrew("the tools", cause);
  }
  if (!isTokens(count)) {
    throw invalidCount(count, "the tools");
  }
  return count;
}

/**
 * Tokens of one message, counted where that was not done before; `index` is only for the error's text.
 *
 * @throws CompactionError `COUNTER_FAILED` where the counter throws or returns
 *   anything but a number of tokens that is 0 or more.
 */
export function countMessage(
  message: BaseMessage,
  counter: TokenCounterLike,
  index?: number,
): number | Promise<number> {
  const counted = countedMessage(message, counter, index);
  return counted instanceof Promise
    ? counted.then(({ tokens }) => tokens)
    : counted.tokens;
}

/**
 * A message with its tokens, counted where that was not done before.
 *
 * @throws CompactionError `COUNTER_FAILED`, as `countMessage` does
 */
export function countedMessage(
  message: BaseMessage,
  counter: TokenCounterLike,
  index?: number,
): CountedMessage | Promise<CountedMessage> {
  const memory = CountMemory.of(counter);
  return memory.get(message) ?? countAnew(message, counter, memory, index);
}

function countAnew(
  message: BaseMessage,
  counter: TokenCounterLike,
  memory: CountMemory,
  index: number | undefined,
): CountedMessage | Promise<CountedMessage> {
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
    return memory.set(message, count);
  }
  if (typeof count === "number") {
    throw invalidCount(count, nameOf(message, index));
  }
  return Promise.resolve(count).then(
    (settled) => {
      if (!isTokens(settled)) {
        throw invalidCount(settled, nameOf(message, index));
      }
      return memory.set(message, settled);
    },
    (cause: unknown) => {
      throw counterThrew(nameOf(message, index), cause);
    },
  );
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
