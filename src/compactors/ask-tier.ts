import { Runnable } from "@langchain/core/runnables";
import { type Condition, type Goal, goalOf } from "../conditions/condition.js";
import { requireMessages } from "../conversation/coerce-messages.js";
import { CompactionError } from "../errors.js";
import type { MeasuredConversation } from "../tokens/measured-conversation.js";
import type { CompactOptions, CompactorLike } from "./compactor.js";
import { isDue, MeasuredTarget } from "./target.js";

/** What a pipeline tells each of its tiers. */
export interface TierOptions extends Omit<
  CompactOptions,
  "target" | "tokenCounter"
> {
  /** The pipeline's goal; `undefined` where every tier has its own. */
  readonly goal: Goal | undefined;
  /** Hears of it where the tier is not asked at all. */
  readonly onNotDue?: (() => void) | undefined;
}

/** Asks one tier of a pipeline; a result that is no smaller is none. */
export async function askTier(
  tier: CompactorLike,
  measured: MeasuredConversation,
  options: TierOptions,
): Promise<MeasuredConversation | null> {
  const result = await askCompactor(tier, measured, options);
  return result !== null && isSmaller(result, measured) ? result : null;
}

/**
 * Asks a compactor; `null` where it is not due or finds nothing useful to do.
 *
 * A tier with a trigger of its own is asked by that trigger, one without while
 * its goal is not reached: its own target, or without one the pipeline's.
 *
 * @throws CompactionError `MISSING_TARGET` where neither has one,
 *   `INVALID_COMPACTOR_RESULT` for a result that is no list of messages; and
 *   whatever the tier throws.
 */
export async function askCompactor(
  tier: CompactorLike,
  measured: MeasuredConversation,
  { goal: pipelineGoal, onNotDue, ...options }: TierOptions,
): Promise<MeasuredConversation | null> {
  const { trigger, target } = conditionsOf(tier);
  const goal =
    trigger === undefined && target === undefined && pipelineGoal !== undefined
      ? pipelineGoal
      : goalOf(target, trigger, options.contextWindow, measured.calibration);
  if (!isDue(trigger, goal, measured, options.contextWindow)) {
    onNotDue?.();
    return null;
  }
  // A copy, since a careless compactor would change the list of a graph's state.
  const compacted = await tier.compact([...measured.messages], {
    ...options,
    target: new MeasuredTarget(goal, measured),
    tokenCounter: measured.counter,
  });
  if (compacted === null) {
    return null;
  }
  requireResult(compacted);
  return measured.remeasure(compacted, options.signal);
}

/** Only a compactor of ours has conditions; what another object calls `target` is its own affair. */
function conditionsOf(tier: CompactorLike): {
  trigger?: Condition | undefined;
  target?: Condition | undefined;
} {
  return Runnable.isRunnable(tier)
    ? (tier as { trigger?: Condition; target?: Condition })
    : {};
}

function requireResult(compacted: unknown): void {
  try {
    requireMessages(compacted);
  } catch (cause) {
    throw new CompactionError(
      "INVALID_COMPACTOR_RESULT",
      `A compactor must return a list of messages or null. ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** Fewer tokens, or as many in fewer messages. */
export function isSmaller(
  result: MeasuredConversation,
  before: MeasuredConversation,
): boolean {
  return (
    result.total < before.total ||
    (result.total === before.total &&
      result.messages.length < before.messages.length)
  );
}
