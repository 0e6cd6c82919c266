import { CompactionError } from "./errors.js";

/**
 * Refuses options that the owner does not have: a typo must not silently change what goes.
 *
 * @throws CompactionError `INVALID_OPTION`
 */
export function requireKnownOptions(
  owner: string,
  given: unknown,
  known: readonly string[],
): void {
  if (typeof given !== "object" || given === null) {
    throw new CompactionError(
      "INVALID_OPTION",
      `${owner} takes its options as an object, got ${show(given)}.`,
    );
  }
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) {
    return;
  }
  throw new CompactionError(
    "INVALID_OPTION",
    Array.isArray(given) || classOf(given) !== undefined
      ? `${owner} takes its options as an object, with any of ${known.join(", ")}, got ${show(given)}.`
      : `${owner} has no option "${unknown}". Its options are ${known.join(", ")}.`,
  );
}

/** @throws CompactionError `INVALID_OPTION` unless the value is a whole number of at least `least`. */
export function requireWholeNumber(
  option: string,
  value: unknown,
  least: number,
  unit: string,
): void {
  if (!Number.isSafeInteger(value) || (value as number) < least) {
    throw invalidOption(
      option,
      value,
      `a whole number of ${unit}, ${least} or more`,
    );
  }
}

/** @throws CompactionError `INVALID_OPTION` unless the value is `true`, `false` or absent. */
export function requireSwitch(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean") {
    throw invalidOption(option, value, "true or false");
  }
}

/** The error for an option whose value is wrong: names the option, the value and what would be right. */
export function invalidOption(
  option: string,
  value: unknown,
  expected: string,
): CompactionError {
  return new CompactionError(
    "INVALID_OPTION",
    `Option "${option}" must be ${expected}, got ${show(value)}.`,
  );
}

/** A value in an error message, short and on one line. */
export function show(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  }
  if (typeof value === "function") {
    return isClass(value) ? `the class ${value.name}` : "a function";
  }
  if (typeof value !== "object" || value === null) {
    return String(value);
  }
  if (Array.isArray(value)) {
    return `an array of ${value.length}`;
  }
  const name = classOf(value);
  return name === undefined
    ? `an object with the keys ${Object.keys(value).slice(0, 8).join(", ") || "(none)"}`
    : `an instance of ${name}`;
}

/** Whether it has to be called with `new`: whoever gives it has forgotten that. */
export function isClass(value: unknown): boolean {
  return (
    typeof value === "function" &&
    /^class\b/.test(Function.prototype.toString.call(value))
  );
}

/** The name of an object's class, `undefined` for a plain object. */
function classOf(value: object): string | undefined {
  const { constructor: made } = value as { constructor?: unknown };
  return isClass(made) ? (made as { name: string }).name : undefined;
}
