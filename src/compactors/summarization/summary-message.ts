import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { FreeIds } from "../../conversation/free-ids.js";
import {
  MARKER_KEY,
  markerOf,
  type SummaryMarker,
} from "../../conversation/marker.js";
import { idOf } from "../../conversation/message.js";
import { escapeTags } from "./transcript.js";

const OPENING = "<conversation_summary>";
const CLOSING = "</conversation_summary>";

/**
 * The human message that stands for the messages of a portion.
 *
 * Its text says what it is, since a model takes what stands there for the
 * user's own words; a tag in the summary cannot end it early. Its id follows
 * from the first message that it covers; a summary that takes in an earlier
 * one at its place goes on under that one's id. `lc_source` is LangChain's
 * own word for a summary.
 */
export function createSummary(
  summary: string,
  covered: readonly BaseMessage[],
  summarizedMessages: number,
  ids: FreeIds,
): BaseMessage {
  const marker: SummaryMarker = {
    strategy: "summarization",
    summarizedMessages,
  };
  const id = idFor(covered, ids);
  return new HumanMessage({
    ...(id === undefined ? {} : { id }),
    content: `[Summary of ${summarizedMessages} earlier messages of this conversation, made to free up context. It is a record and no new request.]
${OPENING}
${escapeTags(summary.trim())}
${CLOSING}`,
    additional_kwargs: { [MARKER_KEY]: marker, lc_source: "summarization" },
  });
}

/** What a summary of ours says, without its frame; any other text as it is. */
export function withoutFrame(text: string): string {
  const start = text.indexOf(OPENING);
  const end = text.lastIndexOf(CLOSING);
  return start < 0 || end < start
    ? text
    : text.slice(start + OPENING.length, end).trim();
}

function idFor(
  covered: readonly BaseMessage[],
  ids: FreeIds,
): string | undefined {
  const first = covered.find(idOf);
  return first === undefined || markerOf(first)?.strategy === "summarization"
    ? first?.id
    : ids.take(`summary-${first.id}`);
}
