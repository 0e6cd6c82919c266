import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { askCompactor, isSmaller } from "../compactors/ask-tier.js";
import type { Compactor, CompactorLike } from "../compactors/compactor.js";
import { originalsIn, removedBefore } from "../compactors/note.js";
import { isReached } from "../compactors/target.js";
import { goalOf } from "../conditions/condition.js";
import { requireMessages } from "../conversation/coerce-messages.js";
import { CompactionError } from "../errors.js";
import { show } from "../options.js";
import {
  type MeasuredConversation,
  untilAborted,
} from "../tokens/measured-conversation.js";
import { faultIn } from "./check-result.js";
import type {
  CompactionReason,
  CompactionReport,
  CompactionWarning,
} from "./report.js";
import type { HookSettings } from "./settings.js";
import { sizeUp } from "./size-up.js";
import { stampRewrite } from "./stamp.js";

/** What one pass of a hook made of a list of messages. */
export interface PassResult {
  /** The list as the model is to get it; the input itself where nothing was done. */
  readonly messages: readonly BaseMessage[];
  readonly report: CompactionReport;
}

/**
 * One pass: sizes the request up, asks the compactor where the trigger holds, and checks its result.
 *
 * What fails in a run is in the report; nothing is thrown for it.
 */
export async function runPass(
  messages: readonly BaseMessage[],
  settings: HookSettings,
  config: Partial<RunnableConfig>,
): Promise<PassResult> {
  const started = performance.now();
  const draft: ReportDraft = {
    outcome: "unchanged",
    reason: "below-trigger",
    compactor: nameOf(settings.compactor),
    tokensBefore: 0,
    tokensAfter: 0,
    overTarget: false,
    removedIds: [],
    warnings: [],
    durationMs: 0,
  };
  let result: readonly BaseMessage[] = messages;
  try {
    config.signal?.throwIfAborted();
    requireMessages(messages);
    result =
      (await compactWhenDue(messages, settings, config, draft)) ?? messages;
  } catch (cause) {
    draft.outcome = "failed";
    draft.reason = config.signal?.aborted ? "aborted" : reasonOf(cause);
    draft.error = asCompactionError(cause);
  }
  draft.durationMs = performance.now() - started;
  return { messages: result, report: draft };
}

type ReportDraft = {
  -readonly [Key in keyof CompactionReport]: CompactionReport[Key];
} & { warnings: CompactionWarning[] };

/** The rewritten list, or `null`; fills in the report either way. */
async function compactWhenDue(
  messages: readonly BaseMessage[],
  settings: HookSettings,
  config: Partial<RunnableConfig>,
  draft: ReportDraft,
): Promise<BaseMessage[] | null> {
  if (messages.length === 0) {
    draft.reason = "no-messages";
    return null;
  }
  const { signal } = config;
  const inputWindow =
    typeof settings.inputWindow === "number"
      ? settings.inputWindow
      : await settings.inputWindow();
  const size = await sizeUp(messages, settings, inputWindow, signal);
  const { measured } = size;
  draft.tokensBefore = size.estimate;
  draft.tokensAfter = size.estimate;
  if (!size.isDue || measured === undefined) {
    return null;
  }

  const { overheadTokens } = measured;
  const goal = goalOf(
    settings.compactTo,
    settings.compactAt,
    inputWindow,
    overheadTokens,
  );
  draft.overheadTokens = overheadTokens;
  draft.targetTokens = goal.tokens;
  draft.overTarget = !isReached(goal, measured);
  if (overheadTokens < 0) {
    draft.warnings.push("counter-overestimates");
  }
  const asked = askCompactor(settings.compactor, measured, {
    goal,
    signal,
    contextWindow: inputWindow,
    config,
  });
  const result = await untilAborted(asked, signal);
  draft.reason = refusal(result, measured);
  if (result !== null && draft.reason === "above-trigger") {
    const fault = faultIn(measured.conversation, result.conversation);
    if (fault !== undefined) {
      throw new CompactionError(
        "INVALID_COMPACTOR_RESULT",
        `The result of ${draft.compactor} was not used: ${fault}.`,
      );
    }
    draft.outcome = "compacted";
    draft.tokensAfter = result.total + overheadTokens;
    draft.overTarget = !isReached(goal, result);
    Object.assign(draft, changes(messages, result.messages));
  }
  if (draft.overTarget) {
    draft.warnings.push("over-target");
  }
  return draft.outcome === "compacted"
    ? stampRewrite(messages, result!.messages, {
        strategy:
          (settings.compactor as Partial<Compactor>).strategy ?? "custom",
        overheadTokens,
        removedMessages:
          removedBefore(measured.conversation) +
          Math.max(
            0,
            originalsIn(measured.conversation) -
              originalsIn(result!.conversation),
          ),
      })
    : null;
}

function refusal(
  result: MeasuredConversation | null,
  before: MeasuredConversation,
): CompactionReason {
  if (result === null) {
    return "nothing-removable";
  }
  if (result.messages.length === 0) {
    throw new CompactionError(
      "INVALID_COMPACTOR_RESULT",
      "The compactor returned an empty list for a conversation that has messages.",
    );
  }
  return isSmaller(result, before) ? "above-trigger" : "not-smaller";
}

/** Which messages went, and where the two lists begin to differ. */
function changes(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): Pick<CompactionReport, "removedIds" | "firstChangedIndex"> {
  const kept = new Set<unknown>(after);
  for (const { id } of after) {
    kept.add(id);
  }
  let first = 0;
  while (first < after.length && after[first] === before[first]) {
    first += 1;
  }
  return {
    removedIds: before
      .filter((message) => !kept.has(message) && !kept.has(message.id))
      .flatMap(({ id }) => id ?? []),
    firstChangedIndex: first,
  };
}

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
    default:
      return "compactor-failed";
  }
}

function asCompactionError(cause: unknown): CompactionError {
  return CompactionError.isInstance(cause)
    ? cause
    : new CompactionError(
        "COMPACTION_FAILED",
        cause instanceof Error ? cause.message : show(cause),
        { cause },
      );
}

function nameOf(compactor: CompactorLike): string {
  const { getName } = compactor as Partial<Compactor>;
  if (typeof getName === "function") {
    return getName.call(compactor);
  }
  const { name } = compactor.constructor;
  return name === "" || name === "Object" ? "custom" : name;
}
