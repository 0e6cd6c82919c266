import type { Calibration } from "../tokens/calibration.js";
import { counterFactor, LOOKED_AT } from "./counter-factor.js";
import type { KnownList } from "./known-list.js";
import type { RewriteTrace } from "./rewrite-trace.js";
import { votedCalibration } from "./vote.js";

/**
 * What a request holds besides its messages, and how the counter is off, by the newest reports that are not stale.
 *
 * What was found at the newest rewrite stands for the reports before it.
 *
 * @returns `undefined` where there is neither
 */
export function reportedCalibration(
  { reports }: KnownList,
  rewrite: RewriteTrace | undefined,
  inputWindow: number,
): Calibration | undefined {
  const staleUpTo = rewrite?.staleUpTo ?? -1;
  const fresh = reports
    .slice(-LOOKED_AT)
    .filter(({ index }) => index > staleUpTo);
  const before = rewrite?.overheadTokens;
  const sizes =
    before === undefined ? fresh : [{ tokens: before, counted: 0 }, ...fresh];
  return sizes.length === 0
    ? undefined
    : votedCalibration(sizes, counterFactor(fresh), inputWindow);
}
