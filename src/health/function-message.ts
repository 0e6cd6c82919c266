import type { BaseMessage } from "@langchain/core/messages";

/** Whether a message is of the form that came before tool messages. */
export function isFunctionMessage(message: BaseMessage): boolean {
  return (message.type as string) === "function";
}
