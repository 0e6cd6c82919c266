import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import type { Compactor, CompactorLike } from "../compactors/compactor.js";
import { requireList } from "../conversation/coerce-messages.js";
import { asCompactionError, CompactionError } from "../errors.js";
import { emptyDraft, type ReportDraft } from "./compact-measured.js";
import type { CompactionReason, CompactionReport } from "./report.js";

/** What one pass of a hook made of a list of messages. */
export interface PassResult {
  /** The list as the model is to get it; the input itself where nothing was done. */
  readonly messages: readonly BaseMessage[];
  readonly report: CompactionReport;
}

/** The work of one pass, which checks what it reads: the new list or `null`, and what the report is to say. */
export type PassWork = (
  draft: ReportDraft,
) => readonly BaseMessage[] | null | Promise<readonly BaseMessage[] | null>;

/**
 * Does the work of one pass and writes its report.
 *
 * What fails in a run is in the report, and the messages stay as they were;
 * nothing is thrown for it.
 *
 * @throws CompactionError `INVALID_MESSAGES` for what is no list
 */
export async function runPass(
  messages: readonly BaseMessageLike[],
  compactor: CompactorLike,
  signal: AbortSignal | undefined,
  work: PassWork,
): Promise<PassResult> {
  requireList(messages);
  const started = performance.now();
  const draft = emptyDraft(nameOf(compactor));
  let result: readonly BaseMessage[] | null = null;
  try {
    signal?.throwIfAborted();
    if (messages.length === 0) {
      draft.reason = "no-messages";
    } else {
      const working = work(draft);
      result = working instanceof Promise ? await working : working;
    }
  } catch (cause) {
    draft.outcome = "failed";
    draft.reason = signal?.aborted ? "aborted" : reasonOf(cause);
    draft.error = asCompactionError(cause);
  }
  draft.durationMs = performance.now() - started;
  roundTokens(draft);
  return {
    messages: result ?? (messages as readonly BaseMessage[]),
    report: draft,
  };
}

/** Whole tokens: a counter that estimates may give parts of one. */
function roundTokens(draft: ReportDraft): void {
  for (const field of TOKEN_FIELDS) {
    const tokens = draft[field];
    if (tokens !== undefined) {
      draft[field] = Math.round(tokens);
    }
  }
}

const TOKEN_FIELDS = [
  "tokensBefore",
  "tokensAfter",
  "targetTokens",
  "overheadTokens",
  "rebilledTokens",
] as const satisfies readonly (keyof ReportDraft)[];

function reasonOf(cause: unknown): CompactionReason {
  if (!CompactionError.isInstance(cause)) {
    return "compactor-failed";
  }
  switch (cause.code) {
    case "INVALID_MESSAGES":
      return "invalid-messages";
    case "INVALID_COMPACTOR_RESULT":
      return "invalid-result";
    case "COUNTER_FAILED":
      return "counter-failed";
    case "WINDOW_UNKNOWN":
      return "window-unknown";
    case "SUMMARIZATION_FAILED":
      return "summarizer-failed";
    case "SUMMARY_NOT_SMALLER":
      return "not-smaller";
    default:
      return "compactor-failed";
  }
}

function nameOf(compactor: CompactorLike): string {
  const { getName } = compactor as Partial<Compactor>;
  if (typeof getName === "function") {
    return getName.call(compactor);
  }
  const { name } = compactor.constructor;
  return name === "" || name === "Object" ? "custom" : name;
}
