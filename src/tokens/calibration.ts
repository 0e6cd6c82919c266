/** What makes the size of a request out of a counter's count of its messages. */
export interface Calibration {
  /** True tokens for one token by the counter. */
  readonly counterFactor: number;
  /** Tokens of the request that are no messages. */
  readonly overheadTokens: number;
}

/** Nothing but messages, and the counter is right. */
export const UNCALIBRATED: Calibration = {
  counterFactor: 1,
  overheadTokens: 0,
};

/** Tokens of a request whose messages were counted. */
export function requestTokens(
  { counterFactor, overheadTokens }: Calibration,
  counted: number,
): number {
  return counterFactor * counted + overheadTokens;
}

/** The overhead that makes the same size of the same messages where the counter is taken as it is. */
export function bareOverhead(
  { counterFactor, overheadTokens }: Calibration,
  counted: number,
): number {
  return (counterFactor - 1) * counted + overheadTokens;
}
