import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { PruningMarker } from "../../conversation/marker.js";
import { callsOf } from "../../conversation/tool-calls.js";
import { countMessage } from "../../tokens/ask-counter.js";
import type { TokenCounterLike } from "../../tokens/token-counter.js";
import {
  type ArgumentEdit,
  type Arguments,
  clearArguments,
} from "./clear-arguments.js";

/** What stands where an argument was. */
const PLACEHOLDER = "[removed to free up context]";

/**
 * An AI message whose bulky arguments are replaced, each by a short text; the others stay.
 *
 * @param minTokens arguments that take no more than this stay; tokens
 * @returns `null` where none is bulky, or where the message must stay as it is
 */
export async function clearBulkyArguments(
  message: BaseMessage,
  marker: PruningMarker,
  counter: TokenCounterLike,
  minTokens: number,
): Promise<BaseMessage | null> {
  const edits = new Map<string, ArgumentEdit>();
  for (const { id, args } of callsOf(message).valid) {
    const before = argumentsIn(args);
    if (id === undefined || before === undefined) {
      continue;
    }
    const after: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(before)) {
      const isBulky = (await tokensOf(value, counter)) > minTokens;
      after[name] = isBulky ? PLACEHOLDER : value;
    }
    if (Object.keys(before).some((name) => after[name] !== before[name])) {
      edits.set(id, { before, after });
    }
  }
  return edits.size === 0 ? null : clearArguments(message, edits, marker);
}

/** Parsed arguments, or those in the text that the provider sent. */
function argumentsIn(args: unknown): Arguments | undefined {
  const parsed = typeof args === "string" ? parse(args) : args;
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Arguments)
    : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a value takes as a message; 0 where it is no longer than what would replace it. */
async function tokensOf(
  value: unknown,
  counter: TokenCounterLike,
): Promise<number> {
  const text = typeof value === "string" ? value : jsonOf(value);
  return text === undefined || text.length <= PLACEHOLDER.length
    ? 0
    : countMessage(new HumanMessage(text), counter);
}

/** `undefined` where it has none: a cycle, a BigInt. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
