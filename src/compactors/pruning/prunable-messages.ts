import type { BaseMessage } from "@langchain/core/messages";
import { type Conversation, newestAnswer } from "../../conversation/anatomy.js";
import { isToolResult } from "../../conversation/tool-calls.js";
import { askPredicate } from "../../conditions/ask-predicate.js";

/** What of a conversation must stay as it is, as the options say. */
export interface PruningRules {
  /** Newest steps with a result that stay. */
  readonly minKeepSteps: number;
  /** Results that stay. */
  readonly skip: (result: BaseMessage) => boolean;
  /** Whether the calls of old steps may be edited too. */
  readonly withInputs: boolean;
}

/**
 * 1 for each message that may be edited: old results and, where asked for, the calls before them.
 *
 * What the model has not seen yet stays, and so does what was edited before.
 * The calls of a step go only where all its results may.
 *
 * @throws CompactionError `COMPACTION_FAILED` where `skip` fails
 */
export function prunableMessages(
  conversation: Conversation,
  { minKeepSteps, skip, withInputs }: PruningRules,
): Uint8Array {
  const { messages, roles, markers, stepOf, openCalls } = conversation;
  const seenUpTo = newestAnswer(conversation);
  const newestSteps = newestResultSteps(conversation, minKeepSteps);
  const stepsThatStay = new Set(newestSteps);
  const prunable = new Uint8Array(messages.length);
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index]!;
    if (!isToolResult(message) || markers.has(index)) {
      continue;
    }
    if (index > seenUpTo || askPredicate('Option "skip"', skip, message)) {
      stepsThatStay.add(stepOf[index]!);
    } else if (!newestSteps.has(stepOf[index]!)) {
      prunable[index] = 1;
    }
  }
  if (withInputs) {
    for (const { index } of openCalls) {
      stepsThatStay.add(stepOf[index]!);
    }
    for (let index = 0; index < messages.length; index += 1) {
      const stays = markers.has(index) || stepsThatStay.has(stepOf[index]!);
      if (roles[index] === "ai" && !stays) {
        prunable[index] = 1;
      }
    }
  }
  return prunable;
}

/** The newest steps that have a result. */
function newestResultSteps(
  { messages, stepOf }: Conversation,
  count: number,
): ReadonlySet<number> {
  const steps = new Set<number>();
  let index = messages.length - 1;
  while (index >= 0 && steps.size < count) {
    if (stepOf[index]! >= 0 && isToolResult(messages[index]!)) {
      steps.add(stepOf[index]!);
    }
    index -= 1;
  }
  return steps;
}
