import type { BaseMessage } from "@langchain/core/messages";

const REASONING_BLOCKS: ReadonlySet<unknown> = new Set([
  "reasoning",
  "reasoning_content",
  "thinking",
  "redacted_thinking",
]);

/**
 * Whether an AI message holds reasoning and nothing else; calls are not looked at.
 *
 * Knows standard and Anthropic blocks, Gemini's `thought` parts, and the
 * fields that OpenAI and DeepSeek keep in `additional_kwargs`.
 */
export function isReasoningOnly(message: BaseMessage): boolean {
  const content = message.content as unknown;
  if (Array.isArray(content) && content.length > 0) {
    return content.every(isReasoningBlock);
  }
  if (typeof content === "string" && content !== "") {
    return false;
  }
  const kwargs = message.additional_kwargs;
  return isFilled(kwargs?.reasoning) || isFilled(kwargs?.reasoning_content);
}

function isReasoningBlock(block: unknown): boolean {
  if (typeof block !== "object" || block === null) {
    return false;
  }
  const { type, thought } = block as { type?: unknown; thought?: unknown };
  return REASONING_BLOCKS.has(type) || thought === true;
}

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}
