import type { BaseMessage } from "@langchain/core/messages";
import { isMessage, roleOf } from "../conversation/message.js";

/** A usage report on an AI message: what the provider counted for the request and its answer. */
export interface UsageReport {
  readonly index: number;
  /** Input and output tokens. */
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
      const tokens = reportedTokens(message);
      if (tokens !== undefined) {
        return { index, tokens };
      }
    }
  }
  return undefined;
}

/** Input and output tokens that a message's provider reports, or `undefined`. */
export function reportedTokens(message: BaseMessage): number | undefined {
  const usage = (message as Reporting).usage_metadata;
  if (typeof usage !== "object" || usage === null || roleOf(message) !== "ai") {
    return undefined;
  }
  const input = usage.input_tokens;
  const output = usage.output_tokens ?? 0;
  if (!isTokens(input) || !isTokens(output) || input + output === 0) {
    return undefined;
  }
  return input + output;
}

interface Reporting {
  usage_metadata?: { input_tokens?: unknown; output_tokens?: unknown };
}

function isTokens(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
