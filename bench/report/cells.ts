import { type Measurement, medianOf, type SuiteResult } from "../results.js";
import { show } from "./format.js";
import type { Cell } from "./table.js";

/** How many times as much as the reference on the same input. */
export function ratioCell({ measurements, reference }: SuiteResult): Cell {
  return ({ on, value }) =>
    reference === undefined
      ? ""
      : `${show(value.median / medianOf(measurements, on, reference))}×`;
}

/** The median, and between what half of the samples lie. */
export function spreadCell({
  value: { median, lower, upper, samples },
}: Measurement): string {
  const spread = `${show(lower)}–${show(upper)}`;
  return samples === 1 ? show(median) : `${show(median)} (${spread})`;
}
