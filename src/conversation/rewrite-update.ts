import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { roleOf } from "./message.js";

/** What LangGraph's messages reducer takes as "remove everything"; it exports the same word. */
export const REMOVE_ALL_MESSAGES = "__remove_all__";

/** The state update that replaces a list of messages by another; kept messages stay the same objects. */
export function rewriteUpdate(
  before: readonly BaseMessageLike[],
  after: readonly BaseMessage[],
): BaseMessage[] {
  const removeAll = { role: "remove", id: REMOVE_ALL_MESSAGES };
  return [removeAll as unknown as BaseMessage, ...unstreamed(before, after)];
}

/**
 * A list in which messages that another does not have stand as plain objects.
 *
 * LangGraph shows every new message object of a node's output to whoever
 * streams messages, and a note is no answer. Its reducer makes messages of
 * them. Typed as messages because a documented `Annotation<BaseMessage[]>`
 * takes nothing else.
 */
export function unstreamed(
  before: readonly BaseMessageLike[],
  after: readonly BaseMessage[],
): BaseMessage[] {
  const known = new Set<unknown>(before);
  for (const message of before) {
    known.add((message as Partial<BaseMessage> | null)?.id);
  }
  known.delete(undefined);
  return after.map((message) =>
    known.has(message) || known.has(message.id)
      ? message
      : (asMessageLike(message) as unknown as BaseMessage),
  );
}

/** A message as the plain object that its class is made from again. */
function asMessageLike(message: BaseMessage): Record<string, unknown> {
  const fields: Record<string, unknown> = { type: roleOf(message) };
  for (const [name, value] of Object.entries(message)) {
    if (!name.startsWith("lc_") && name !== "type" && value !== undefined) {
      fields[name] = value;
    }
  }
  return fields;
}
