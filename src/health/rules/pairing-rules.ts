import type { Rule } from "./rule.js";
import {
  ANTHROPIC_TOOLS,
  BEDROCK_TOOLS,
  GEMINI_TOOLS,
  MISTRAL_RULES,
  OPENAI_TOOLS,
  RESPONSES,
} from "./sources.js";

const GEMINI_COUNT =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
const GEMINI_RESPONSE =
  "Please ensure that function response turn comes immediately after a function call turn.";
const MISTRAL_COUNT = "Not the same number of function calls and responses";
const BEDROCK_COUNT =
  "The number of toolResult blocks at messages.N.content exceeds the number of toolUse blocks of previous turn.";
const OPENAI_ORPHAN =
  "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
const OPENAI_OPEN =
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
const RESPONSES_ORPHAN =
  "No tool call found for function call output with call_id …";
const RESPONSES_OPEN = "No tool output found for function call …";
const ANTHROPIC_OPEN =
  "`tool_use` ids were found without `tool_result` blocks immediately after. Each `tool_use` block must have a corresponding `tool_result` block in the next message.";
const ANTHROPIC_ORPHAN =
  "unexpected `tool_use_id` found in `tool_result` blocks. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.";
const BEDROCK_OPEN =
  "Expected toolResult blocks at messages.N.content for the following Ids: …";

const UNANSWERED: Rule["refusedBy"] = {
  openai: { error: OPENAI_OPEN, source: OPENAI_TOOLS },
  "openai-responses": { error: RESPONSES_OPEN, source: RESPONSES },
  anthropic: { error: ANTHROPIC_OPEN, source: ANTHROPIC_TOOLS },
  gemini: { error: GEMINI_COUNT, source: GEMINI_TOOLS },
  // The client leaves unanswered calls out, unless a result elsewhere has the same id.
  mistral: { error: MISTRAL_COUNT, source: MISTRAL_RULES },
  bedrock: { error: BEDROCK_OPEN, source: BEDROCK_TOOLS },
};

const ORPHANED: Rule["refusedBy"] = {
  openai: { error: OPENAI_ORPHAN, source: OPENAI_TOOLS },
  "openai-responses": { error: RESPONSES_ORPHAN, source: RESPONSES },
  anthropic: { error: ANTHROPIC_ORPHAN, source: ANTHROPIC_TOOLS },
  gemini: { error: GEMINI_RESPONSE, source: GEMINI_TOOLS },
  mistral: { error: MISTRAL_COUNT, source: MISTRAL_RULES },
  bedrock: { error: BEDROCK_COUNT, source: BEDROCK_TOOLS },
};

/** What can be wrong between calls and their results. */
export type PairingProblem =
  | "call-not-in-tool-calls"
  | "orphan-result"
  | "repeated-result"
  | "misplaced-result"
  | "unanswered-call"
  | "pending-call";

/** Calls and results: every call answered once, directly behind it. */
export const PAIRING_RULES: Readonly<Record<PairingProblem, Rule>> = {
  "call-not-in-tool-calls": {
    wrong:
      "a tool call stands only where this provider's client does not look, so its result goes out without it",
    mend: "put the call into `tool_calls`",
    refusedBy: ORPHANED,
  },

  "orphan-result": {
    wrong: "a tool result answers no call before it",
    mend: "remove the result",
    refusedBy: ORPHANED,
  },

  "repeated-result": {
    wrong: "a tool call is answered twice",
    mend: "keep one result; join the text of a late one to it",
    refusedBy: {
      openai: {
        error:
          "Invalid parameter: Duplicate value for 'tool_call_id' of '…', in messages[N] and messages[N].",
        source: "https://github.com/agno-agi/agno/issues/5116",
      },
      "openai-responses": { error: RESPONSES_ORPHAN, source: RESPONSES },
      anthropic: {
        error:
          "each tool_use must have a single result. Found multiple `tool_result` blocks with id: …",
        source: ANTHROPIC_TOOLS,
      },
      gemini: { error: GEMINI_COUNT, source: GEMINI_TOOLS },
      mistral: { error: MISTRAL_COUNT, source: MISTRAL_RULES },
      bedrock: { error: BEDROCK_COUNT, source: BEDROCK_TOOLS },
    },
  },

  "misplaced-result": {
    wrong: "a tool result does not directly follow the message with its call",
    mend: "move the result directly behind its call",
    refusedBy: {
      openai: { error: OPENAI_OPEN, source: OPENAI_TOOLS },
      anthropic: { error: ANTHROPIC_OPEN, source: ANTHROPIC_TOOLS },
      gemini: { error: GEMINI_RESPONSE, source: GEMINI_TOOLS },
      mistral: { error: MISTRAL_COUNT, source: MISTRAL_RULES },
      bedrock: { error: BEDROCK_OPEN, source: BEDROCK_TOOLS },
    },
  },

  "unanswered-call": {
    wrong: "a tool call was never answered, and the user went on",
    mend: "answer it with a result that says the call was interrupted",
    refusedBy: UNANSWERED,
  },

  "pending-call": {
    wrong: "a tool call still waits for its result",
    mend: "send the request once the result is there",
    refusedBy: UNANSWERED,
  },
};
