import { type Rule, UNDOCUMENTED } from "./rule.js";
import {
  ANTHROPIC_IMAGES,
  ANTHROPIC_MESSAGES,
  ANTHROPIC_THINKING,
  BEDROCK_CONTENT,
  GEMINI_CONTENT,
  GEMINI_IMAGES,
  MISTRAL_IMAGES,
  MISTRAL_RULES,
  OPENAI_CHAT,
  OPENAI_IMAGES,
  OPENAI_REASONING,
  RESPONSES,
} from "./sources.js";

/** What can be wrong within one message. */
export type ContentProblem =
  | "unreadable-message"
  | "missing-content"
  | "unsigned-thinking"
  | "thinking-not-first"
  | "reasoning-without-follower"
  | "foreign-block"
  | "too-many-images"
  | "image-too-large"
  | "blank-text"
  | "empty-message";

/** What stands in one message. */
export const CONTENT_RULES: Readonly<Record<ContentProblem, Rule>> = {
  "unreadable-message": {
    wrong: "a field of the message throws when it is read",
    mend: "replace the message by one of plain fields",
    refusedBy: {
      openai: { error: "the client throws", source: OPENAI_CHAT },
      "openai-responses": { error: "the client throws", source: RESPONSES },
      anthropic: { error: "the client throws", source: ANTHROPIC_MESSAGES },
      gemini: { error: "the client throws", source: GEMINI_CONTENT },
      mistral: { error: "the client throws", source: MISTRAL_RULES },
      bedrock: { error: "the client throws", source: BEDROCK_CONTENT },
    },
  },

  "missing-content": {
    wrong: "the content of the message is missing: not even an empty one",
    mend: "give it an empty content",
    refusedBy: {
      openai: {
        error: "Cannot read properties of null (reading 'flatMap')",
        source: OPENAI_CHAT,
      },
      "openai-responses": {
        error: "Cannot read properties of null (reading 'flatMap')",
        source: RESPONSES,
      },
      anthropic: {
        error: "content is not iterable",
        source: ANTHROPIC_MESSAGES,
      },
      mistral: {
        error: "Message content must be a string or an array.",
        source: MISTRAL_RULES,
      },
      bedrock: {
        error: "Unsupported message type: …",
        source: BEDROCK_CONTENT,
      },
    },
  },

  "unsigned-thinking": {
    wrong: "a thinking block has no signature",
    mend: "remove the block",
    refusedBy: {
      anthropic: {
        error: "messages.N.content.N.thinking.signature: Field required",
        source: ANTHROPIC_THINKING,
      },
    },
  },

  "thinking-not-first": {
    wrong: "thinking stands behind other content of a message that calls tools",
    mend: "put the thinking first, where the model had it",
    refusedBy: {
      anthropic: {
        error:
          "Expected `thinking` or `redacted_thinking`, but found `…`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.",
        source: ANTHROPIC_THINKING,
      },
    },
  },

  "reasoning-without-follower": {
    wrong:
      "a reasoning item is not followed by what the model put out after it",
    mend: "remove the reasoning item",
    refusedBy: {
      "openai-responses": {
        error:
          "Item 'rs_…' of type 'reasoning' was provided without its required following item.",
        source: OPENAI_REASONING,
      },
    },
  },

  "foreign-block": {
    wrong:
      "a content block is of a kind that this provider's client cannot send",
    mend: "remove the block, or say in words what stood there",
    isDialect: true,
    refusedBy: {
      openai: {
        error:
          "Invalid value: '…'. Supported values are: 'text', 'image_url', …",
        source: OPENAI_CHAT,
      },
      // These clients leave such blocks out, and with them the whole message.
      "openai-responses": {
        error: "The message is not sent.",
        source: RESPONSES,
      },
      anthropic: {
        error:
          "messages.N: all messages must have non-empty content except for the optional final assistant message",
        source: ANTHROPIC_MESSAGES,
      },
      gemini: {
        error: "Unknown content type …",
        source:
          "https://github.com/langchain-ai/langchainjs/tree/main/libs/providers/langchain-google-genai",
      },
      mistral: {
        error:
          'Mistral only supports types "text" or "image_url" for complex message types.',
        source:
          "https://github.com/langchain-ai/langchainjs/tree/main/libs/providers/langchain-mistralai",
      },
      bedrock: {
        error: "Unsupported content block type: …",
        source:
          "https://github.com/langchain-ai/langchainjs/tree/main/libs/providers/langchain-aws",
      },
    },
  },

  "too-many-images": {
    wrong: "the conversation has more images than one request may have",
    mend: "replace the oldest images by words",
    refusedBy: {
      openai: { error: UNDOCUMENTED, source: OPENAI_IMAGES },
      "openai-responses": {
        error: UNDOCUMENTED,
        source: OPENAI_IMAGES,
      },
      anthropic: {
        error: "Too many images and documents: N > 100",
        source: ANTHROPIC_IMAGES,
      },
      gemini: { error: UNDOCUMENTED, source: GEMINI_IMAGES },
      mistral: { error: UNDOCUMENTED, source: MISTRAL_IMAGES },
      bedrock: {
        error: "too many images and documents: N > 20",
        source: BEDROCK_CONTENT,
      },
    },
  },

  "image-too-large": {
    wrong: "an image is larger than the provider takes",
    mend: "replace the image by words",
    refusedBy: {
      anthropic: {
        error: "image exceeds 5 MB maximum: N bytes > 5242880 bytes",
        source: ANTHROPIC_IMAGES,
      },
      mistral: { error: UNDOCUMENTED, source: MISTRAL_IMAGES },
      bedrock: {
        error: "image exceeds 3.75 MB maximum",
        source: BEDROCK_CONTENT,
      },
    },
  },

  "blank-text": {
    wrong: "a text of the message is empty or nothing but white space",
    mend: "remove the text",
    refusedBy: {
      anthropic: {
        error: "messages: text content blocks must contain non-whitespace text",
        source: ANTHROPIC_MESSAGES,
      },
      bedrock: {
        error:
          "The text field in the ContentBlock object at messages.N.content.N is blank. Add text to the text field, and try again.",
        source: "https://github.com/NousResearch/hermes-agent/issues/55092",
      },
    },
  },

  "empty-message": {
    wrong: "the message has no content and calls no tool",
    mend: "remove an empty answer; let an empty question say that it is empty",
    refusedBy: {
      anthropic: {
        error:
          "messages.N: all messages must have non-empty content except for the optional final assistant message",
        source: ANTHROPIC_MESSAGES,
      },
      gemini: {
        error:
          "GenerateContentRequest.contents[N].parts: contents.parts must not be empty.",
        source: GEMINI_CONTENT,
      },
      mistral: {
        error:
          "Assistant message must have either content or tool_calls, but not none.",
        source: MISTRAL_RULES,
      },
      bedrock: {
        error:
          "The content field in the Message object at messages.N is empty. Add a ContentBlock object to the content field and try again.",
        source: BEDROCK_CONTENT,
      },
    },
  },
};
