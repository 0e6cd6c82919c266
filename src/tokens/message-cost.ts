import type { BaseMessage } from "@langchain/core/messages";
import { countCall, countContent, type IsMirrored } from "./block-cost.js";
import type { CountText } from "./json-cost.js";
import { countDataUrl, isBinaryText } from "./media-cost.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Tokens of a message with everything that is sent of it, texts counted by the given function.
 *
 * Sees text and blocks of every kind, tool calls (once, wherever they are
 * mirrored), reasoning and names, and adds what frames a message. Ids of calls
 * cost nothing: they are sent, but no model is shown them.
 * Throws what `countText` or a getter of the message throws.
 */
export function countMessageWith(
  countText: CountText,
  message: BaseMessage,
): number {
  const { content, name, tool_calls, invalid_tool_calls, additional_kwargs } =
    message as BaseMessage & SentFields;
  const calls = listOf(tool_calls);
  const invalidCalls = listOf(invalid_tool_calls);
  let total = MESSAGE_TOKENS;
  if (typeof content === "string") {
    // ChatOpenAI sends the content of such a result as an image.
    total +=
      additional_kwargs?.type === "computer_call_output" &&
      isBinaryText(content)
        ? countDataUrl(content)
        : countText(content);
  } else {
    total += countContent(countText, content, mirroredIn(calls, invalidCalls));
  }
  if (typeof name === "string" && name !== "") {
    total += NAME_TOKENS + countText(name);
  }
  for (const call of calls) {
    total += countCall(countText, call);
  }
  if (typeof additional_kwargs === "object" && additional_kwargs !== null) {
    total += countKwargs(
      countText,
      additional_kwargs,
      calls.length > 0,
      content,
    );
  }
  if (
    invalidCalls.length > 0 &&
    listOf(additional_kwargs?.tool_calls).length === 0
  ) {
    for (const call of invalidCalls) {
      total += countCall(countText, call);
    }
  }
  return total;
}

interface SentFields {
  tool_calls?: unknown;
  invalid_tool_calls?: unknown;
  additional_kwargs?: Fields;
}

// OpenAI's cookbook, "How to count tokens with tiktoken": three tokens a
// message and one for its role; a name costs one more than its text.
const MESSAGE_TOKENS = 4;
const NAME_TOKENS = 1;

const NO_CALLS: readonly Fields[] = [];

function listOf(calls: unknown): readonly Fields[] {
  if (!Array.isArray(calls)) {
    return NO_CALLS;
  }
  return calls.every(isFields) ? calls : calls.filter(isFields);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

/** Gemini's parts carry no id: where calls are listed, they are the same calls. */
function mirroredIn(
  calls: readonly Fields[],
  invalidCalls: readonly Fields[],
): IsMirrored {
  let ids: Set<unknown> | undefined;
  return (id) => {
    if (calls.length === 0 && invalidCalls.length === 0) {
      return false;
    }
    ids ??= new Set([...calls, ...invalidCalls].map((call) => call.id));
    return id === undefined || ids.has(id);
  };
}

function countKwargs(
  countText: CountText,
  kwargs: Fields,
  hasCalls: boolean,
  content: unknown,
): number {
  let total = 0;
  if (!hasCalls) {
    for (const call of listOf(kwargs.tool_calls)) {
      total += countCall(countText, call);
    }
    if (isFields(kwargs.function_call)) {
      total += countCall(countText, kwargs.function_call);
    }
  }
  const reasoning =
    kwargs.reasoning ?? kwargs.reasoning_content ?? kwargs.reasoning_details;
  if (reasoning != null && !hasReasoning(content)) {
    total += countContent(countText, reasoning);
  }
  if (kwargs.refusal != null) {
    total += countContent(countText, kwargs.refusal);
  }
  if (kwargs.tool_outputs != null) {
    total += countContent(countText, kwargs.tool_outputs);
  }
  return total;
}

function hasReasoning(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.some(
      (block) => block?.type === "reasoning" || block?.type === "thinking",
    )
  );
}
