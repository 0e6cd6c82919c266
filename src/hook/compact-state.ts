import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Compactor } from "../compactors/compactor.js";
import { originalsIn, removedBefore } from "../compactors/note.js";
import { goalOf } from "../conditions/condition.js";
import { coerceMessages } from "../conversation/coerce-messages.js";
import { bareOverhead } from "../tokens/calibration.js";
import type { MeasuredConversation } from "../tokens/measured-conversation.js";
import { whenReady } from "../when-ready.js";
import { compactMeasured, type ReportDraft } from "./compact-measured.js";
import { type HookSettings, windowOf } from "./settings.js";
import { sizeUp } from "./size-up.js";
import { stampRewrite } from "./stamp.js";
import { withinStatedLimit } from "./stated-limit.js";

/** A list that is to be compacted. */
interface DueList {
  readonly measured: MeasuredConversation;
  /** Whether its calibration is by reports. */
  readonly isReported: boolean;
}

/**
 * The pass that rewrites: measures the list as it is and compacts it where the trigger holds.
 *
 * @returns the new list, stamped with what the next pass has to know, or `null`
 * @throws CompactionError `INVALID_MESSAGES`; and whatever a counter or the compactor throws
 */
export function compactState(
  messages: readonly BaseMessageLike[],
  settings: HookSettings,
  config: Partial<RunnableConfig>,
  draft: ReportDraft,
): BaseMessage[] | null | Promise<BaseMessage[] | null> {
  return whenReady(windowOf(settings), (window) => {
    const inputWindow = withinStatedLimit(window, messages);
    const sizing = sizeUp(messages, settings, inputWindow, config.signal);
    return whenReady(sizing, ({ estimate, isDue, measured, isReported }) => {
      draft.tokensBefore = estimate;
      draft.tokensAfter = estimate;
      return isDue && measured !== undefined
        ? rewrite(
            messages,
            { measured, isReported },
            inputWindow,
            settings,
            config,
            draft,
          )
        : null;
    });
  });
}

async function rewrite(
  messages: readonly BaseMessageLike[],
  { measured, isReported }: DueList,
  inputWindow: number,
  settings: HookSettings,
  config: Partial<RunnableConfig>,
  draft: ReportDraft,
): Promise<BaseMessage[] | null> {
  const { compactAt, compactTo, compactor } = settings;
  const { calibration, conversation } = measured;
  const goal = goalOf(compactTo, compactAt, inputWindow, calibration);
  const result = await compactMeasured(measured, goal, compactor, {
    contextWindow: inputWindow,
    config,
    provider: settings.provider,
    minReclaimTokens: settings.minReclaimTokens,
    draft,
  });
  if (result === null) {
    return null;
  }
  // A summary may take in a note, and with it what the note stood for.
  const removed =
    removedBefore(conversation) +
    originalsIn(measured.messages) -
    originalsIn(result.messages);
  const rewritten = stampRewrite(measured.messages, result.messages, {
    strategy: (compactor as Partial<Compactor>).strategy ?? "custom",
    overheadTokens: isReported
      ? bareOverhead(calibration, result.total)
      : undefined,
    removedMessages: Math.min(Math.max(0, removed), Number.MAX_SAFE_INTEGER),
  });
  // What the caller appended to the list meanwhile is not lost.
  const late = coerceMessages(messages.slice(measured.messages.length));
  return [...rewritten, ...late];
}
