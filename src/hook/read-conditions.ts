import {
  type Condition,
  type ContextSize,
  goalOf,
  requireCondition,
} from "../conditions/condition.js";
import type { CompactionError } from "../errors.js";
import { invalidOption } from "../options.js";
import type { HookSettings } from "./settings.js";
import { tokenThreshold } from "./size-up.js";

const DEFAULT_COMPACT_AT = 0.7;
const DEFAULT_COMPACT_TO = 0.4;

/**
 * The conditions that a hook's `compactAt` and `compactTo` say.
 *
 * @throws CompactionError `INVALID_OPTION`
 */
export function readConditions(
  compactAt: number | Condition = DEFAULT_COMPACT_AT,
  compactTo: number | Condition | undefined,
  inputWindow: HookSettings["inputWindow"],
): Pick<HookSettings, "compactAt" | "compactTo"> {
  const at = partOrCondition("compactAt", compactAt);
  const isDefault = compactTo === undefined && typeof compactAt === "number";
  const to = partOrCondition(
    "compactTo",
    isDefault ? DEFAULT_COMPACT_TO : compactTo,
  );
  const starts = sizesIn(at);
  const ends = Object.entries(sizesIn(to));
  if (
    ends.length > 0 &&
    ends.every(([size, end]) => end >= (starts[size] ?? Infinity))
  ) {
    const [size, end] = ends[0]!;
    throw notBelow(end, String(starts[size]), isDefault);
  }
  if (typeof inputWindow === "number") {
    const start = tokenThreshold(at!, inputWindow);
    const end = goalOf(to, at, inputWindow).tokens;
    if (start !== undefined && end !== undefined && end >= start) {
      throw notBelow(end, `${start} tokens`, isDefault);
    }
  }
  return { compactAt: at!, compactTo: to };
}

function notBelow(
  end: number,
  start: string,
  isDefault: boolean,
): CompactionError {
  return invalidOption(
    "compactTo",
    end,
    `below "compactAt" (${start}), so that one compaction lasts for several calls${
      isDefault ? ` (its default is ${DEFAULT_COMPACT_TO}: set both)` : ""
    }`,
  );
}

function partOrCondition(
  option: string,
  value: number | Condition | undefined,
): Condition | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (typeof value === "number" && value > 0 && value <= 1) {
    return { fraction: value };
  }
  if (typeof value !== "function" && (typeof value !== "object" || !value)) {
    throw invalidOption(
      option,
      value,
      "a part of the window above 0 and at most 1, such as 0.7, a size such as { tokens: 8000 }, a function of the sizes, or an array of these",
    );
  }
  requireCondition(option, value);
  return value;
}

/** The sizes of a condition that is nothing else. */
function sizesIn(condition: Condition | undefined): Record<string, number> {
  return typeof condition === "object" && !Array.isArray(condition)
    ? Object.fromEntries(
        Object.entries(condition as ContextSize).filter(
          ([, size]) => size !== undefined,
        ),
      )
    : {};
}
