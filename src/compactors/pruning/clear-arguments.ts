import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../../conversation/copy-message.js";
import { MARKER_KEY, type PruningMarker } from "../../conversation/marker.js";
import { holdsTrace, traceOf } from "./text-trace.js";

/** Arguments of one call, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The arguments of a call as they were and as they are to be. */
export interface ArgumentEdit {
  readonly before: Arguments;
  readonly after: Arguments;
}

/**
 * An AI message with other arguments in its calls, or `null` where that cannot be made true.
 *
 * The arguments are replaced wherever the message repeats them: `tool_calls`,
 * content blocks, a provider's raw calls, an answer kept for replay. Where a
 * copy of what was removed would remain all the same, or where the calls
 * belong to signed or encrypted reasoning, the message is to stay as it is:
 * Gemini signs calls, the Responses API ties them to reasoning items, and no
 * provider says that it takes an edited call beside signed thinking.
 *
 * @param edits by call id
 */
export function clearArguments(
  message: BaseMessage,
  edits: ReadonlyMap<string, ArgumentEdit>,
  marker: PruningMarker,
): BaseMessage | null {
  const fields = Object.entries(message).filter(([name]) => isContent(name));
  if (hasCycle(fields) || fields.some(([, value]) => isSigned(value))) {
    return null;
  }
  const changes = Object.fromEntries(
    fields.map(([name, value]) => [name, replaceIn(value, edits)]),
  );
  changes.additional_kwargs = {
    ...(changes.additional_kwargs as object | undefined),
    [MARKER_KEY]: marker,
  };
  const removed = [...edits.values()].flatMap(({ before, after }) =>
    Object.keys(before)
      .filter((name) => before[name] !== after[name])
      .map((name) => traceOf(before[name])),
  );
  return holdsTrace(changes, removed) ? null : copyMessage(message, changes);
}

function isContent(field: string): boolean {
  return !field.startsWith("lc_") && field !== "id" && field !== "type";
}

/** No call was ever sent like that, and no walk over it would end. */
function hasCycle(value: unknown, above: readonly unknown[] = []): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return (
    above.includes(value) ||
    Object.values(value).some((inner) => hasCycle(inner, [...above, value]))
  );
}

type Fields = Readonly<Record<string, unknown>>;

/** Under one of these a provider keeps what it has signed or sealed. */
const SEALS: ReadonlySet<string> = new Set([
  "signature",
  "thoughtSignature",
  "thought_signature",
  "__gemini_function_call_thought_signatures__",
  "encrypted_content",
  "redactedContent",
  // Calls whose input is a text or an action and no object of arguments.
  "isCustomTool",
  "isComputerTool",
  "__openai_custom_tool_call_ids__",
]);

function isSigned(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.some(isSigned);
  }
  if (!isPlain(value)) {
    return false;
  }
  // A reasoning item of the Responses API is known by its id.
  const isReasoningItem =
    value.type === "redacted_thinking" ||
    (value.type === "reasoning" && typeof value.id === "string");
  return (
    isReasoningItem ||
    Object.entries(value).some(([key, inner]) =>
      SEALS.has(key)
        ? isFilled(inner)
        : !HELD_AS_ARGUMENTS.has(key) && isSigned(inner),
    )
  );
}

function isFilled(seal: unknown): boolean {
  return isPlain(seal) ? Object.keys(seal).length > 0 : Boolean(seal);
}

/** Under one of these a call keeps its arguments, as an object or as its JSON text. */
const HELD_AS_ARGUMENTS: ReadonlySet<string> = new Set([
  "args",
  "input",
  "arguments",
]);

type Edits = ReadonlyMap<unknown, ArgumentEdit>;

/** The value with the arguments of every edited call replaced; a value without such a call is itself. */
function replaceIn(value: unknown, edits: Edits): unknown {
  if (Array.isArray(value)) {
    return replaceInList(value, edits);
  }
  if (!isPlain(value)) {
    return value;
  }
  const edit = edits.get(callIdOf(value));
  const replaced: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    if (edit !== undefined && HELD_AS_ARGUMENTS.has(key)) {
      replaced[key] = inFormOf(inner, edit.after);
    } else if (edit !== undefined && key === "function" && isPlain(inner)) {
      replaced[key] = {
        ...inner,
        arguments: inFormOf(inner.arguments, edit.after),
      };
    } else {
      replaced[key] = replaceIn(inner, edits);
    }
  }
  return Object.keys(value).every((key) => replaced[key] === value[key])
    ? value
    : replaced;
}

/** A streamed call may be followed by pieces of its arguments, which go. */
function replaceInList(list: readonly unknown[], edits: Edits): unknown {
  const replaced: unknown[] = [];
  let isEdited = false;
  let isChanged = false;
  for (const item of list) {
    const id = isPlain(item) ? callIdOf(item) : undefined;
    const isPiece = id === undefined && isPieceOfCall(item);
    isEdited = isPiece ? isEdited : edits.has(id);
    if (isPiece && isEdited) {
      isChanged = true;
    } else {
      const inner = replaceIn(item, edits);
      isChanged ||= inner !== item;
      replaced.push(inner);
    }
  }
  return isChanged ? replaced : list;
}

function callIdOf({ call_id, toolUseId, id }: Fields): unknown {
  return call_id ?? toolUseId ?? id;
}

function isPieceOfCall(item: unknown): boolean {
  const { type } = (item ?? {}) as { type?: unknown };
  return type === "input_json_delta" || type === "tool_call_chunk";
}

/** As the JSON text that stood there, or as an object; where the text came in pieces, it is one. */
function inFormOf(given: unknown, after: Arguments): unknown {
  const isText = typeof given === "string" && given !== "";
  return isText ? JSON.stringify(after) : after;
}

function isPlain(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  // Not compared with our own `Object`: the value may come from another realm.
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
