import type { MessageContent } from "@langchain/core/messages";

/** Core's types know no message without content, but stores hand them back. */
type Content = MessageContent | null | undefined;

/** Two contents as one: texts with an empty line between, blocks behind each other; one that is missing adds nothing. */
export function joinContent(first: Content, second: Content): MessageContent {
  if (isMissing(first) || isMissing(second)) {
    return first ?? second ?? "";
  }
  if (typeof first === "string" && typeof second === "string") {
    return `${first}\n\n${second}`;
  }
  return [...asBlocks(first), ...asBlocks(second)] as MessageContent;
}

function isMissing(content: Content): content is null | undefined {
  return content === null || content === undefined;
}

function asBlocks(content: MessageContent): readonly unknown[] {
  return typeof content === "string"
    ? [{ type: "text", text: content }]
    : content;
}
