import { isMadeByMachine } from "../../conversation/anatomy.js";
import { FreeIds } from "../../conversation/free-ids.js";
import { originalsBehind } from "../../conversation/marker.js";
import { CompactionError } from "../../errors.js";
import type { MeasuredConversation } from "../../tokens/measured-conversation.js";
import { isSummary, type Portion } from "./portion.js";
import { createSummary, withoutFrame } from "./summary-message.js";
import { type PortionSetting, summarizePortion } from "./summarize-portion.js";
import { entriesOf, summaryEntry, textOf } from "./transcript.js";

/**
 * The conversation with one summary where the portion's first message was.
 *
 * Messages that stand between those of the portion follow the summary.
 *
 * @throws CompactionError `SUMMARIZATION_FAILED`; `SUMMARY_NOT_SMALLER` where
 *   the conversation would not be smaller
 */
export async function replacePortion(
  { members }: Portion,
  measured: MeasuredConversation,
  setting: PortionSetting,
): Promise<MeasuredConversation> {
  const { conversation, messages } = measured;
  const entries = members.flatMap((index) =>
    isSummary(conversation, index)
      ? [summaryEntry(withoutFrame(textOf(messages[index]!.content)))]
      : entriesOf(messages[index]!, isMadeByMachine(conversation, index)),
  );
  const replaced = members.map((index) => messages[index]!);
  const text = await summarizePortion(entries, replaced, setting);
  const summary = createSummary(
    text,
    replaced,
    members.reduce(
      (sum, index) => sum + originalsBehind(conversation.markers.get(index)),
      0,
    ),
    new FreeIds(messages),
  );
  const covered = new Set(members);
  const result = await measured.remeasure(
    messages.flatMap((message, index) =>
      index === members[0] ? [summary] : covered.has(index) ? [] : [message],
    ),
    setting.signal,
  );
  if (result.total >= measured.total) {
    throw new CompactionError(
      "SUMMARY_NOT_SMALLER",
      "The summary is no smaller than what it would stand for.",
    );
  }
  return result;
}
