import type { BaseMessage } from "@langchain/core/messages";
import {
  askCondition,
  type Condition,
  type Goal,
  triggerHolds,
} from "../conditions/condition.js";
import type { MeasuredConversation } from "../tokens/measured-conversation.js";

/** How far to go, as a compactor is asked it. */
export interface CompactionTarget {
  /** Tokens for the messages, where the target is such a number. */
  readonly tokens?: number | undefined;
  /**
   * Whether a list would do. A boolean, unless the counter in use is an
   * asynchronous function: then a promise of one.
   */
  holds(messages: readonly BaseMessage[]): boolean | Promise<boolean>;
}

/** A target over a conversation that is measured already: messages are not counted again. */
export class MeasuredTarget implements CompactionTarget {
  readonly goal: Goal;
  readonly measured: MeasuredConversation;

  constructor(goal: Goal, measured: MeasuredConversation) {
    this.goal = goal;
    this.measured = measured;
  }

  get tokens(): number | undefined {
    return this.goal.tokens;
  }

  holds(messages: readonly BaseMessage[]): boolean | Promise<boolean> {
    const measured = this.measured.remeasure(messages);
    return measured instanceof Promise
      ? measured.then((other) => isReached(this.goal, other))
      : isReached(this.goal, measured);
  }
}

/** Whether compaction is due: by the trigger where there is one, else while the goal is not reached. */
export function isDue(
  trigger: Condition | undefined,
  goal: Goal,
  measured: MeasuredConversation,
  contextWindow: number | undefined,
): boolean {
  if (trigger === undefined) {
    return !isReached(goal, measured);
  }
  // A number is looked at first, any other target only after a removal.
  return (
    (goal.tokens === undefined || measured.exceeds(goal.tokens)) &&
    triggerHolds(trigger, measured.metrics(), contextWindow)
  );
}

/** Whether a goal is reached as things stand. */
export function isReached(goal: Goal, measured: MeasuredConversation): boolean {
  return goal.tokens === undefined
    ? askCondition(goal.holds, measured.metrics())
    : !measured.exceeds(goal.tokens);
}
