import type { BaseMessage } from "@langchain/core/messages";
import { isMessage, roleOf } from "../conversation/message.js";

/** What a provider counted for a request and its answer, as the answer reports it. */
export interface Usage {
  /** Tokens of the request. */
  readonly inputTokens: number;
  /** Tokens of the request and the answer. */
  readonly tokens: number;
  /** Name of the model, where the answer has it. */
  readonly model: string | undefined;
}

/** A usage report on an AI message of a list. */
export interface UsageReport {
  readonly index: number;
  /** Tokens of the request and the answer. */
  readonly tokens: number;
}

/**
 * The newest usage report of a list, or `undefined`.
 *
 * A report without positive numbers is none (a stream without usage, say).
 * Nothing before it is looked at, and nothing before the index `from`.
 */
export function newestReport(
  messages: readonly unknown[],
  from = 0,
): UsageReport | undefined {
  for (let index = messages.length - 1; index >= from; index -= 1) {
    const message = messages[index];
    // Most messages have no report, and are told by that at once.
    if ((message as Reporting | null)?.usage_metadata && isMessage(message)) {
      const usage = usageOf(message);
      if (usage !== undefined) {
        return { index, tokens: usage.tokens };
      }
    }
  }
  return undefined;
}

/** The usage that a message reports, or `undefined`. */
export function usageOf(message: BaseMessage): Usage | undefined {
  const usage = (message as Reporting).usage_metadata;
  if (typeof usage !== "object" || usage === null || roleOf(message) !== "ai") {
    return undefined;
  }
  const input = usage.input_tokens;
  const output = usage.output_tokens ?? 0;
  if (!isTokens(input) || !isTokens(output) || input + output === 0) {
    return undefined;
  }
  return {
    inputTokens: input,
    tokens: input + output,
    model: modelOf(message),
  };
}

interface Reporting {
  usage_metadata?: { input_tokens?: unknown; output_tokens?: unknown };
}

function isTokens(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** Providers write it under one of these names. */
function modelOf({ response_metadata }: BaseMessage): string | undefined {
  const { model_name, model } = (response_metadata ?? {}) as Record<
    string,
    unknown
  >;
  const name = model_name ?? model;
  return typeof name === "string" ? name : undefined;
}
