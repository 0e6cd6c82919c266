import type { BaseMessage } from "@langchain/core/messages";
import { type Goal, goalOf } from "../conditions/condition.js";
import { requireMessages } from "../conversation/coerce-messages.js";
import { invalidOption } from "../options.js";
import { defaultTokenCounter } from "../tokens/default-counter.js";
import {
  type MeasuredConversation,
  measure,
} from "../tokens/measured-conversation.js";
import type { TokenCounterLike } from "../tokens/token-counter.js";
import {
  type CompactOptions,
  type Compactor,
  type CompactorCallOptions,
  targetIn,
} from "./compactor.js";
import { isDue, MeasuredTarget } from "./target.js";

/**
 * What a built-in compactor may be called with directly.
 *
 * What is left out is taken from its constructor.
 */
export type DirectCompactOptions = Partial<Omit<CompactOptions, "target">> &
  Pick<CompactorCallOptions, "trigger" | "targetTokens"> & {
    target?: CompactOptions["target"] | CompactorCallOptions["target"];
  };

/** One pass of a built-in compactor over one conversation. */
export interface Pass {
  readonly measured: MeasuredConversation;
  readonly goal: Goal;
  readonly counter: TokenCounterLike;
  readonly signal: AbortSignal | undefined;
}

/**
 * Measures the messages and finds the goal; `null` where compaction is not due.
 *
 * @throws CompactionError `INVALID_MESSAGES`, `MISSING_TARGET`, `INVALID_OPTION` or `COUNTER_FAILED`
 */
export async function openPass(
  compactor: Compactor,
  messages: readonly BaseMessage[],
  options: DirectCompactOptions = {},
): Promise<Pass | null> {
  const { target, signal, contextWindow } = options;
  if (target instanceof MeasuredTarget) {
    // Whoever measured has asked whether compaction is due.
    const measured = await target.measured.remeasure(messages, signal);
    return { measured, goal: target.goal, counter: measured.counter, signal };
  }
  requireMessages(messages);
  const trigger = options.trigger ?? compactor.trigger;
  const goal = isForeign(target)
    ? foreignGoal(target)
    : goalOf(
        targetIn({ target, targetTokens: options.targetTokens }) ??
          compactor.target,
        trigger,
        contextWindow,
      );
  const counter =
    options.tokenCounter ?? compactor.tokenCounter ?? defaultTokenCounter;
  const measured = await measure(messages, counter, signal);
  return isDue(trigger, goal, measured, contextWindow)
    ? { measured, goal, counter, signal }
    : null;
}

function isForeign(
  target: DirectCompactOptions["target"],
): target is CompactOptions["target"] {
  return typeof target === "object" && "holds" in target;
}

function foreignGoal({ tokens }: CompactOptions["target"]): Goal {
  if (tokens === undefined) {
    throw invalidOption(
      "target",
      "a target without tokens",
      "the one that the compactor was handed, a size or a predicate",
    );
  }
  return { tokens, holds: (metrics) => metrics.tokens <= tokens };
}
