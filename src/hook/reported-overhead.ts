import type { KnownList } from "./known-list.js";
import type { RewriteTrace } from "./rewrite-trace.js";
import { vote } from "./vote.js";

/**
 * What a request holds besides its messages, by the newest three reports that are not stale; tokens.
 *
 * What was found at the newest rewrite stands for the reports before it.
 *
 * @returns `undefined` where there is no such report
 */
export function reportedOverhead(
  { reports }: KnownList,
  rewrite: RewriteTrace | undefined,
  inputWindow: number,
): number | undefined {
  const staleUpTo = rewrite?.staleUpTo ?? -1;
  const votes = reports
    .slice(-3)
    .filter(({ index }) => index > staleUpTo)
    .map(({ tokens, counted }) => tokens - counted);
  if (votes.length === 0) {
    return undefined;
  }
  const before = rewrite?.overheadTokens;
  return vote(before === undefined ? votes : [before, ...votes], inputWindow);
}
