import {
  countJson,
  countScalar,
  JSON_ENTRY_TOKENS,
  JSON_FRAME_TOKENS,
  type CountText,
} from "./json-cost.js";
import {
  countDataUrl,
  countMedia,
  isBinaryText,
  MEDIA_TOKENS,
} from "./media-cost.js";

type Fields = Readonly<Record<string, unknown>>;

/** Says whether a call in the content is also listed in the message's `tool_calls`. */
export type IsMirrored = (id: unknown) => boolean;

/**
 * Tokens of the content of a message or of a tool result: a text, a block, or
 * a list of blocks, as deep as they are nested.
 *
 * A block of unknown kind counts as its JSON text. Media cost what their kind
 * costs; signatures cost nothing, and encrypted reasoning goes by its length.
 */
export function countContent(
  countText: CountText,
  content: unknown,
  isMirrored: IsMirrored = never,
): number {
  let total = 0;
  const pending: unknown[] = [content];
  const seen = new Set<object>();
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part !== "object" || part === null) {
      total +=
        typeof part === "string"
          ? countBlockText(countText, part)
          : countScalar(countText, part);
    } else if (ArrayBuffer.isView(part) || part instanceof ArrayBuffer) {
      total += MEDIA_TOKENS.file;
    } else if (!seen.has(part)) {
      seen.add(part);
      if (Array.isArray(part)) {
        for (const element of part) {
          pending.push(element);
        }
      } else {
        total += countBlock(countText, part as Fields, pending, isMirrored);
      }
    }
  }
  return total;
}

/**
 * Tokens of one tool call, in LangChain's form or in a provider's.
 *
 * The id costs nothing: it is sent, but no model is shown it.
 */
export function countCall(countText: CountText, call: Fields): number {
  const inner = call.function;
  const named =
    typeof inner === "object" && inner !== null ? (inner as Fields) : call;
  const input = named.args ?? named.input ?? named.arguments;
  return (
    CALL_TOKENS +
    (typeof named.name === "string" ? countText(named.name) : 0) +
    countJson(countText, input)
  );
}

const CALL_TOKENS = 3;

const never: IsMirrored = () => false;

const CALL_TYPES = new Set([
  "tool_use",
  "tool_call",
  "tool_call_chunk",
  "invalid_tool_call",
  "function_call",
  "custom_tool_call",
  "input_json_delta",
  "server_tool_use",
  "server_tool_call",
  "server_tool_call_chunk",
  "mcp_tool_use",
]);

// What is sent of the block kinds that are text, or results made of content.
const SENT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  input_text: ["text"],
  output_text: ["text"],
  summary_text: ["text"],
  reasoning_text: ["text"],
  refusal: ["refusal"],
  thinking: ["thinking"],
  reasoning: ["reasoning", "text", "summary", "content"],
  redacted_thinking: [],
  "reasoning.encrypted": [],
  "text-plain": ["title", "context", "text"],
  non_standard: ["value"],
  tool_result: ["content"],
  mcp_tool_result: ["content"],
  web_search_tool_result: ["content"],
  web_fetch_tool_result: ["content"],
  server_tool_call_result: ["output"],
  function_call_output: ["output"],
  custom_tool_call_output: ["output"],
  computer_call_output: ["output"],
};

// Shown to no model, or worth nothing as text.
const UNSENT_KEYS = new Set([
  "type",
  "signature",
  "thoughtSignature",
  "thought_signature",
  "thought",
  "encrypted_index",
  "cache_control",
  "cachePoint",
  "logprobs",
  "annotations",
  "index",
]);

const ENCRYPTED_KEYS = new Set(["encrypted_content", "redactedContent"]);

function countBlock(
  countText: CountText,
  block: Fields,
  pending: unknown[],
  isMirrored: IsMirrored,
): number {
  const { type } = block;
  const encrypted = countEncrypted(block);
  if (typeof type === "string") {
    if (CALL_TYPES.has(type)) {
      return isMirrored(block.call_id ?? block.id)
        ? 0
        : countCall(countText, block);
    }
    const fields = Object.hasOwn(SENT_FIELDS, type)
      ? SENT_FIELDS[type]!
      : undefined;
    if (
      fields !== undefined &&
      (type !== "text-plain" || typeof block.text === "string")
    ) {
      for (const field of fields) {
        if (block[field] != null) {
          pending.push(block[field]);
        }
      }
      return encrypted;
    }
  } else if (typeof block.text === "string") {
    pending.push(block.text);
    return 0;
  }
  // Gemini's parts and Bedrock's blocks name their kind by a key.
  const call = block.functionCall ?? block.function_call ?? block.toolUse;
  if (typeof call === "object" && call !== null) {
    const { id, toolUseId } = call as Fields;
    return isMirrored(id ?? toolUseId)
      ? 0
      : countCall(countText, call as Fields);
  }
  const readable = readableFile(block);
  if (readable !== undefined) {
    pending.push(block.title, block.context, readable);
    return 0;
  }
  return (
    countMedia(block) ?? encrypted + countUnknown(countText, block, pending)
  );
}

/** The text, or the blocks, of a file or document that carries them openly. */
function readableFile(block: Fields): unknown {
  const { type, source } = block;
  if (type !== "file" && type !== "document" && type !== "text-plain") {
    return undefined;
  }
  if (typeof source === "object" && source !== null) {
    const { type: form, data, content } = source as Fields;
    return form === "text" ? data : form === "content" ? content : undefined;
  }
  const text = block.text ?? block.content;
  return typeof text === "string" && !isBinaryText(text) ? text : undefined;
}

function countUnknown(
  countText: CountText,
  block: Fields,
  pending: unknown[],
): number {
  let total = JSON_FRAME_TOKENS;
  for (const key of Object.keys(block)) {
    const part = block[key];
    if (
      part !== undefined &&
      !UNSENT_KEYS.has(key) &&
      !ENCRYPTED_KEYS.has(key)
    ) {
      total += countText(key) + JSON_ENTRY_TOKENS;
      pending.push(part);
    }
  }
  return total;
}

function countBlockText(countText: CountText, text: string): number {
  if (!isBinaryText(text)) {
    return countText(text);
  }
  return text.startsWith("data:") ? countDataUrl(text) : MEDIA_TOKENS.image;
}

/**
 * What encrypted reasoning hides, at the price that OpenAI's Codex puts on it:
 * three quarters of its length less 650 bytes, at four bytes a token.
 */
function countEncrypted(block: Fields): number {
  const hidden =
    block.encrypted_content ??
    block.redactedContent ??
    (block.type === "redacted_thinking" || block.type === "reasoning.encrypted"
      ? block.data
      : undefined);
  return typeof hidden === "string"
    ? Math.max(0, hidden.length * 0.75 - 650) / 4
    : 0;
}
