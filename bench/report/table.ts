import type { Measurement } from "../results.js";

/** What stands in a place of a table. */
export type Cell = (measurement: Measurement) => string;

/** Contenders by inputs, the longer of them downwards; the first row and column are the names. */
export function tableOf(
  measurements: readonly Measurement[],
  cell: Cell,
): string[][] {
  const contenders = [...new Set(measurements.map((one) => one.contender))];
  const inputs = [...new Set(measurements.map(({ on }) => on))];
  const find = (contender: string, on: string): string => {
    const found = measurements.find(
      (one) => one.contender === contender && one.on === on,
    );
    return found === undefined ? "" : cell(found);
  };
  return contenders.length >= inputs.length
    ? [
        ["", ...inputs],
        ...contenders.map((contender) => [
          contender,
          ...inputs.map((on) => find(contender, on)),
        ]),
      ]
    : [
        ["", ...contenders],
        ...inputs.map((on) => [
          on,
          ...contenders.map((contender) => find(contender, on)),
        ]),
      ];
}
