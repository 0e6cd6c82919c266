/** A request that its provider reported on. */
export interface ReportedRequest {
  /** Tokens, as reported. */
  readonly inputTokens: number;
  /** Tokens of its messages, as counted. */
  readonly sentTokens: number;
  /** Name of the model, where it is known. */
  readonly model: string | undefined;
  /** Messages of ours up to there, which stand for what other requests held. */
  readonly marks: number;
}

/** Reports, the newest ones, that say something of the counter. */
export const LOOKED_AT = 16;

/** Whoever is off by more counts no tokens. */
export const LARGEST_FACTOR = 4;

/**
 * True tokens for one token by the counter, by what reports of one list say; 1 where they say nothing.
 *
 * Two requests differ by the messages between them and by nothing else, so that
 * what else they hold cancels. Each pair gives a ratio of what was reported to
 * what was counted, and their median is the factor, to three decimals: where at
 * least two, and at least half of all pairs, are within 15 % of it. A pair whose
 * ratio no counter of tokens could have is one that does not agree. Only the
 * newest report's model counts, and no pair with a message of ours in between.
 *
 * @param requests of one list, the oldest first
 */
export function counterFactor(requests: readonly ReportedRequest[]): number {
  const newest = requests.at(-1);
  if (requests.length < 3 || newest === undefined) {
    return 1;
  }
  const ratios: number[] = [];
  let pairs = 0;
  let later = newest;
  const oldest = Math.max(0, requests.length - LOOKED_AT);
  for (let index = requests.length - 2; index >= oldest; index -= 1) {
    const earlier = requests[index]!;
    if (earlier.model !== newest.model) {
      continue;
    }
    const counted = later.sentTokens - earlier.sentTokens;
    if (earlier.marks !== later.marks) {
      later = earlier;
    } else if (counted >= LEAST_COUNTED) {
      const ratio = (later.inputTokens - earlier.inputTokens) / counted;
      if (ratio >= 1 / LARGEST_FACTOR && ratio <= LARGEST_FACTOR) {
        ratios.push(ratio);
      }
      pairs += 1;
      later = earlier;
    }
  }
  if (ratios.length < 2) {
    return 1;
  }
  const factor = medianOf(ratios);
  const agreeing = ratios.filter(
    (ratio) => Math.abs(ratio - factor) <= TOLERANCE * factor,
  );
  return agreeing.length >= Math.max(2, pairs / 2)
    ? Math.round(factor * 1000) / 1000
    : 1;
}

/** Tokens between two requests, below which rounding and framing decide. */
const LEAST_COUNTED = 100;

const TOLERANCE = 0.15;

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]!
    : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
