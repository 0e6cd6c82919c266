import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import type { BasePromptValueInterface } from "@langchain/core/prompt_values";
import {
  patchConfig,
  Runnable,
  type RunnableConfig,
} from "@langchain/core/runnables";
import {
  type Condition,
  goalOf,
  requireCondition,
} from "../conditions/condition.js";
import { coerceMessages } from "../conversation/coerce-messages.js";
import type { CompactionStrategy } from "../conversation/marker.js";
import { CompactionError } from "../errors.js";
import {
  invalidOption,
  requireSwitch,
  requireWholeNumber,
} from "../options.js";
import { defaultTokenCounter } from "../tokens/default-counter.js";
import { measure } from "../tokens/measured-conversation.js";
import {
  requireTokenCounter,
  type TokenCounterLike,
} from "../tokens/token-counter.js";
import type { SummaryMemory } from "./summarization/summary-memory.js";
import { type CompactionTarget, isDue, MeasuredTarget } from "./target.js";

/** What a compactor takes as a Runnable: messages, message-likes, a prompt value or a string. */
export type CompactorInput =
  | string
  | BasePromptValueInterface
  | readonly BaseMessageLike[];

/** When a compactor starts, how far it goes and what counts; every compactor takes these. */
export interface CompactorFields {
  /** It starts only where this holds. @default it starts while the target does not hold */
  trigger?: Condition;
  /** It works until this holds. @default the opposite of `trigger` */
  target?: Condition;
  /** Tokens; short for `target: { tokens: … }`. */
  targetTokens?: number;
  /** @default an estimate that needs no tokenizer */
  tokenCounter?: TokenCounterLike;
  /** Throw what fails in a run, instead of leaving the messages as they were. @default false */
  raiseOnFailure?: boolean;
}

/** Options of one call; they beat `withConfig`, which beats the constructor. */
export interface CompactorCallOptions extends RunnableConfig {
  trigger?: Condition;
  target?: Condition;
  /** Tokens. */
  targetTokens?: number;
  tokenCounter?: TokenCounterLike;
}

/** What a compactor is told besides the messages. */
export interface CompactOptions {
  readonly target: CompactionTarget;
  /** As it was given: our interface or LangChain's function. */
  readonly tokenCounter: TokenCounterLike;
  readonly signal?: AbortSignal | undefined;
  /** Tokens; what a `fraction` is a part of. */
  readonly contextWindow?: number | undefined;
  /** The run that this is part of, for calls of models within. */
  readonly config?: Partial<RunnableConfig> | undefined;
  /** Hears of each call of a model, for the report. */
  readonly onModelCall?: ((call: ModelCall) => void) | undefined;
  /** Hears of what failed without being thrown, for the report. */
  readonly onFailure?: ((cause: unknown) => void) | undefined;
  /** Summaries that were written before, and a place for new ones. @default none are remembered */
  readonly summaries?: SummaryMemory | undefined;
}

/** What a call of a model took, as its provider reports it. Tokens. */
export interface ModelCall {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Anything that shortens a list of messages: what a hook needs of a compactor. */
export interface CompactorLike {
  /**
   * Whether the result is a function of messages and options alone, as a view
   * of a history needs; a summary is not.
   *
   * @default true
   */
  readonly isDeterministic?: boolean;
  /**
   * A new, shorter list, or `null` where there is nothing useful to do.
   *
   * The list and its messages are the caller's and must not be changed.
   */
  compact(
    messages: readonly BaseMessage[],
    options: CompactOptions,
  ): Promise<BaseMessage[] | null>;
}

/** The names of the options that every compactor takes. */
export const COMPACTOR_FIELDS: readonly (keyof CompactorFields)[] = [
  "trigger",
  "target",
  "targetTokens",
  "tokenCounter",
  "raiseOnFailure",
];

/**
 * Shortens a conversation. As a Runnable it takes what LCEL hands it and returns messages.
 *
 * Extend it and write `compact` for a compactor of your own.
 */
export abstract class Compactor
  extends Runnable<CompactorInput, BaseMessage[], CompactorCallOptions>
  implements CompactorLike
{
  lc_namespace: string[] = ["langchain_compaction", "compactors"];
  /** What the markers of its work say. */
  readonly strategy: CompactionStrategy = "custom";
  /** Whether the result is a function of messages and options alone. */
  readonly isDeterministic: boolean = true;
  readonly trigger: Condition | undefined;
  readonly target: Condition | undefined;
  readonly tokenCounter: TokenCounterLike | undefined;
  readonly raiseOnFailure: boolean;

  /** @throws CompactionError `INVALID_OPTION` */
  constructor(fields: CompactorFields = {}) {
    super();
    requireCompactorFields(fields);
    requireSwitch("raiseOnFailure", fields.raiseOnFailure);
    this.trigger = fields.trigger;
    this.target = targetIn(fields);
    this.tokenCounter = fields.tokenCounter;
    this.raiseOnFailure = fields.raiseOnFailure ?? false;
  }

  abstract compact(
    messages: readonly BaseMessage[],
    options: CompactOptions,
  ): Promise<BaseMessage[] | null>;

  /**
   * The messages, compacted where they need it; those that stay are the same objects.
   *
   * Where counting or compacting fails, the messages come back as they were.
   *
   * @throws CompactionError `MISSING_TARGET`, `INVALID_OPTION` or
   *   `INVALID_MESSAGES`; with `raiseOnFailure` whatever failed.
   */
  override async invoke(
    input: CompactorInput,
    options: Partial<CompactorCallOptions> = {},
  ): Promise<BaseMessage[]> {
    requireCompactorFields(options);
    const trigger = options.trigger ?? this.trigger;
    const goal = goalOf(targetIn(options) ?? this.target, trigger, undefined);
    const tokenCounter =
      options.tokenCounter ?? this.tokenCounter ?? defaultTokenCounter;
    const run = async (
      given: CompactorInput,
      config?: Partial<RunnableConfig>,
      runManager?: CallbackManagerForChainRun,
    ): Promise<BaseMessage[]> => {
      const messages = coerceMessages(given);
      const signal = config?.signal;
      try {
        const measured = await measure(messages, tokenCounter, signal);
        const compacted = isDue(trigger, goal, measured, undefined)
          ? await this.compact(messages, {
              target: new MeasuredTarget(goal, measured),
              tokenCounter,
              signal,
              config: patchConfig(config, {
                callbacks: runManager?.getChild(),
              }),
            })
          : null;
        return compacted ?? [...messages];
      } catch (error) {
        if (this.raiseOnFailure || signal?.aborted || isMistake(error)) {
          throw error;
        }
        return [...messages];
      }
    };
    return this._callWithConfig(run, input, options);
  }
}

/** The target that is given, whichever way. */
export function targetIn(
  fields: Pick<CompactorFields, "target" | "targetTokens">,
): Condition | undefined {
  return fields.targetTokens === undefined
    ? fields.target
    : { tokens: fields.targetTokens };
}

function requireCompactorFields(fields: Partial<CompactorCallOptions>): void {
  if (fields.trigger !== undefined) {
    requireCondition("trigger", fields.trigger);
  }
  if (fields.target !== undefined) {
    requireCondition("target", fields.target);
  }
  if (fields.targetTokens !== undefined) {
    requireWholeNumber("targetTokens", fields.targetTokens, 0, "tokens");
    if (fields.target !== undefined) {
      throw invalidOption(
        "targetTokens",
        fields.targetTokens,
        'left out where "target" is given',
      );
    }
  }
  requireTokenCounter(fields.tokenCounter);
}

/** A wrong option or input: the caller's mistake, which must not pass in silence. */
export function isMistake(error: unknown): boolean {
  return (
    CompactionError.isInstance(error) &&
    (error.code === "INVALID_OPTION" ||
      error.code === "MISSING_TARGET" ||
      error.code === "INVALID_MESSAGES")
  );
}
