import type { BaseMessage } from "@langchain/core/messages";

/**
 * A new message of the same class with the same id and everything else, some fields replaced.
 *
 * The constructor's arguments that LangChain keeps for serialisation (`lc_kwargs`)
 * are made anew from the fields, so that no copy of what was replaced stays
 * behind in a checkpoint. The constructor itself is not run: it would parse
 * raw tool calls again.
 */
export function copyMessage<Message extends BaseMessage>(
  message: Message,
  changes: Readonly<Record<string, unknown>>,
): Message {
  const copy = Object.assign(
    Object.create(Object.getPrototypeOf(message) as object) as object,
    message,
    changes,
  ) as Message & Record<string, unknown>;
  const kwargs: Record<string, unknown> = {};
  for (const field of Object.keys(copy)) {
    if (
      !field.startsWith("lc_") &&
      field !== "type" &&
      copy[field] !== undefined
    ) {
      kwargs[field] = copy[field];
    }
  }
  return Object.assign(copy, { lc_kwargs: kwargs });
}
