import type { BaseMessage } from "@langchain/core/messages";
import { roleOf } from "./message.js";

/** One request for a tool inside an AI message; the id may be missing or empty. */
export interface CallRef {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** Parsed, or the text that the provider sent. */
  readonly args?: unknown;
}

/** The tool calls of one message: those that a provider runs, and those that did not parse. */
export interface CallsOfMessage {
  readonly valid: readonly CallRef[];
  readonly invalid: readonly CallRef[];
}

const NONE: readonly CallRef[] = [];
const NO_CALLS: CallsOfMessage = { valid: NONE, invalid: NONE };

/**
 * The tool calls of an AI message, wherever its provider keeps them.
 *
 * Reads `tool_calls` and `invalid_tool_calls`, then content blocks that no
 * entry of `tool_calls` mirrors (Anthropic `tool_use`, standard `tool_call`,
 * Responses `function_call`), and, only where `tool_calls` is empty as the
 * converters do, `additional_kwargs.tool_calls` and `function_call`.
 */
export function callsOf(message: BaseMessage): CallsOfMessage {
  const fields = message as BaseMessage & {
    tool_calls?: readonly CallRef[];
    invalid_tool_calls?: readonly CallRef[];
  };
  const listed = nonEmpty(fields.tool_calls) ?? NONE;
  const invalid = nonEmpty(fields.invalid_tool_calls) ?? NONE;
  const blocks = Array.isArray(message.content)
    ? callsInBlocks(message.content, listed)
    : NONE;
  if (listed.length > 0 || blocks.length > 0) {
    return {
      valid: blocks.length === 0 ? listed : [...listed, ...blocks],
      invalid,
    };
  }
  const raw = rawCalls(message);
  return raw.length === 0 && invalid.length === 0
    ? NO_CALLS
    : { valid: raw, invalid };
}

/**
 * The ids of the calls that a message answers; `undefined` stands for an answer without an id.
 *
 * A tool or function message answers one call; a human message answers those of its
 * Anthropic `tool_result` blocks.
 */
export function answeredIdsOf(
  message: BaseMessage,
): readonly (string | undefined)[] {
  const role = roleOf(message);
  if (role === "tool") {
    return [idOrNone((message as { tool_call_id?: unknown }).tool_call_id)];
  }
  if (role !== "human" || !Array.isArray(message.content)) {
    return NO_IDS;
  }
  let ids: (string | undefined)[] | undefined;
  for (const block of message.content as readonly unknown[]) {
    if (isToolResultBlock(block)) {
      (ids ??= []).push(idOrNone(block.tool_use_id));
    }
  }
  return ids ?? NO_IDS;
}

/** Whether a message is nothing but the results of tool calls. */
export function isToolResult(message: BaseMessage): boolean {
  const role = roleOf(message);
  return role === "tool" || (role === "human" && isOnlyToolResults(message));
}

/** Whether a human message says nothing of its own but carries Anthropic `tool_result` blocks. */
export function isOnlyToolResults(message: BaseMessage): boolean {
  const content = message.content as unknown;
  return (
    Array.isArray(content) &&
    content.length > 0 &&
    content.every(isToolResultBlock)
  );
}

/** The id of a call or of its answer; one that is empty, or no text, is none. */
export function idOrNone(id: unknown): string | undefined {
  return typeof id === "string" && id !== "" ? id : undefined;
}

const NO_IDS: readonly (string | undefined)[] = [];

function callsInBlocks(
  content: readonly unknown[],
  listed: readonly CallRef[],
): readonly CallRef[] {
  let found: CallRef[] | undefined;
  for (const block of content) {
    if (typeof block !== "object" || block === null) {
      continue;
    }
    const { type, id, call_id, name, ...given } = block as BlockFields;
    if (type === "tool_use" || type === "tool_call") {
      const args = given.input ?? given.args;
      (found ??= []).push({ id: idOrNone(id), name, args });
    } else if (type === "function_call") {
      const args = given.arguments;
      (found ??= []).push({ id: idOrNone(call_id ?? id), name, args });
    }
  }
  if (found === undefined || listed.length === 0) {
    return found ?? NONE;
  }
  const mirrored = new Set(listed.map((call) => idOrNone(call.id)));
  return found.filter((call) => !mirrored.has(call.id));
}

interface BlockFields {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly call_id?: unknown;
  readonly name?: string;
  readonly input?: unknown;
  readonly args?: unknown;
  readonly arguments?: unknown;
}

function rawCalls(message: BaseMessage): readonly CallRef[] {
  const kwargs = message.additional_kwargs as
    | { tool_calls?: readonly RawCall[]; function_call?: RawFunction | null }
    | undefined;
  const listed = nonEmpty(kwargs?.tool_calls);
  if (listed !== undefined) {
    return listed.map(({ id, function: called }) => ({
      id,
      name: called?.name,
      args: called?.arguments,
    }));
  }
  const called = kwargs?.function_call;
  return typeof called === "object" && called !== null
    ? [{ name: called.name, args: called.arguments }]
    : NONE;
}

interface RawFunction {
  readonly name?: string;
  readonly arguments?: unknown;
}

interface RawCall {
  readonly id?: string;
  readonly function?: RawFunction;
}

function nonEmpty<Call>(
  calls: readonly Call[] | undefined,
): readonly Call[] | undefined {
  if (!Array.isArray(calls) || calls.length === 0) {
    return undefined;
  }
  // A stored thread may hold anything; what is no call is not one.
  const found = calls.every(isCall) ? calls : calls.filter(isCall);
  return found.length > 0 ? found : undefined;
}

function isCall(call: unknown): boolean {
  return typeof call === "object" && call !== null;
}

function isToolResultBlock(
  block: unknown,
): block is { type: "tool_result"; tool_use_id?: unknown } {
  return (
    typeof block === "object" &&
    block !== null &&
    (block as { type?: unknown }).type === "tool_result"
  );
}
