import { invalidOption, requireKnownOptions } from "../options.js";

/** What `chooseThresholds` goes by. Prices are per token, in any one unit. */
export interface ThresholdCosts {
  /** Input tokens: the window less what is left to the answer. */
  contextWindow: number;
  /** Of an input token that the provider's prompt cache holds. */
  cachedPrice: number;
  /** Of an input token that it does not. */
  uncachedPrice: number;
  /** Tokens by which the request grows from one call to the next. */
  growthPerCall: number;
  /** Tokens of the request that a compaction is to leave: what the task needs. @default 0.4 of the window */
  keptTokens?: number;
  /** Tokens of the kept ones before the first that changes: tools, instructions. @default 0 */
  fixedTokens?: number;
  /** What one compaction costs besides, as a price: the calls that write a summary. @default 0 */
  compactionPrice?: number;
}

/** Parts of the window, as `CompactionHook` takes them. */
export interface Thresholds {
  readonly compactAt: number;
  readonly compactTo: number;
}

const OPTIONS = [
  "contextWindow",
  "cachedPrice",
  "uncachedPrice",
  "growthPerCall",
  "keptTokens",
  "fixedTokens",
  "compactionPrice",
] as const satisfies readonly (keyof ThresholdCosts)[];

/** Part of the window that is used at most: an estimate may be off. */
const CEILING = 0.9;

/**
 * The thresholds at which a long conversation costs least.
 *
 * A late compaction means long requests, an early one means that the prompt
 * cache breaks often. With d tokens between the two thresholds, a call costs
 * cachedPrice × d ÷ 2 for the one and growthPerCall ÷ d × what a compaction
 * costs for the other; the sum is least where both are the same. Derived in
 * docs/cost.md.
 *
 * @throws CompactionError `INVALID_OPTION`
 */
export function chooseThresholds(costs: ThresholdCosts): Thresholds {
  requireKnownOptions("chooseThresholds", costs, OPTIONS);
  const { contextWindow, cachedPrice, uncachedPrice, growthPerCall } = costs;
  requireAmount("contextWindow", contextWindow, 1);
  const {
    keptTokens = Math.max(0.4 * contextWindow, 1),
    fixedTokens = 0,
    compactionPrice = 0,
  } = costs;
  requireAmount("cachedPrice", cachedPrice, 0);
  requireAmount("uncachedPrice", uncachedPrice, cachedPrice);
  requireAmount("growthPerCall", growthPerCall, 1);
  requireAmount("keptTokens", keptTokens, 1);
  const most = CEILING * contextWindow;
  requireRoom(costs, most);
  requireAmount("fixedTokens", fixedTokens, 0, keptTokens);
  requireAmount("compactionPrice", compactionPrice, 0);
  const perCompaction =
    (uncachedPrice - cachedPrice) * (keptTokens - fixedTokens) +
    compactionPrice;
  // Free cached tokens, or free compactions: the quotient says infinity or zero.
  const runway =
    perCompaction === 0
      ? 0
      : Math.sqrt((2 * growthPerCall * perCompaction) / cachedPrice);
  const start = keptTokens + Math.max(runway, growthPerCall);
  return {
    compactAt: Math.min(start, most) / contextWindow,
    compactTo: keptTokens / contextWindow,
  };
}

/** Blames what can be mended: a number that was never given, or for which no value would do, is not named. */
function requireRoom(
  { contextWindow, growthPerCall, keptTokens }: ThresholdCosts,
  most: number,
): void {
  const room = Math.floor(most - growthPerCall);
  if (keptTokens !== undefined && room >= 1) {
    if (keptTokens + growthPerCall > most) {
      throw invalidOption(
        "keptTokens",
        keptTokens,
        `at most ${room}, so that a call's growth fits into ${CEILING} of the window`,
      );
    }
    return;
  }
  const least = Math.ceil(
    keptTokens === undefined
      ? Math.max(2 * growthPerCall, (1 + growthPerCall) / CEILING)
      : (keptTokens + growthPerCall) / CEILING,
  );
  if (contextWindow < least) {
    throw invalidOption(
      "contextWindow",
      contextWindow,
      `at least ${least} tokens, so that a call's growth of ${growthPerCall} fits beside what is kept into ${CEILING} of it`,
    );
  }
}

function requireAmount(
  option: keyof ThresholdCosts,
  value: unknown,
  least: number,
  most = Infinity,
): void {
  if (
    typeof value !== "number" ||
    !Number.isFinite(value) ||
    value < least ||
    value > most
  ) {
    const range =
      most < Infinity ? `from ${least} to ${most}` : `${least} or more`;
    throw invalidOption(option, value, `a number, ${range}`);
  }
}
