import type { MessageRole } from "../conversation/message.js";
import type { Provider } from "./provider.js";

// What the LangChain clients do with a block: see `convertMessages…` of
// @langchain/openai, `common.ts` of @langchain/google-genai, `chat_models.ts`
// of @langchain/mistralai and `message_inputs.ts` of @langchain/aws. The
// clients of Anthropic and of the Responses API leave out what they do not know.

/** Blocks that each client sends or leaves out; it throws at others, or the provider refuses them. */
const KNOWN: Readonly<
  Partial<
    Record<Provider, Readonly<Partial<Record<MessageRole, readonly string[]>>>>
  >
> = {
  openai: {
    system: ["text"],
    human: ["text", "image_url", "input_audio", "file", "audio"],
    ai: [
      "text",
      "refusal",
      "tool_use",
      "tool_call",
      "reasoning",
      "reasoning_content",
      "thinking",
    ],
    tool: ["text"],
  },
  mistral: {
    system: ["text"],
    human: ["text", "image_url"],
    ai: ["text", "image_url"],
    tool: ["text"],
  },
  bedrock: {
    system: ["text", "cachePoint"],
    human: [
      "text",
      "image_url",
      "image",
      "document",
      "video",
      "audio",
      "file",
      "cachePoint",
    ],
    ai: ["text", "reasoning", "reasoning_content", "cachePoint"],
  },
};

/**
 * Blocks that these clients send; they leave others out without a word, which
 * is noticed only where nothing of a message is left.
 */
const SENT: Readonly<Partial<Record<Provider, readonly string[]>>> = {
  anthropic: [
    "text",
    "text_delta",
    "image",
    "image_url",
    "audio",
    "file",
    "document",
    "search_result",
    "container_upload",
    "thinking",
    "redacted_thinking",
    "compaction",
    "tool_use",
    "tool_result",
    "server_tool_use",
    "web_search_result",
    "web_search_tool_result",
    "tool_search_tool_result",
    "tool_search_tool_bm25_tool_result",
    "tool_search_tool_regex_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
  ],
  "openai-responses": [
    "text",
    "input_text",
    "image_url",
    "input_image",
    "input_file",
    "mcp_approval_response",
    "image",
    "audio",
    "file",
  ],
};

const GEMINI_KNOWN: readonly string[] = [
  "text",
  "text-plain",
  "thinking",
  "executableCode",
  "codeExecutionResult",
  "functionCall",
  "image_url",
  "image",
  "audio",
  "video",
  "file",
  "media",
];

/** Whether a client would leave out a whole human message, all of whose blocks it does not know. */
export function isLeftOutWhole(
  kinds: ReadonlySet<string>,
  role: MessageRole,
  provider: Provider,
): boolean {
  return (
    role === "human" &&
    kinds.size > 0 &&
    SENT[provider] !== undefined &&
    [...kinds].every((kind) => !SENT[provider]!.includes(kind))
  );
}

/** Whether a kind of block does not get through in a message of this role. */
export function isForeign(
  kind: string,
  role: MessageRole,
  provider: Provider,
  hasListedCalls: boolean,
): boolean {
  if (provider === "gemini") {
    // It sends calls of content blocks beside those of `tool_calls`: twice.
    const isCall = kind === "tool_use" || kind === "tool_call";
    return isCall
      ? hasListedCalls
      : !GEMINI_KNOWN.includes(kind) && !kind.includes("/");
  }
  const known =
    role === "human"
      ? (SENT[provider] ?? KNOWN[provider]?.human)
      : KNOWN[provider]?.[role];
  return known !== undefined && !known.includes(kind);
}
