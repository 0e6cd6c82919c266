import type { BaseMessage } from "@langchain/core/messages";
import { SlidingWindowCompactor } from "langchain-compaction";
import type { Outcome } from "./departure.js";
import { idsOf } from "./make-messages.js";
import type { WindowRules } from "./sliding-window-rules.js";

/** One pass of the package's sliding window, asked as the rules say. */
export async function runSlidingWindow(
  messages: readonly BaseMessage[],
  { target, minKeepSteps, note, count, pin }: WindowRules,
): Promise<BaseMessage[] | null> {
  const compactor = new SlidingWindowCompactor({
    minKeepSteps,
    omissionNote: note,
    ...(pin === undefined ? {} : { pin }),
  });
  return compactor.compact(messages, {
    targetTokens: target,
    tokenCounter: ([message]) => count(message!),
  });
}

/** What came out, in the words that the reference's results are compared in. */
export function actualOutcome(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[] | null,
): Outcome | null {
  if (after === null) {
    return null;
  }
  const known = new Set(before);
  const position = after.findIndex((message) => !known.has(message));
  const marker = after[position]?.additional_kwargs["context_compaction"] as
    | { removedMessages: number }
    | undefined;
  return {
    kept: idsOf(after.filter((message) => known.has(message))),
    position: marker === undefined ? null : position,
    removedMessages: marker?.removedMessages ?? null,
  };
}
