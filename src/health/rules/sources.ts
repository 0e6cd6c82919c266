// Where the rules come from: documentation first, a report of the error where it says nothing.

export const OPENAI_TOOLS =
  "https://platform.openai.com/docs/guides/function-calling#handling-function-calls";
export const OPENAI_CHAT =
  "https://platform.openai.com/docs/api-reference/chat/create";
export const RESPONSES =
  "https://platform.openai.com/docs/api-reference/responses/create";
export const OPENAI_REASONING =
  "https://platform.openai.com/docs/guides/reasoning#keeping-reasoning-items-in-context";
export const OPENAI_IMAGES =
  "https://platform.openai.com/docs/guides/images-vision#image-input-requirements";
export const ANTHROPIC_TOOLS =
  "https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use#handling-results-from-client-tools";
export const ANTHROPIC_MESSAGES =
  "https://platform.claude.com/docs/en/api/messages";
export const ANTHROPIC_THINKING =
  "https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks";
export const ANTHROPIC_SYSTEM =
  "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages";
export const ANTHROPIC_IMAGES =
  "https://platform.claude.com/docs/en/build-with-claude/vision#general-limits";
export const GEMINI_TOOLS =
  "https://ai.google.dev/gemini-api/docs/function-calling";
export const GEMINI_CONTENT = "https://ai.google.dev/api/caching#Content";
export const GEMINI_LAST_TURN =
  "https://github.com/envoyproxy/ai-gateway/pull/2686";
export const GEMINI_CLIENT =
  "https://github.com/langchain-ai/langchainjs/issues/9319";
export const GEMINI_IMAGES =
  "https://ai.google.dev/gemini-api/docs/image-understanding#technical-details-image";
export const MISTRAL_RULES =
  "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py";
export const MISTRAL_IMAGES = "https://docs.mistral.ai/capabilities/vision#faq";
export const BEDROCK_TOOLS =
  "https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html";
export const BEDROCK_ROLES =
  "https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-call.html";
export const BEDROCK_IDS =
  "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html";
export const BEDROCK_CONTENT =
  "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html";
