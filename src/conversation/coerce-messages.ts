import {
  type BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  HumanMessage,
  mapStoredMessageToChatMessage,
  type StoredMessage,
} from "@langchain/core/messages";
import type { BasePromptValueInterface } from "@langchain/core/prompt_values";
import { CompactionError } from "../errors.js";
import { show } from "../options.js";
import { isMessage } from "./message.js";

/**
 * The messages in whatever LCEL hands over: messages, message-likes, a prompt value, a string.
 *
 * Messages come back as the same objects. A list that holds nothing but
 * messages comes back as it is.
 *
 * @param known how many at the beginning are known to be messages
 * @throws CompactionError `INVALID_MESSAGES` that names the place.
 */
export function coerceMessages(
  input: string | BasePromptValueInterface | readonly BaseMessageLike[],
  known = 0,
): readonly BaseMessage[] {
  if (typeof input === "string") {
    return [new HumanMessage(input)];
  }
  if (Array.isArray(input)) {
    // These look at holes too, which every() and map() pass over.
    return input.slice(known).findIndex((one) => !isMessage(one)) < 0
      ? input
      : Array.from(input, coerceMessage);
  }
  if (
    typeof input === "object" &&
    input !== null &&
    "toChatMessages" in input &&
    typeof input.toChatMessages === "function"
  ) {
    return input.toChatMessages();
  }
  const isState = Array.isArray((input as { messages?: unknown })?.messages);
  throw new CompactionError(
    "INVALID_MESSAGES",
    `Expected messages, a prompt value or a string, got ${show(input)}.${
      isState
        ? " As a node of a graph use a CompactionHook, which takes the state."
        : ""
    }`,
  );
}

/** @throws CompactionError `INVALID_MESSAGES` for the first entry that is no message. */
export function requireMessages(
  messages: unknown,
): asserts messages is BaseMessage[] {
  requireList(messages);
  const wrong = messages.findIndex((message) => !isMessage(message));
  if (wrong >= 0) {
    throw notAMessage(messages[wrong], wrong, "a message of @langchain/core");
  }
}

/**
 * The messages of a list of messages and message-likes; a list of messages alone comes back as it is.
 *
 * @throws CompactionError `INVALID_MESSAGES`
 */
export function readMessages(messages: unknown): readonly BaseMessage[] {
  requireList(messages);
  return coerceMessages(messages as readonly BaseMessageLike[]);
}

/** @throws CompactionError `INVALID_MESSAGES` for anything but an array; its entries are not looked at. */
export function requireList(
  messages: unknown,
): asserts messages is readonly unknown[] {
  if (!Array.isArray(messages)) {
    throw new CompactionError(
      "INVALID_MESSAGES",
      `Expected an array of messages, got ${show(messages)}.`,
    );
  }
}

function coerceMessage(value: BaseMessageLike, index: number): BaseMessage {
  if (isMessage(value)) {
    return value;
  }
  try {
    if (isStored(value)) {
      return mapStoredMessageToChatMessage(value);
    }
    return coerceMessageLikeToMessage(withoutChunkType(value));
  } catch (cause) {
    throw notAMessage(
      value,
      index,
      'a message of @langchain/core or one of its forms, such as { role: "user", content: "…" }',
      cause,
    );
  }
}

/** `toDict()`'s form, which core's own coercion turns into an empty message. */
function isStored(value: unknown): value is StoredMessage {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown };
  return typeof type === "string" && typeof data === "object" && data !== null;
}

/** Chunks as Python's servers write them: the role is the class name's beginning. */
function withoutChunkType(value: BaseMessageLike): BaseMessageLike {
  const { type } = (value ?? {}) as { type?: unknown };
  const role =
    typeof type === "string"
      ? /^(AI|Human|System|Tool)Message(?:Chunk)?$/.exec(type)?.[1]
      : undefined;
  return role === undefined
    ? value
    : ({ ...(value as object), type: role.toLowerCase() } as BaseMessageLike);
}

function notAMessage(
  value: unknown,
  index: number,
  expected: string,
  cause?: unknown,
): CompactionError {
  return new CompactionError(
    "INVALID_MESSAGES",
    `Entry ${index} of the messages is no message: ${show(value)}. Expected ${expected}.`,
    { cause },
  );
}
