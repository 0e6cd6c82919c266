import type { BaseMessage } from "@langchain/core/messages";
import { isFiller, markerOf } from "../conversation/marker.js";
import type { RuleSet } from "../health/provider.js";
import {
  repairConversation,
  repairOrder,
} from "../health/repair-conversation.js";
import type { MeasuredConversation } from "../tokens/measured-conversation.js";
import type { ReportDraft } from "./compact-measured.js";

/**
 * A history mended so that its providers take it; each mend goes into the report.
 *
 * One of which nothing would be left stays as it is: no provider takes an
 * empty list either.
 */
export function heal(
  history: readonly BaseMessage[],
  provider: RuleSet,
  draft: ReportDraft,
): readonly BaseMessage[] {
  const { messages, mends } = repairConversation(history, { provider });
  if (mends.length === 0 || messages.length === 0) {
    return history;
  }
  draft.mends = mends;
  return messages;
}

/** A conversation without the messages that a repair or an earlier compaction put in between; what is left needs others. */
export function withoutFillers(
  measured: MeasuredConversation,
  signal: AbortSignal | undefined,
): MeasuredConversation | Promise<MeasuredConversation> {
  const { messages } = measured;
  const whole = messages.filter((message) => !isFiller(markerOf(message)));
  return whole.length === 0 ? measured : measured.remeasure(whole, signal);
}

/** What a compaction made, with short messages where it brought together roles that may not meet. */
export function bridge(
  result: MeasuredConversation,
  provider: RuleSet,
  signal: AbortSignal | undefined,
): MeasuredConversation | Promise<MeasuredConversation> {
  const { messages } = repairOrder(result.messages, provider);
  return result.remeasure(messages, signal);
}
