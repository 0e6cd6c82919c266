import type { ConversationMend } from "../health/draft.js";
import type { CompactionError } from "../errors.js";

/** Why a pass did what it did. */
export type CompactionReason =
  /** The trigger held and the compactor shortened the conversation. */
  | "above-trigger"
  | "below-trigger"
  /** The provider refused the request as too long, and the compactor shortened it. */
  | "context-overflow"
  /** Less than `minReclaimTokens` would have come free. */
  | "not-worthwhile"
  | "no-messages"
  /** The trigger held, but the compactor's own did not, or its target was reached already. */
  | "compactor-not-due"
  /** The trigger held, but the compactor found nothing that may go. */
  | "nothing-removable"
  /** The compactor's result was no smaller than before. */
  | "not-smaller"
  /** The compactor's result would be refused by a provider, or lacks what is protected. */
  | "invalid-result"
  | "invalid-messages"
  | "window-unknown"
  | "counter-failed"
  | "compactor-failed"
  /** The model that writes summaries failed, or gave no whole one. */
  | "summarizer-failed"
  | "aborted";

/** What a pass has to say besides. */
export type CompactionWarning =
  /** The counter, corrected or not, says more for the messages than the provider did for the whole request. */
  | "counter-overestimates"
  /** What is protected alone exceeds the target. */
  | "over-target"
  /** Something of the work failed, which `error` tells of, and the rest was used. */
  | "partly-failed";

/** Calls of a model, those that failed included, and their tokens. */
export interface ModelUsage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What one pass did, or why it did nothing. Holds counts and ids, no content. */
export interface CompactionReport {
  readonly outcome: "compacted" | "unchanged" | "failed";
  readonly reason: CompactionReason;
  /** Name of the compactor. */
  readonly compactor: string;
  /** Tokens of the request as it stood. */
  readonly tokensBefore: number;
  /** Tokens of the request as it stands now. */
  readonly tokensAfter: number;
  /** Tokens that the messages may take, by the counter; absent below the trigger and where the target is no number. */
  readonly targetTokens?: number;
  /** Whether the messages exceed the target all the same. */
  readonly overTarget: boolean;
  /** Tokens of the request that are no messages of the list; absent below the trigger. */
  readonly overheadTokens?: number;
  /** True tokens for one by the counter, as usage reports tell; 1 where they do not; absent below the trigger. */
  readonly counterFactor?: number;
  /** Ids of the messages that went; earlier notes and messages without an id are not among them. */
  readonly removedIds: readonly string[];
  /** Position of the first message that changed, which is where a prompt cache breaks. */
  readonly firstChangedIndex?: number;
  /** Tokens of the new request from there on: what is billed once more at the full price. */
  readonly rebilledTokens?: number;
  readonly warnings: readonly CompactionWarning[];
  /** What `repair` mended in the messages before anything else; absent where that was nothing. */
  readonly mends?: readonly ConversationMend[];
  readonly error?: CompactionError;
  /** What writing summaries took, as the providers report it; absent where no model was called. */
  readonly summarizerUsage?: ModelUsage;
  /** Milliseconds. */
  readonly durationMs: number;
}
