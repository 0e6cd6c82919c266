import { CompactionError } from "../errors.js";
import { invalidOption } from "../options.js";
import { askPredicate } from "./ask-predicate.js";
import { type Calibration, UNCALIBRATED } from "../tokens/calibration.js";
import type { ConversationMetrics } from "../tokens/metrics.js";

/**
 * A size of a conversation, in LangChain's form: all keys of one object must hold.
 *
 * As a trigger it means "at or above", as a target "at or below". It is plain
 * data and survives JSON.
 */
export interface ContextSize {
  /** Tokens, a whole number. */
  readonly tokens?: number;
  /** Part of the context window, above 0 and at most 1. */
  readonly fraction?: number;
  readonly messages?: number;
  readonly turns?: number;
  readonly steps?: number;
  readonly groups?: number;
  readonly toolCalls?: number;
}

/** A condition in code, over the sizes of the conversation. */
export type ContextPredicate = (metrics: ConversationMetrics) => boolean;

/** A size, a predicate, or several of which any may hold. */
export type Condition =
  | ContextSize
  | ContextPredicate
  | readonly (ContextSize | ContextPredicate)[];

/** What compaction works towards: a number of tokens where there is one, and always a question. */
export interface Goal {
  /** Tokens for the messages alone, by the counter in use. */
  readonly tokens: number | undefined;
  readonly holds: (metrics: ConversationMetrics) => boolean;
}

/**
 * Checks a condition when it is given.
 *
 * @throws CompactionError `INVALID_OPTION` that names the option.
 */
export function requireCondition(option: string, condition: unknown): void {
  if (Array.isArray(condition)) {
    if (condition.length === 0) {
      throw invalidOption(option, condition, EXPECTED);
    }
    for (let entry = 0; entry < condition.length; entry += 1) {
      requireOne(`${option}[${entry}]`, condition[entry]);
    }
  } else {
    requireOne(option, condition);
  }
}

/**
 * Whether a trigger fires at these sizes.
 *
 * @throws CompactionError `INVALID_OPTION` for a fraction where no window is known.
 */
export function triggerHolds(
  trigger: Condition,
  metrics: ConversationMetrics,
  contextWindow: number | undefined,
): boolean {
  return anyOf(trigger, metrics, contextWindow, (value, size) => value >= size);
}

/** @throws CompactionError `COMPACTION_FAILED` where it throws or gives a promise */
export function askCondition(
  condition: ContextPredicate,
  metrics: ConversationMetrics,
): boolean {
  return askPredicate("A condition in code", condition, metrics);
}

/**
 * The goal that a target states, or without one the opposite of the trigger (MAF's default).
 *
 * @param calibration what the request takes besides the messages as counted
 * @throws CompactionError `MISSING_TARGET` where there is neither.
 */
export function goalOf(
  target: Condition | undefined,
  trigger: Condition | undefined,
  contextWindow: number | undefined,
  calibration: Calibration = UNCALIBRATED,
): Goal {
  if (typeof target === "function") {
    return { tokens: undefined, holds: target };
  }
  if (target !== undefined) {
    const tokens = tokensOnly(target, contextWindow);
    return {
      tokens: tokens === undefined ? undefined : countedIn(tokens, calibration),
      holds: (metrics) =>
        anyOf(target, metrics, contextWindow, (value, size) => value <= size),
    };
  }
  if (trigger !== undefined) {
    return {
      tokens: undefined,
      holds: (metrics) => !triggerHolds(trigger, metrics, contextWindow),
    };
  }
  throw new CompactionError(
    "MISSING_TARGET",
    'Nothing says how far to compact: give "targetTokens" (tokens), "target" or "trigger", to the constructor, with withConfig(), or to the call.',
  );
}

/** What the messages of a request of this size may count. */
function countedIn(
  tokens: number,
  { counterFactor, overheadTokens }: Calibration,
): number {
  return Math.max((tokens - overheadTokens) / counterFactor, 0);
}

const SIZE_KEYS = [
  "tokens",
  "fraction",
  "messages",
  "turns",
  "steps",
  "groups",
  "toolCalls",
] as const;

const EXPECTED =
  "a size such as { tokens: 8000 } or { fraction: 0.8 }, a function of the sizes, or an array of these";

function requireOne(option: string, condition: unknown): void {
  if (typeof condition === "function") {
    return;
  }
  if (
    typeof condition !== "object" ||
    condition === null ||
    Array.isArray(condition)
  ) {
    throw invalidOption(option, condition, EXPECTED);
  }
  const entries = Object.entries(condition).filter(
    ([, value]) => value !== undefined,
  );
  if (entries.length === 0) {
    throw invalidOption(option, condition, EXPECTED);
  }
  for (const [key, value] of entries) {
    if (!(SIZE_KEYS as readonly string[]).includes(key)) {
      throw new CompactionError(
        "INVALID_OPTION",
        `Option "${option}" has no size "${key}". Its sizes are ${SIZE_KEYS.join(", ")}.`,
      );
    }
    if (key === "fraction") {
      if (typeof value !== "number" || !(value > 0 && value <= 1)) {
        throw invalidOption(
          `${option}.fraction`,
          value,
          "a number above 0 and at most 1",
        );
      }
    } else if (!Number.isSafeInteger(value) || (value as number) < 0) {
      throw invalidOption(
        `${option}.${key}`,
        value,
        "a whole number, 0 or more",
      );
    }
  }
}

function anyOf(
  condition: Condition,
  metrics: ConversationMetrics,
  contextWindow: number | undefined,
  compare: (value: number, size: number) => boolean,
): boolean {
  const entries = (
    Array.isArray(condition) ? condition : [condition]
  ) as readonly (ContextSize | ContextPredicate)[];
  return entries.some((entry) =>
    typeof entry === "function"
      ? askCondition(entry, metrics)
      : SIZE_KEYS.every((key) => {
          const size = entry[key];
          if (size === undefined) {
            return true;
          }
          return key === "fraction"
            ? compare(metrics.tokens, size * windowFor(contextWindow))
            : compare(metrics[key], size);
        }),
  );
}

/** A target that is nothing but a number of tokens, which may be looked at before anything goes. */
function tokensOnly(
  target: Condition,
  contextWindow: number | undefined,
): number | undefined {
  const only =
    Array.isArray(target) && target.length === 1
      ? (target[0] as Condition)
      : target;
  if (typeof only === "function" || Array.isArray(only)) {
    return undefined;
  }
  const size = only as ContextSize;
  const given = SIZE_KEYS.filter((key) => size[key] !== undefined);
  if (given.some((key) => key !== "tokens" && key !== "fraction")) {
    return undefined;
  }
  return Math.min(
    size.tokens ?? Infinity,
    size.fraction === undefined
      ? Infinity
      : Math.floor(size.fraction * windowFor(contextWindow)),
  );
}

function windowFor(contextWindow: number | undefined): number {
  if (contextWindow === undefined) {
    throw new CompactionError(
      "INVALID_OPTION",
      'A size "fraction" needs to know the context window: use it in a hook with "contextWindow", or give { tokens } instead.',
    );
  }
  return contextWindow;
}
