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
  const known = KNOWN[provider]?.[role];
  return known !== undefined && !known.includes(kind);
}
