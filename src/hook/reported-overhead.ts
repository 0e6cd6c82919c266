import type { BaseMessage } from "@langchain/core/messages";
import type { RewriteTrace } from "./rewrite-trace.js";
import { reportedTokens } from "./usage.js";
import { vote } from "./vote.js";

/** A list that was counted. */
interface CountedList {
  readonly messages: readonly BaseMessage[];
  /** Tokens of each message, in order. */
  readonly counts: ArrayLike<number>;
  /** Tokens of all messages. */
  readonly total: number;
}

/**
 * What a request holds besides its messages, by the newest three reports that are not stale; tokens.
 *
 * What was found at the newest rewrite stands for the reports before it.
 *
 * @returns `undefined` where there is no such report
 */
export function reportedOverhead(
  { messages, counts, total }: CountedList,
  rewrite: RewriteTrace | undefined,
  inputWindow: number,
): number | undefined {
  const votes: number[] = [];
  const from = rewrite === undefined ? 0 : rewrite.staleUpTo + 1;
  let upTo = total;
  for (
    let index = messages.length - 1;
    index >= from && votes.length < 3;
    index -= 1
  ) {
    const reported = reportedTokens(messages[index]!);
    if (reported !== undefined) {
      votes.unshift(reported - upTo);
    }
    upTo -= counts[index]!;
  }
  if (votes.length === 0) {
    return undefined;
  }
  const before = rewrite?.overheadTokens;
  return vote(before === undefined ? votes : [before, ...votes], inputWindow);
}
