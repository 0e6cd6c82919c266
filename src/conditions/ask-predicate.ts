import { CompactionError } from "../errors.js";

/**
 * What a predicate among the options says.
 *
 * @param name as it is called in errors
 * @throws CompactionError `COMPACTION_FAILED` where it throws, or gives a
 *   promise, which would pass for `true`
 */
export function askPredicate<Value>(
  name: string,
  predicate: (value: Value) => boolean,
  value: Value,
): boolean {
  let answer: unknown;
  try {
    answer = predicate(value);
  } catch (cause) {
    throw new CompactionError("COMPACTION_FAILED", `${name} threw.`, { cause });
  }
  if (answer instanceof Promise) {
    throw new CompactionError(
      "COMPACTION_FAILED",
      `${name} must return true or false, it returned a promise.`,
    );
  }
  return Boolean(answer);
}
