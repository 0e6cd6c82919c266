import type { BaseMessage } from "@langchain/core/messages";
import { repairConversation } from "../health/repair-conversation.js";
import type { ReportDraft } from "./compact-measured.js";

/**
 * A history mended so that every provider takes it; each mend goes into the report.
 *
 * One of which nothing would be left stays as it is: no provider takes an
 * empty list either.
 */
export function heal(
  history: readonly BaseMessage[],
  draft: ReportDraft,
): readonly BaseMessage[] {
  const { messages, mends } = repairConversation(history);
  if (mends.length === 0 || messages.length === 0) {
    return history;
  }
  draft.mends = mends;
  return messages;
}
