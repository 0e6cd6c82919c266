import type { ModelMessage } from "./model.js";

/** Takes the leading system messages out of a list, as one text. */
export function splitSystem(messages: readonly ModelMessage[]): {
  system: string;
  messages: ModelMessage[];
} {
  const first = messages.findIndex((message) => message.role !== "system");
  const end = first === -1 ? messages.length : first;
  return {
    system: messages
      .slice(0, end)
      .map((message) => message.text)
      .join("\n"),
    messages: messages.slice(end),
  };
}
