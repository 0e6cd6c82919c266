import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { askCompactor, isSmaller } from "../compactors/ask-tier.js";
import type { CompactorLike, ModelCall } from "../compactors/compactor.js";
import type { SummaryMemory } from "../compactors/summarization/summary-memory.js";
import { isReached } from "../compactors/target.js";
import type { Goal } from "../conditions/condition.js";
import { isFiller, isNote, markerOf } from "../conversation/marker.js";
import { idOf } from "../conversation/message.js";
import { asCompactionError, CompactionError } from "../errors.js";
import type { RuleSet } from "../health/provider.js";
import type { MeasuredConversation } from "../tokens/measured-conversation.js";
import { untilAborted } from "../until-aborted.js";
import { faultIn } from "./check-result.js";
import { bridge, withoutFillers } from "./heal.js";
import { KeptMessages } from "./kept-messages.js";
import type {
  CompactionReason,
  CompactionReport,
  CompactionWarning,
} from "./report.js";

/** A report while its pass is under way. */
export type ReportDraft = {
  -readonly [Key in keyof CompactionReport]: CompactionReport[Key];
} & { warnings: CompactionWarning[] };

/** The report of a pass that has not begun. */
export function emptyDraft(compactor = ""): ReportDraft {
  return {
    outcome: "unchanged",
    reason: "below-trigger",
    compactor,
    tokensBefore: 0,
    tokensAfter: 0,
    overTarget: false,
    removedIds: [],
    warnings: [],
    durationMs: 0,
  };
}

/** What a compaction takes besides the conversation and the goal. */
interface CompactionSetting {
  /** Tokens. */
  readonly contextWindow: number;
  readonly config: Partial<RunnableConfig>;
  /** Whose order of roles the result is to meet. @default nobody's */
  readonly provider?: RuleSet | undefined;
  readonly summaries?: SummaryMemory | undefined;
  /** Tokens that have to come free, unless the window is nearly full. @default 0 */
  readonly minReclaimTokens?: number;
  /** Is filled in. */
  readonly draft: ReportDraft;
}

/**
 * Asks the compactor, and checks its result as that of a stranger.
 *
 * @returns the shorter conversation, or `null` where nothing useful came of it
 * @throws CompactionError `INVALID_COMPACTOR_RESULT`; and whatever the compactor throws
 */
export async function compactMeasured(
  measured: MeasuredConversation,
  goal: Goal,
  compactor: CompactorLike,
  setting: CompactionSetting,
): Promise<MeasuredConversation | null> {
  const { contextWindow, config, provider, minReclaimTokens = 0 } = setting;
  const { draft } = setting;
  const { counterFactor, overheadTokens } = measured.calibration;
  draft.overheadTokens = overheadTokens;
  draft.counterFactor = counterFactor;
  if (goal.tokens !== undefined) {
    draft.targetTokens = goal.tokens;
  }
  draft.overTarget = !isReached(goal, measured);
  if (overheadTokens < 0) {
    draft.warnings.push("counter-overestimates");
  }
  const { signal } = config;
  const failures: CompactionError[] = [];
  let isAsked = true;
  const whole =
    provider === undefined ? measured : await withoutFillers(measured, signal);
  const asked = askCompactor(compactor, whole, {
    goal,
    signal,
    contextWindow,
    config,
    summaries: setting.summaries,
    onModelCall: (call) => {
      draft.summarizerUsage = withCall(draft.summarizerUsage, call);
    },
    onFailure: (cause) => failures.push(asCompactionError(cause)),
    onNotDue: () => {
      isAsked = false;
    },
  });
  const shorter = await untilAborted(asked, signal);
  const result =
    shorter === null || provider === undefined
      ? shorter
      : await bridge(shorter, provider, signal);
  draft.reason = isAsked
    ? verdict(result, measured, failures)
    : "compactor-not-due";
  if (draft.reason === "above-trigger") {
    const isNearlyFull = measured.requestTokens >= NEARLY_FULL * contextWindow;
    const reclaimed = counterFactor * (measured.total - result!.total);
    if (!isNearlyFull && reclaimed < minReclaimTokens) {
      draft.reason = "not-worthwhile";
    }
  }
  const isUsed = draft.reason === "above-trigger";
  if (isUsed) {
    const kept = new KeptMessages(measured.messages, result!.messages);
    const fault = faultIn(measured.conversation, result!, kept);
    if (fault !== undefined) {
      throw new CompactionError(
        "INVALID_COMPACTOR_RESULT",
        `The result of ${draft.compactor} was not used: ${fault}.`,
      );
    }
    draft.outcome = "compacted";
    draft.tokensAfter = result!.requestTokens;
    draft.overTarget = !isReached(goal, result!);
    Object.assign(draft, changes(measured.messages, result!, kept));
  }
  if (draft.overTarget) {
    draft.warnings.push("over-target");
  }
  if (isUsed && failures.length > 0) {
    draft.warnings.push("partly-failed");
    draft.error = failures[0]!;
  }
  return isUsed ? result : null;
}

/** Part of the window from which on any compaction is worth a broken prompt cache. */
const NEARLY_FULL = 0.95;

function verdict(
  result: MeasuredConversation | null,
  before: MeasuredConversation,
  failures: readonly CompactionError[],
): CompactionReason {
  if (result === null) {
    const failure = failures.find(({ code }) => code !== "SUMMARY_NOT_SMALLER");
    if (failure !== undefined) {
      throw failure;
    }
    return failures.length > 0 ? "not-smaller" : "nothing-removable";
  }
  if (result.messages.length === 0) {
    throw new CompactionError(
      "INVALID_COMPACTOR_RESULT",
      "The compactor returned an empty list for a conversation that has messages.",
    );
  }
  return isSmaller(result, before) ? "above-trigger" : "not-smaller";
}

function withCall(
  usage: CompactionReport["summarizerUsage"],
  { inputTokens, outputTokens }: ModelCall,
): NonNullable<CompactionReport["summarizerUsage"]> {
  return {
    calls: (usage?.calls ?? 0) + 1,
    inputTokens: (usage?.inputTokens ?? 0) + inputTokens,
    outputTokens: (usage?.outputTokens ?? 0) + outputTokens,
  };
}

/** Which messages went, where the two lists begin to differ, and the tokens from there on. */
function changes(
  before: readonly BaseMessage[],
  { messages: after, counts, calibration }: MeasuredConversation,
  kept: KeptMessages,
): Pick<
  CompactionReport,
  "removedIds" | "firstChangedIndex" | "rebilledTokens"
> {
  const removedIds: string[] = [];
  for (let index = 0; index < before.length; index += 1) {
    const id = idOf(before[index]!);
    if (id !== undefined && !kept.has(index)) {
      const marker = markerOf(before[index]!);
      if (!isNote(marker) && !isFiller(marker)) {
        removedIds.push(id);
      }
    }
  }
  let first = 0;
  while (first < after.length && after[first] === before[first]) {
    first += 1;
  }
  let rebilledTokens = 0;
  for (let index = first; index < after.length; index += 1) {
    rebilledTokens += calibration.counterFactor * counts[index]!;
  }
  return {
    removedIds,
    firstChangedIndex: first,
    rebilledTokens,
  };
}
