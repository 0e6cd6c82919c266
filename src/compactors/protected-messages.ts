import type { Conversation } from "../conversation/anatomy.js";
import type { MeasuredConversation } from "../tokens/measured-conversation.js";

/**
 * The task, or its last message where the run alone exceeds a number target; with the steps it stands in.
 *
 * Without a task it is empty and stands behind the instructions. Messages that
 * stay in any case do not make the run too large: they would be there either way.
 */
export function protectedTask(
  measured: MeasuredConversation,
  targetTokens: number | undefined,
  staysAnyway?: Uint8Array,
): { start: number; end: number } {
  const { conversation } = measured;
  const { taskIndex, taskRunStart, instructionsEnd } = conversation;
  if (taskIndex < 0) {
    return { start: instructionsEnd, end: instructionsEnd };
  }
  let tokens = 0;
  for (let index = taskRunStart; index <= taskIndex; index += 1) {
    tokens += staysAnyway?.[index] === 1 ? 0 : measured.countAt(index);
  }
  const start =
    targetTokens !== undefined && tokens > targetTokens
      ? taskIndex
      : taskRunStart;
  const { stepOf, stepStarts, stepEnds } = conversation;
  return {
    start: stepStarts[stepOf[start]!] ?? start,
    end: stepEnds[stepOf[taskIndex]!] ?? taskIndex + 1,
  };
}

/** The steps with a call that still waits for its answer: no real human message follows it. */
export function pendingSteps({
  openCalls,
  taskIndex,
  stepOf,
}: Conversation): ReadonlySet<number> {
  const pending = new Set<number>();
  for (const { index } of openCalls) {
    if (index > taskIndex) {
      pending.add(stepOf[index]!);
    }
  }
  return pending;
}
