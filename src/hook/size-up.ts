import { type BaseMessageLike, SystemMessage } from "@langchain/core/messages";
import {
  type Condition,
  type ContextSize,
  triggerHolds,
} from "../conditions/condition.js";
import { coerceMessages } from "../conversation/coerce-messages.js";
import { countToolDefinitions } from "../tokens/ask-counter.js";
import { type Calibration, requestTokens } from "../tokens/calibration.js";
import {
  type MeasuredConversation,
  measure,
} from "../tokens/measured-conversation.js";
import { whenReady } from "../when-ready.js";
import { type KnownList, KnownLists } from "./known-list.js";
import { newestReport } from "./usage.js";
import { reportedCalibration } from "./reported-calibration.js";
import { LARGEST_FACTOR } from "./counter-factor.js";
import type { HookSettings } from "./settings.js";

/** The request as the model would get it now. */
export interface RequestSize {
  /** Tokens: by the provider's report where there is one, else by the counter. */
  readonly estimate: number;
  /** Whether the trigger holds. */
  readonly isDue: boolean;
  /** The messages with their tokens and what the request has besides; absent where that was not looked at. */
  readonly measured?: MeasuredConversation;
  /** Whether what it has besides is by reports, not only by the options. */
  readonly isReported: boolean;
}

/**
 * Sizes up the request, by Haystack's arithmetic.
 *
 * The estimate is the newest usable report and the counter's count of what
 * came after it, corrected where several reports agree on the counter's error;
 * without a report, the count of everything with tools, system
 * prompt and `overheadTokens`. Reports that the newest rewrite made stale are
 * not used: until a new one comes, the overhead that was found then stands. A
 * report that is far off two before it that agree is outvoted.
 * Well below a trigger in tokens only the newest messages are touched.
 *
 * @throws CompactionError `INVALID_MESSAGES` or `COUNTER_FAILED`
 */
export function sizeUp(
  given: readonly BaseMessageLike[],
  settings: HookSettings,
  inputWindow: number,
  signal: AbortSignal | undefined,
): RequestSize | Promise<RequestSize> {
  const { compactAt, tokenCounter } = settings;
  const threshold = tokenThreshold(compactAt, inputWindow);
  const list = KnownLists.of(tokenCounter).take(given);
  const sizeUpAll = (): RequestSize | Promise<RequestSize> =>
    whenReady(list.goOn(given, tokenCounter, signal), () => {
      const reported = reportedCalibration(list, list.rewrite, inputWindow);
      const isReported = reported !== undefined;
      return whenReady(
        reported ?? knownCalibration(settings, signal),
        (found) => ({
          ...sizeOf(list, found, settings, inputWindow),
          isReported,
        }),
      );
    });
  const report = newestReport(given, list.messages.length);
  if (report === undefined || threshold === undefined) {
    return sizeUpAll();
  }
  const tail = coerceMessages(given.slice(report.index + 1));
  return whenReady(measure(tail, tokenCounter, signal), (unseen) =>
    report.tokens + LARGEST_FACTOR * unseen.total < threshold
      ? // A stale report says too much, never too little: no need to look for a rewrite.
        {
          estimate: report.tokens + unseen.total,
          isDue: false,
          isReported: true,
        }
      : sizeUpAll(),
  );
}

function knownCalibration(
  settings: HookSettings,
  signal: AbortSignal | undefined,
): Calibration | Promise<Calibration> {
  return whenReady(knownOverhead(settings, signal), (overheadTokens) => ({
    counterFactor: 1,
    overheadTokens,
  }));
}

function sizeOf(
  list: KnownList,
  calibration: Calibration,
  { compactAt, tokenCounter }: HookSettings,
  inputWindow: number,
): Omit<RequestSize, "isReported"> {
  const threshold = tokenThreshold(compactAt, inputWindow);
  const estimate = requestTokens(calibration, list.total);
  if (threshold !== undefined && estimate < threshold) {
    KnownLists.of(tokenCounter).keep(list);
    return { estimate, isDue: false };
  }
  const measured = list.measured(tokenCounter, calibration);
  const isDue =
    threshold !== undefined ||
    triggerHolds(compactAt, measured.metrics(), inputWindow);
  return { estimate, isDue, measured };
}

/** Tokens of tools, system prompt and whatever else the options state. */
export function knownOverhead(
  { tools, systemPrompt, overheadTokens, tokenCounter }: HookSettings,
  signal: AbortSignal | undefined,
): number | Promise<number> {
  const besides =
    tools.length > 0
      ? overheadTokens + countToolDefinitions(tools, tokenCounter)
      : overheadTokens;
  if (systemPrompt === undefined) {
    return besides;
  }
  const prompt =
    typeof systemPrompt === "string"
      ? new SystemMessage(systemPrompt)
      : systemPrompt;
  return whenReady(
    measure([prompt], tokenCounter, signal),
    ({ total }) => besides + total,
  );
}

/** The trigger as a number of tokens, where it is nothing else. */
export function tokenThreshold(
  trigger: Condition,
  inputWindow: number,
): number | undefined {
  if (typeof trigger === "function" || Array.isArray(trigger)) {
    return undefined;
  }
  const sizes = trigger as ContextSize;
  for (const size in sizes) {
    const isOther = size !== "tokens" && size !== "fraction";
    if (isOther && sizes[size as keyof ContextSize] !== undefined) {
      return undefined;
    }
  }
  return Math.max(sizes.tokens ?? 0, (sizes.fraction ?? 0) * inputWindow);
}
