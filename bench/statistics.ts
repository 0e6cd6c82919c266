/** What a set of samples comes to; the unit is that of the samples. */
export interface Summary {
  median: number;
  /** First and third quartile: half of the samples lie between them. */
  lower: number;
  upper: number;
  samples: number;
}

export function summarize(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    lower: quantile(sorted, 0.25),
    upper: quantile(sorted, 0.75),
    samples: sorted.length,
  };
}

/** The `e` of `time = c · size^e` between two sizes. */
export function growthExponent(
  small: { size: number; time: number },
  large: { size: number; time: number },
): number {
  return Math.log(large.time / small.time) / Math.log(large.size / small.size);
}

function quantile(sorted: readonly number[], part: number): number {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)]!;
  const above = sorted[Math.ceil(place)]!;
  return below + (above - below) * (place - Math.floor(place));
}
