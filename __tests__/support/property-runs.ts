/** Milliseconds that a property over thousands of conversations may take; a long run has no end in sight. */
export const PROPERTY_TIMEOUT =
  process.env["PROPERTY_RUNS"] === undefined ? 300_000 : 86_400_000;

/**
 * How long property tests search: `PROPERTY_RUNS=10000` for a long run,
 * `PROPERTY_SEED=…` to go where an earlier run failed.
 *
 * A failure prints its seed and the path to the counterexample.
 */
export function propertyRuns(usual: number): {
  numRuns: number;
  seed?: number;
} {
  const { PROPERTY_RUNS, PROPERTY_SEED } = process.env;
  return {
    numRuns: PROPERTY_RUNS === undefined ? usual : Number(PROPERTY_RUNS),
    ...(PROPERTY_SEED === undefined ? {} : { seed: Number(PROPERTY_SEED) }),
  };
}
