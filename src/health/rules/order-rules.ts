import type { Rule } from "./rule.js";
import {
  ANTHROPIC_MESSAGES,
  ANTHROPIC_SYSTEM,
  BEDROCK_ROLES,
  GEMINI_CLIENT,
  GEMINI_CONTENT,
  GEMINI_LAST_TURN,
  MISTRAL_RULES,
  OPENAI_CHAT,
  RESPONSES,
} from "./sources.js";

const BEDROCK_ALTERNATE =
  "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.";
const MUST_END_WITH_USER =
  "This model does not support assistant message prefill. The conversation must end with a user message.";

/** What can be wrong with who speaks after whom. */
export type OrderProblem =
  | "empty-conversation"
  | "system-message-placement"
  | "first-role"
  | "role-order"
  | "last-role";

/** Who may speak after whom. */
export const ORDER_RULES: Readonly<Record<OrderProblem, Rule>> = {
  "empty-conversation": {
    wrong: "nothing is left to answer: there is no message but instructions",
    mend: "add a human message",
    refusedBy: {
      openai: {
        error:
          "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        source: OPENAI_CHAT,
      },
      "openai-responses": {
        error: "Invalid 'input': empty array.",
        source: RESPONSES,
      },
      anthropic: {
        error: "messages: at least one message is required",
        source: ANTHROPIC_MESSAGES,
      },
      gemini: { error: "contents is not specified", source: GEMINI_CONTENT },
      mistral: {
        error: "Conversation must have at least one message",
        source: MISTRAL_RULES,
      },
      bedrock: {
        error: "A conversation must start with a user message.",
        source: BEDROCK_ROLES,
      },
    },
  },

  "system-message-placement": {
    wrong: "a system message stands where none may stand",
    mend: "join it to the instructions, or let it speak as the user",
    refusedBy: {
      anthropic: {
        error: "role 'system' must immediately follow a user turn",
        source: ANTHROPIC_SYSTEM,
      },
      gemini: {
        error: "System message should be the first one",
        source: GEMINI_CLIENT,
      },
      mistral: {
        error: "Unexpected role 'system' after role '…'",
        source: MISTRAL_RULES,
      },
    },
  },

  "first-role": {
    wrong: "the conversation begins with the assistant",
    mend: "put a human message in front that says so",
    refusedBy: {
      gemini: {
        error:
          "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        source: "https://github.com/google-gemini/gemini-cli/issues/11814",
      },
      bedrock: {
        error:
          "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
        source: BEDROCK_ROLES,
      },
    },
  },

  "role-order": {
    wrong: "two messages follow each other whose roles may not",
    mend: "put a short message between them that says nobody spoke",
    refusedBy: {
      mistral: {
        error: "Unexpected role 'user' after role 'tool'",
        source: MISTRAL_RULES,
      },
      bedrock: { error: BEDROCK_ALTERNATE, source: BEDROCK_ROLES },
    },
  },

  "last-role": {
    wrong: "the conversation ends with the assistant",
    mend: "send the request once the user has spoken",
    refusedBy: {
      // Claude models before 4.6 take the last message as the beginning of their answer.
      anthropic: {
        error: MUST_END_WITH_USER,
        source:
          "https://platform.claude.com/docs/en/about-claude/models/whats-new-claude-4-6#breaking-changes",
      },
      gemini: {
        error: "Requests ending with a model turn are not supported.",
        source: GEMINI_LAST_TURN,
      },
      mistral: {
        error:
          "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
        source: MISTRAL_RULES,
      },
      bedrock: { error: MUST_END_WITH_USER, source: BEDROCK_ROLES },
    },
  },
};
