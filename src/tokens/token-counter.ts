import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { invalidOption, isClass } from "../options.js";

/**
 * Says how many tokens a message, or a set of tool definitions, takes in a request.
 *
 * Both numbers are whole or fractional tokens, never negative. Counting is
 * additive: a conversation costs the sum of its messages. A message object is
 * counted once, until its content or its tool calls are replaced, so the
 * answer must depend on the message alone.
 */
export interface TokenCounter {
  /** Tokens of one message with everything that is sent of it. */
  countMessage(message: BaseMessage): number;
  /** Tokens of the tool definitions of a request, names and schemas included. */
  countTools(tools: readonly BindToolsInput[]): number;
}

/**
 * A counting function in LangChain's form, as `trimMessages` takes it.
 *
 * It is called with one message at a time.
 */
export type MessagesTokenCounter = (
  messages: BaseMessage[],
) => number | Promise<number>;

/** Whatever is accepted where a counter is: our interface or LangChain's function. */
export type TokenCounterLike = TokenCounter | MessagesTokenCounter;

/** @throws CompactionError `INVALID_OPTION` unless it is a counter, a counting function or absent. */
export function requireTokenCounter(counter: unknown): void {
  const methods = counter as Partial<Record<string, unknown>> | undefined;
  if (
    counter === undefined ||
    (typeof counter === "function" && !isClass(counter)) ||
    (typeof methods?.countMessage === "function" &&
      typeof methods.countTools === "function")
  ) {
    return;
  }
  const isModel = typeof methods?.getNumTokens === "function";
  throw invalidOption(
    "tokenCounter",
    counter,
    `a function of messages or an object with countMessage() and countTools()${
      isModel ? " (a chat model counts over the network)" : ""
    }`,
  );
}
