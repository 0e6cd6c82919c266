/** The errors of a model at given parameters, one a sample. */
export type Residuals = (parameters: readonly number[]) => number[];

/**
 * Finds the parameters with the least weighted squares of errors
 * (Levenberg-Marquardt, derivatives by differences, a light pull to the start).
 */
export function leastSquares(
  residuals: Residuals,
  weights: readonly number[],
  start: readonly number[],
  { rounds = 12, pull = 1e-3, step = 0.01 } = {},
): number[] {
  let parameters = [...start];
  let errors = residuals(parameters);
  let loss = lossOf(errors, parameters);
  let damping = 1e-2;

  for (let round = 0; round < rounds; round++) {
    const slopes = parameters.map((value, i) => {
      const moved = residuals(parameters.with(i, value + step));
      return moved.map((error, sample) => (error - errors[sample]!) / step);
    });
    const gradient = slopes.map(
      (slope, i) => -dot(slope, errors) - pull * (parameters[i]! - start[i]!),
    );
    const curvature = slopes.map((a, i) =>
      slopes.map((b, j) => dot(a, b) + (i === j ? pull : 0)),
    );
    let hasImproved = false;
    for (let attempt = 0; attempt < 8 && !hasImproved; attempt++) {
      const damped = curvature.map((row, i) =>
        row.map((value, j) => (i === j ? value * (1 + damping) : value)),
      );
      const change = solve(damped, gradient);
      const tried = parameters.map((value, i) => value + change[i]!);
      const triedErrors = residuals(tried);
      const triedLoss = lossOf(triedErrors, tried);
      if (triedLoss < loss) {
        [parameters, errors, loss] = [tried, triedErrors, triedLoss];
        damping /= 3;
        hasImproved = true;
      } else {
        damping *= 4;
      }
    }
    console.log(`round ${round + 1}: loss ${loss.toFixed(5)}`);
    if (!hasImproved) {
      break;
    }
  }
  return parameters;

  function lossOf(of: readonly number[], at: readonly number[]): number {
    return (
      dot(of, of) +
      pull * at.reduce((total, value, i) => total + (value - start[i]!) ** 2, 0)
    );
  }

  function dot(a: readonly number[], b: readonly number[]): number {
    let total = 0;
    for (let i = 0; i < a.length; i++) {
      total += weights[i]! * a[i]! * b[i]!;
    }
    return total;
  }
}

/** Gaussian elimination with row exchange. */
function solve(
  matrix: readonly (readonly number[])[],
  right: readonly number[],
): number[] {
  const rows = matrix.map((row, i) => [...row, right[i]!]);
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    let best = column;
    for (let row = column + 1; row < size; row++) {
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[best]![column]!)) {
        best = row;
      }
    }
    [rows[column], rows[best]] = [rows[best]!, rows[column]!];
    for (let row = column + 1; row < size; row++) {
      const factor = rows[row]![column]! / rows[column]![column]!;
      for (let k = column; k <= size; k++) {
        rows[row]![k]! -= factor * rows[column]![k]!;
      }
    }
  }
  const solution = Array.from({ length: size }, () => 0);
  for (let row = size - 1; row >= 0; row--) {
    let rest = rows[row]![size]!;
    for (let k = row + 1; k < size; k++) {
      rest -= rows[row]![k]! * solution[k]!;
    }
    solution[row] = rest / rows[row]![row]!;
  }
  return solution;
}
