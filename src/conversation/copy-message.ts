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
  const descriptors = Object.getOwnPropertyDescriptors(message);
  for (const descriptor of Object.values(descriptors)) {
    // A copy of a frozen message is not frozen itself.
    descriptor.configurable = true;
    if ("value" in descriptor) {
      descriptor.writable = true;
    }
  }
  const copy = Object.create(
    Object.getPrototypeOf(message) as object,
    descriptors,
  ) as Message & Record<string, unknown>;
  for (const [field, value] of Object.entries(changes)) {
    define(copy, field, value);
  }
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
  define(copy, "lc_kwargs", kwargs);
  return copy;
}

function define(target: object, field: string, value: unknown): void {
  Object.defineProperty(target, field, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}
