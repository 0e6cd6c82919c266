import type { BaseMessage } from "@langchain/core/messages";
import {
  isNote,
  markerOf,
  type RewriteMarker,
  stampOf,
} from "../conversation/marker.js";
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
 * Nothing before it is looked at.
 */
export function newestReport(
  messages: readonly unknown[],
): UsageReport | undefined {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    const tokens = isMessage(message) ? reportedTokens(message) : undefined;
    if (tokens !== undefined) {
      return { index, tokens };
    }
  }
  return undefined;
}

/** Input and output tokens that a message's provider reports, or `undefined`. */
export function reportedTokens(message: BaseMessage): number | undefined {
  const usage = (
    message as BaseMessage & {
      usage_metadata?: { input_tokens?: unknown; output_tokens?: unknown };
    }
  ).usage_metadata;
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

/** What the newest rewrite left behind: reports up to here describe the list before it. */
export interface RewriteTrace {
  /** Reports at this index and before are stale. */
  readonly staleUpTo: number;
  /** Tokens beside the messages, as found then. */
  readonly overheadTokens: number | undefined;
}

/** Finds what the newest rewrite of a list left behind, or `undefined` where there was none. */
export function newestRewrite(
  messages: readonly BaseMessage[],
): RewriteTrace | undefined {
  const stamps: { stamp: RewriteMarker; last: number }[] = [];
  const positions = new Map<string, number>();
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index]!;
    const marker = markerOf(message);
    const stamp = isNote(marker) ? marker : stampOf(message);
    if (stamp !== undefined && isOfHook(stamp)) {
      // The rewritten list had the note besides the kept messages.
      const last =
        stamp === marker ? stamp.keptMessages : stamp.keptMessages - 1;
      stamps.push({ stamp, last: Math.max(index, last) });
    }
    if (message.id !== undefined && roleOf(message) === "ai") {
      positions.set(message.id, index);
    }
  }
  let newest: RewriteTrace | undefined;
  for (const { stamp, last } of stamps) {
    const { lastReportId, overheadTokens } = stamp;
    const known =
      lastReportId === undefined ? undefined : positions.get(lastReportId);
    const staleUpTo = known ?? last;
    if (newest === undefined || staleUpTo >= newest.staleUpTo) {
      newest = { staleUpTo, overheadTokens };
    }
  }
  return newest;
}

/** A compactor by itself leaves a note too, and says nothing of reports. */
function isOfHook({ lastReportId, overheadTokens }: RewriteMarker): boolean {
  return lastReportId !== undefined || overheadTokens !== undefined;
}

function isTokens(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
