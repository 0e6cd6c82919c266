import type { BaseMessage } from "@langchain/core/messages";
import { repairConversation } from "../health/repair-conversation.js";
import type { ReportDraft } from "./compact-measured.js";

/** A history mended so that every provider takes it; each mend goes into the report. */
export function heal(
  history: readonly BaseMessage[],
  draft: ReportDraft,
): readonly BaseMessage[] {
  const { messages, mends } = repairConversation(history as BaseMessage[]);
  if (mends.length > 0) {
    draft.mends = mends;
  }
  return messages;
}
