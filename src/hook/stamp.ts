import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../conversation/copy-message.js";
import {
  type CompactionStrategy,
  isNote,
  MARKER_KEY,
  markerOf,
  type RewriteMarker,
  type RewriteStamp,
  type ViewDecision,
} from "../conversation/marker.js";
import { idOf, roleOf } from "../conversation/message.js";
import { newestReport } from "./usage.js";

/** What is known of a rewrite. */
export interface RewriteFacts {
  readonly strategy: CompactionStrategy;
  /** Tokens of the request that are no messages of the list, where it is to stand until the next report. */
  readonly overheadTokens: number | undefined;
  /** Original messages gone so far, over all passes. */
  readonly removedMessages: number;
}

/**
 * The rewritten list with what the next pass has to know: which reports are stale now.
 *
 * It rides on the note of this pass. Where there is none it rides on a copy of
 * the newest AI message that has a report, in `response_metadata`, which no
 * provider is sent; without such a message there is nothing stale.
 */
export function stampRewrite(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
  { strategy, overheadTokens, removedMessages }: RewriteFacts,
): BaseMessage[] {
  const newest = before.findLast((message) => roleOf(message) === "ai");
  const lastReportId = newest && idOf(newest);
  const stamp: RewriteStamp = {
    ...(lastReportId === undefined ? {} : { lastReportId }),
    ...(overheadTokens === undefined ? {} : { overheadTokens }),
  };
  const stamped = [...after];
  const note = after.findIndex(
    (message) => isNote(markerOf(message)) && !before.includes(message),
  );
  if (note >= 0) {
    const message = after[note]!;
    stamped[note] = copyMessage(message, {
      additional_kwargs: {
        ...message.additional_kwargs,
        [MARKER_KEY]: {
          ...markerOf(message),
          keptMessages: after.length - 1,
          ...stamp,
        },
      },
    });
    return stamped;
  }
  const reported = newestReport(after)?.index;
  if (reported !== undefined) {
    const message = after[reported]!;
    const marker: RewriteMarker = {
      strategy,
      removedMessages,
      keptMessages: after.length,
      ...stamp,
    };
    stamped[reported] = copyMessage(message, {
      response_metadata: { ...message.response_metadata, [MARKER_KEY]: marker },
    });
  }
  return stamped;
}

/** A model's answer with what was decided for its call written down on it. */
export function stampDecision<Answer extends BaseMessage>(
  answer: Answer,
  decision: ViewDecision,
): Answer {
  return copyMessage(answer, {
    response_metadata: { ...answer.response_metadata, [MARKER_KEY]: decision },
  });
}
