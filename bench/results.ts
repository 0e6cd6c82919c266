import type { Summary } from "./statistics.js";

/** One contender on one input. */
export interface Measurement {
  readonly contender: string;
  /** What it was measured on: a column of the table. */
  readonly on: string;
  /** In the suite's unit. */
  readonly value: Summary;
}

/** A demand that a run is held to: always a number by which two things of one run differ. */
export interface Bar {
  readonly demand: string;
  readonly at: "least" | "most";
  readonly bar: number;
  readonly measured: number;
}

export interface SuiteResult {
  readonly title: string;
  /** What was done and how to read it. */
  readonly about: string;
  /** Of the measurements, where the columns do not say it. */
  readonly unit?: "ms";
  /** The contender that the others are divided by. */
  readonly reference?: string;
  readonly measurements: readonly Measurement[];
  readonly bars: readonly Bar[];
}

/** Part of a run; says what it is about by its result. */
export interface Suite {
  readonly name: string;
  run(plan: Plan): Promise<SuiteResult>;
}

/** How much a run does. */
export interface Plan {
  readonly isQuick: boolean;
}

/** What was measured in turns, as one column. */
export function columnOf(
  on: string,
  summaries: ReadonlyMap<string, Summary>,
): Measurement[] {
  return [...summaries].map(([contender, value]) => ({ contender, on, value }));
}

/** Name of the column of conversations of a length. */
export function ofLength(messages: number): string {
  return `${messages.toLocaleString("en")} messages`;
}

export function isMet({ at, bar, measured }: Bar): boolean {
  return at === "least" ? measured >= bar : measured <= bar;
}

/** How many times as long, or as large, one contender is as another on the same input. */
export function ratio(
  measurements: readonly Measurement[],
  on: string,
  contender: string,
  reference: string,
): number {
  return (
    medianOf(measurements, on, contender) /
    medianOf(measurements, on, reference)
  );
}

export function medianOf(
  measurements: readonly Measurement[],
  on: string,
  contender: string,
): number {
  const found = measurements.find(
    (measurement) =>
      measurement.on === on && measurement.contender === contender,
  );
  return found?.value.median ?? Number.NaN;
}
