import type { MessageContent } from "@langchain/core/messages";

/** Two contents as one: texts with an empty line between, blocks behind each other. */
export function joinContent(
  first: MessageContent,
  second: MessageContent,
): MessageContent {
  if (typeof first === "string" && typeof second === "string") {
    return `${first}\n\n${second}`;
  }
  return [...asBlocks(first), ...asBlocks(second)] as MessageContent;
}

function asBlocks(content: MessageContent): readonly unknown[] {
  return typeof content === "string"
    ? [{ type: "text", text: content }]
    : content;
}
