import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { CompactionError } from "../errors.js";
import { show } from "../options.js";
import { REMOVE_ALL_MESSAGES } from "../conversation/rewrite-update.js";

/** What a hook takes: the state of a graph, or any object that holds the messages. */
export type HookState = Record<string, unknown>;

/**
 * What a hook returns: an update of the messages' key, or nothing to update;
 * in `mode: "view"` what the model is to see.
 */
export type HookUpdate<K extends string = "messages"> = {
  [Key in K]?: BaseMessage[];
} & { llmInputMessages?: BaseMessage[] };

/**
 * The messages of a graph's state, not looked at yet.
 *
 * @throws CompactionError `INVALID_STATE` that names the state's keys, where
 *   the key is not there or holds no list.
 */
export function messagesIn(
  state: Readonly<Record<string, unknown>>,
  key: string,
): readonly BaseMessageLike[] {
  if (Array.isArray(state)) {
    throw new CompactionError(
      "INVALID_STATE",
      `invoke() takes the state, such as { ${key}: […] }, got ${show(state)}. For a list of messages use compact(messages).`,
    );
  }
  const value = state?.[key];
  if (!Array.isArray(value)) {
    throw new CompactionError(
      "INVALID_STATE",
      `The state holds no messages under "${key}" (messagesKey): found ${show(value)}. ${keysOf(state)}`,
    );
  }
  return value;
}

/**
 * Finds out whether the key's reducer takes removals.
 *
 * Inside a LangGraph run it writes the list as it is with a removal before it,
 * reads the state as it would become, and takes the write back before it
 * counts. Outside a graph, or under a LangGraph that has no such means, it
 * looks whether an earlier removal still stands in the list.
 *
 * @throws CompactionError `INVALID_STATE` that names the state's keys.
 */
export function requireRemovals(
  state: Readonly<Record<string, unknown>>,
  key: string,
  messages: readonly BaseMessageLike[],
  config: Partial<RunnableConfig>,
): void {
  if (messages.some(isRemoveAll)) {
    throw takesNoRemovals(state, key);
  }
  const { __pregel_send: send, __pregel_read: read } = (config.configurable ??
    {}) as {
    __pregel_send?: (writes: [string, unknown][]) => void;
    __pregel_read?: (key: string, fresh: boolean) => unknown;
  };
  if (typeof send !== "function" || typeof read !== "function") {
    return;
  }
  const write: [string, unknown] = [
    key,
    [{ role: "remove", id: REMOVE_ALL_MESSAGES }, ...messages],
  ];
  let after: unknown;
  send([write]);
  try {
    after = read(key, true);
  } catch (cause) {
    throw takesNoRemovals(state, key, cause);
  } finally {
    // LangGraph's word for a write that is none.
    write[0] = "__no_writes__";
    write[1] = null;
  }
  if (
    Array.isArray(after) &&
    (after.length > messages.length || after.some(isRemoveAll))
  ) {
    throw takesNoRemovals(state, key);
  }
}

function takesNoRemovals(
  state: Readonly<Record<string, unknown>>,
  key: string,
  cause?: unknown,
): CompactionError {
  return new CompactionError(
    "INVALID_STATE",
    `The reducer of "${key}" (messagesKey) does not take removals, so messages cannot be rewritten there: use messagesStateReducer, as MessagesAnnotation does, or mode: "view". ${keysOf(state)}`,
    { cause },
  );
}

function isRemoveAll(message: unknown): boolean {
  return (
    (message as { id?: unknown } | null | undefined)?.id === REMOVE_ALL_MESSAGES
  );
}

function keysOf(state: unknown): string {
  const keys =
    typeof state === "object" && state !== null ? Object.keys(state) : [];
  return keys.length === 0
    ? "The state has no keys."
    : `The state's keys are ${keys.join(", ")}.`;
}
