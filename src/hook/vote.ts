import type { Calibration } from "../tokens/calibration.js";

/** What is known of a request and its answer. */
export interface ReportedSize {
  /** Tokens, as reported. */
  readonly tokens: number;
  /** Tokens of the messages, the answer included, as counted. */
  readonly counted: number;
}

/**
 * What a request holds besides its messages, by the newest three reports.
 *
 * @param sizes at least one, the oldest first
 */
export function votedCalibration(
  sizes: readonly ReportedSize[],
  counterFactor: number,
  inputWindow: number,
): Calibration {
  const votes = sizes
    .slice(-3)
    .map(({ tokens, counted }) => tokens - counterFactor * counted);
  return { counterFactor, overheadTokens: vote(votes, inputWindow) };
}

/**
 * What the newest of three reports says; tokens.
 *
 * Where the two before it agree, to 1/32 of the window, and it is more than 1/8
 * of the window off both, it is outvoted, and the one before it counts. With
 * fewer than three, or where those two do not agree either, there is nobody to
 * outvote the newest.
 *
 * @param votes at most three, the oldest first
 */
function vote(votes: readonly number[], inputWindow: number): number {
  const newest = votes.at(-1)!;
  if (votes.length < 3) {
    return newest;
  }
  const [first, second] = votes as [number, number];
  const isAgreed = Math.abs(first - second) <= inputWindow / 32;
  const isOff =
    Math.abs(newest - first) > inputWindow / 8 &&
    Math.abs(newest - second) > inputWindow / 8;
  return isAgreed && isOff ? second : newest;
}
