import type { BaseMessage } from "@langchain/core/messages";
import { roleOf } from "./message.js";
import { isOnlyToolResults } from "./tool-calls.js";

/** Where our markers stand: in `additional_kwargs`, and on AI messages in `response_metadata`. */
export const MARKER_KEY = "context_compaction";

/** The strategies that remove messages and may leave a note. */
export type RemovalStrategy =
  | "sliding-window"
  | "turn-window"
  | "truncation"
  | "custom";

/** What made a message of ours. */
export type CompactionStrategy =
  | RemovalStrategy
  | "tool-result-pruning"
  | "tool-call-collapse"
  | "summarization"
  | "repair";

/** What the hook has to know after a rewrite, on whatever message carries it. */
export interface RewriteStamp {
  /** Id of the newest AI message at the rewrite: its report and older ones are stale. */
  readonly lastReportId?: string;
  /** Tokens of the request that are no messages of the list, as found at the rewrite. */
  readonly overheadTokens?: number;
}

/** On the note that stands where messages were removed. */
export interface RemovalMarker extends RewriteStamp {
  readonly strategy: RemovalStrategy;
  /** Original messages gone so far, over all passes; notes do not count. */
  readonly removedMessages: number;
  /** Messages kept by the newest pass, the note itself aside. */
  readonly keptMessages: number;
}

/** On the newest AI message with a report, where a rewrite left no note that could carry it. */
export interface RewriteMarker extends Omit<RemovalMarker, "strategy"> {
  readonly strategy: CompactionStrategy;
}

/** On an AI message, by a door that hands the model a view: what was decided for the call that it answers. */
export interface ViewDecision {
  /** Name of the agent that made the call, where it has one. */
  readonly agent?: string;
  /** Input tokens of the window that was gone by. */
  readonly contextWindow: number;
  /** Input tokens of the window by the options, where a provider's error stated a smaller one. */
  readonly configuredWindow?: number;
  /** Tokens of the messages that the view showed, where they could be counted. */
  readonly messageTokens?: number;
  /** Original messages that the view left out. */
  readonly removedMessages: number;
  /** Id of the first message behind the instructions that the view showed. */
  readonly firstKeptId?: string;
  /** Where compaction fired for this call. */
  readonly compaction?: DecidedCompaction;
}

/** What a compaction went by; tokens. */
export interface DecidedCompaction {
  /** What it aimed at for the messages, where that was a number. */
  readonly targetTokens?: number;
  /** What of the request was no message. */
  readonly overheadTokens: number;
  /** True tokens for one by the counter, where that was not 1. */
  readonly counterFactor?: number;
}

/** On a summary. */
export interface SummaryMarker {
  readonly strategy: "summarization";
  /** Original messages that it stands for, over all passes. */
  readonly summarizedMessages: number;
}

/** On the record of a folded tool step. */
export interface CollapseMarker {
  readonly strategy: "tool-call-collapse";
  /** Original messages that it stands for. */
  readonly collapsedMessages: number;
}

/** On a tool result that was replaced by a placeholder, and on an AI message whose calls lost bulky arguments. */
export interface PruningMarker {
  readonly strategy: "tool-result-pruning";
  /** Tokens of the message before. */
  readonly originalTokens: number;
}

/** On a message that a repair put in, or whose role it changed. */
export interface RepairMarker {
  readonly strategy: "repair";
  /** Original messages that it stands for: 0 where it was put in. */
  readonly repairedMessages: 0 | 1;
}

export type CompactionMarker =
  | RemovalMarker
  | SummaryMarker
  | CollapseMarker
  | PruningMarker
  | RepairMarker;

/**
 * The marker of a message that this package made, or `undefined`.
 *
 * A marker that does not parse, or that stands on a message of a kind that
 * never carries it, makes nothing of the message: it stays an ordinary one.
 */
export function markerOf(message: BaseMessage): CompactionMarker | undefined {
  const value = (
    message.additional_kwargs as Record<string, unknown> | undefined
  )?.[MARKER_KEY];
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const marker = value as Record<string, unknown>;
  if (marker.strategy === "repair") {
    return isRepairMarker(marker) ? (value as RepairMarker) : undefined;
  }
  switch (roleOf(message)) {
    case "human":
      return isRemovalMarker(marker) ||
        (marker.strategy === "summarization" &&
          isCount(marker.summarizedMessages)) ||
        isCollapseMarker(marker) ||
        (isPruningMarker(marker) && isOnlyToolResults(message))
        ? (value as CompactionMarker)
        : undefined;
    case "ai":
      return isCollapseMarker(marker) || isPruningMarker(marker)
        ? (value as CollapseMarker | PruningMarker)
        : undefined;
    case "tool":
      return isPruningMarker(marker) ? (value as PruningMarker) : undefined;
    default:
      return undefined;
  }
}

/** The marker that the hook left on an AI message because there was no note to carry it. */
export function stampOf(message: BaseMessage): RewriteMarker | undefined {
  const value = (
    message.response_metadata as Record<string, unknown> | undefined
  )?.[MARKER_KEY];
  return typeof value === "object" &&
    value !== null &&
    roleOf(message) === "ai" &&
    isRemovalMarker(value as Record<string, unknown>, COMPACTING_STRATEGIES)
    ? (value as RewriteMarker)
    : undefined;
}

/** What was decided for the call that an AI message answers, where its door could write that down. */
export function viewDecisionOf(message: BaseMessage): ViewDecision | undefined {
  const value = (
    message.response_metadata as Record<string, unknown> | undefined
  )?.[MARKER_KEY];
  if (typeof value !== "object" || value === null || roleOf(message) !== "ai") {
    return undefined;
  }
  const decision = value as Record<keyof ViewDecision | "strategy", unknown>;
  return decision.strategy === undefined &&
    isOptional(decision.agent, isText) &&
    isSize(decision.contextWindow) &&
    isOptional(decision.configuredWindow, isSize) &&
    isOptional(decision.messageTokens, isSize) &&
    isCount(decision.removedMessages) &&
    isOptional(decision.firstKeptId, isText) &&
    isOptional(decision.compaction, isDecidedCompaction)
    ? (value as ViewDecision)
    : undefined;
}

/** Whether a marker is that of an omission note, of whichever compactor. */
export function isNote(
  marker: CompactionMarker | undefined,
): marker is RemovalMarker {
  return marker !== undefined && "removedMessages" in marker;
}

/** Whether a marker is that of a message that stands between two others for their roles' sake alone. */
export function isFiller(marker: CompactionMarker | undefined): boolean {
  return (
    marker !== undefined &&
    "repairedMessages" in marker &&
    marker.repairedMessages === 0
  );
}

/** How many original messages a message stands for: 1 for an ordinary one. */
export function originalsBehind(marker: CompactionMarker | undefined): number {
  if (marker === undefined || "originalTokens" in marker) {
    return 1;
  }
  if ("removedMessages" in marker) {
    return marker.removedMessages;
  }
  if ("repairedMessages" in marker) {
    return marker.repairedMessages;
  }
  return "summarizedMessages" in marker
    ? marker.summarizedMessages
    : marker.collapsedMessages;
}

const REMOVAL_STRATEGIES: ReadonlySet<RemovalStrategy> = new Set([
  "sliding-window",
  "turn-window",
  "truncation",
  "custom",
]);

/** What a rewrite may have been made by; a repair by itself is none. */
const COMPACTING_STRATEGIES: ReadonlySet<CompactionStrategy> = new Set([
  ...REMOVAL_STRATEGIES,
  "tool-result-pruning",
  "tool-call-collapse",
  "summarization",
]);

function isRemovalMarker(
  marker: Record<string, unknown>,
  strategies: ReadonlySet<unknown> = REMOVAL_STRATEGIES,
): boolean {
  return (
    strategies.has(marker.strategy) &&
    isCount(marker.removedMessages) &&
    isCount(marker.keptMessages) &&
    isOptional(marker.lastReportId, isText) &&
    isOptional(marker.overheadTokens, Number.isFinite)
  );
}

function isCollapseMarker(marker: Record<string, unknown>): boolean {
  return (
    marker.strategy === "tool-call-collapse" &&
    isCount(marker.collapsedMessages)
  );
}

function isPruningMarker(marker: Record<string, unknown>): boolean {
  return (
    marker.strategy === "tool-result-pruning" && isSize(marker.originalTokens)
  );
}

function isDecidedCompaction(value: unknown): boolean {
  const { targetTokens, overheadTokens, counterFactor } = (value ??
    {}) as Record<keyof DecidedCompaction, unknown>;
  return (
    isOptional(targetTokens, isSize) &&
    Number.isFinite(overheadTokens) &&
    isOptional(counterFactor, (factor) => isSize(factor) && factor !== 0)
  );
}

function isRepairMarker(marker: Record<string, unknown>): boolean {
  return marker.repairedMessages === 0 || marker.repairedMessages === 1;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isSize(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0;
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isOptional(
  value: unknown,
  isRight: (value: unknown) => boolean,
): boolean {
  return value === undefined || isRight(value);
}
