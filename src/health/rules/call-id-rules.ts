import { type Rule, UNDOCUMENTED } from "./rule.js";
import {
  ANTHROPIC_TOOLS,
  BEDROCK_IDS,
  BEDROCK_TOOLS,
  GEMINI_TOOLS,
  MISTRAL_RULES,
  OPENAI_CHAT,
  RESPONSES,
} from "./sources.js";

/** What can be wrong with the ids of tool calls. */
export type CallIdProblem =
  | "legacy-function-call"
  | "missing-call-id"
  | "doubled-call-id"
  | "call-id-form";

/** The ids of tool calls. */
export const CALL_ID_RULES: Readonly<Record<CallIdProblem, Rule>> = {
  "legacy-function-call": {
    wrong:
      "a call or result is in the form of `function_call`, which came before tool calls",
    mend: "make it a tool call with an id, and a tool message",
    refusedBy: {
      "openai-responses": {
        error: "Function messages are not supported in Responses API",
        source: RESPONSES,
      },
      anthropic: {
        error: 'Message type "function" is not supported.',
        source: ANTHROPIC_TOOLS,
      },
      gemini: {
        error:
          "Please ensure that function response turn comes immediately after a function call turn.",
        source: GEMINI_TOOLS,
      },
      mistral: {
        error: "Unexpected role 'assistant' after role 'user'",
        source: MISTRAL_RULES,
      },
      bedrock: {
        error: "Unsupported message type: function",
        source: BEDROCK_TOOLS,
      },
    },
  },
  "missing-call-id": {
    wrong: "a tool call or its result has no id",
    mend: "give the call and its result one id",
    refusedBy: {
      openai: {
        error: "Missing required parameter: 'messages[N].tool_calls[N].id'.",
        source: OPENAI_CHAT,
      },
      "openai-responses": {
        error:
          "Invalid 'input[N].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.",
        source: RESPONSES,
      },
      anthropic: {
        error: 'Anthropic requires all tool calls to have an "id".',
        source: ANTHROPIC_TOOLS,
      },
      // The client makes an id for a call that has none, but for no result.
      mistral: {
        error: "Tool call id has to be defined.",
        source: MISTRAL_RULES,
      },
      bedrock: {
        error:
          "Value at 'messages.N.content.N.toolUse.toolUseId' failed to satisfy constraint: Member must not be null",
        source: BEDROCK_IDS,
      },
    },
  },

  "doubled-call-id": {
    wrong: "two tool calls of one message have the same id",
    mend: "give the later call, and the result that is its own, another id",
    refusedBy: {
      openai: {
        error:
          "Invalid parameter: Duplicate value for 'tool_call_id' of '…', in messages[N] and messages[N].",
        source: "https://github.com/openclaw/openclaw/pull/47136",
      },
      "openai-responses": {
        error: UNDOCUMENTED,
        source: RESPONSES,
      },
      anthropic: {
        error: "`tool_use` ids must be unique",
        source: "https://github.com/anthropics/claude-code/issues/20700",
      },
      gemini: {
        error:
          "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
        source: GEMINI_TOOLS,
      },
      mistral: {
        error: "Duplicate tool call id in assistant message",
        source: MISTRAL_RULES,
      },
      bedrock: {
        error: "`tool_use` ids must be unique",
        source: "https://github.com/musistudio/claude-code-router/issues/599",
      },
    },
  },

  "call-id-form": {
    wrong:
      "the id of a tool call is too long or has characters that are not allowed",
    mend: "give the call and its result a shorter, plainer id",
    refusedBy: {
      openai: {
        error:
          "Invalid 'messages[N].tool_calls[N].id': string too long. Expected a string with maximum length 40, but got a string with length N instead.",
        source: "https://github.com/vercel/ai/issues/5171",
      },
      "openai-responses": {
        error:
          "Invalid 'input[N].call_id': string too long. Expected a string with maximum length 64, but got a string with length N instead.",
        source: "https://github.com/AnswerDotAI/fastllm/issues/45",
      },
      anthropic: {
        error:
          "messages.N.content.N.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        source: "https://github.com/anomalyco/opencode/issues/1279",
      },
      bedrock: {
        error:
          "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+, Member must have length less than or equal to 64",
        source: BEDROCK_IDS,
      },
    },
  },
};
