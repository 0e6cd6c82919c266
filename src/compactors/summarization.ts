import type { BaseMessage } from "@langchain/core/messages";
import { CompactionError } from "../errors.js";
import {
  invalidOption,
  requireKnownOptions,
  requireWholeNumber,
} from "../options.js";
import type { MeasuredConversation } from "../tokens/measured-conversation.js";
import { findLimits } from "../tokens/model-limits.js";
import {
  COMPACTOR_FIELDS,
  Compactor,
  type CompactorFields,
} from "./compactor.js";
import { type DirectCompactOptions, openPass, type Pass } from "./pass.js";
import type { SummarizationModel } from "./summarization/call-model.js";
import {
  choosePortion,
  isMerge,
  type SummaryTier,
} from "./summarization/portion.js";
import { replacePortion } from "./summarization/replace-portion.js";
import type { PortionSetting } from "./summarization/summarize-portion.js";
import { defaultSummaryPrompt } from "./summarization/summary-prompt.js";
import { isReached } from "./target.js";

/** Options of `SummarizationCompactor`. */
export interface SummarizationCompactorFields extends CompactorFields {
  /** The chat model that writes the summaries; a cheap one will often do. */
  model: SummarizationModel;
  /** Newest steps of the task that stay as they are. Steps. @default 1 */
  minKeepSteps?: number;
  /**
   * How long a summary is taken to be, when it is decided how much to
   * summarise; the default prompt asks for no more. Tokens.
   *
   * @default 1024
   */
  approximateSummaryTokens?: number;
  /** What the summariser is told. @default a prompt that asks by heading for what an agent needs */
  summaryPrompt?: string;
  /** Longest time for one call of the summariser. Milliseconds. @default no limit but the model's own */
  timeoutMs?: number;
  /**
   * Tokens that the summariser takes in one request; a longer portion is
   * summarised in parts.
   *
   * @default what the model's profile says, else no limit until the provider names one
   */
  maxInputTokens?: number;
}

/**
 * Replaces the oldest turns by a summary that a chat model writes, then the oldest steps of the task.
 *
 * As few of the oldest as needed, in four tiers: turns, summaries of turns,
 * steps, summaries of steps. A call that fails, or a summary that is no
 * smaller, leaves the conversation as it was; what succeeded before stays.
 * From Haystack's `SummarizationCompactor`.
 */
export class SummarizationCompactor extends Compactor {
  override readonly strategy = "summarization";
  override readonly isDeterministic = false;
  readonly #model: SummarizationModel;
  readonly #minKeepSteps: number;
  readonly #summaryTokens: number;
  readonly #prompt: string;
  readonly #timeoutMs: number | undefined;
  readonly #maxInputTokens: number | undefined;

  static override lc_name(): string {
    return "SummarizationCompactor";
  }

  /** @throws CompactionError `INVALID_OPTION` */
  constructor(fields: SummarizationCompactorFields) {
    requireKnownOptions("SummarizationCompactor", fields, [
      ...COMPACTOR_FIELDS,
      "model",
      "minKeepSteps",
      "approximateSummaryTokens",
      "summaryPrompt",
      "timeoutMs",
      "maxInputTokens",
    ]);
    super(fields);
    const {
      model,
      minKeepSteps = 1,
      approximateSummaryTokens = 1024,
      summaryPrompt,
      timeoutMs,
      maxInputTokens,
    } = fields;
    if (
      typeof (model as Partial<SummarizationModel> | undefined)?.invoke !==
      "function"
    ) {
      throw invalidOption(
        "model",
        model,
        'a chat model, such as new ChatOpenAI({ model: "…" })',
      );
    }
    requireWholeNumber("minKeepSteps", minKeepSteps, 0, "steps");
    requireWholeNumber(
      "approximateSummaryTokens",
      approximateSummaryTokens,
      1,
      "tokens",
    );
    if (
      summaryPrompt !== undefined &&
      (typeof summaryPrompt !== "string" || summaryPrompt.trim() === "")
    ) {
      throw invalidOption("summaryPrompt", summaryPrompt, "a text");
    }
    if (timeoutMs !== undefined) {
      requireWholeNumber("timeoutMs", timeoutMs, 1, "milliseconds");
    }
    if (maxInputTokens !== undefined) {
      requireWholeNumber(
        "maxInputTokens",
        maxInputTokens,
        approximateSummaryTokens + 1,
        'tokens above "approximateSummaryTokens"',
      );
    }
    this.#model = model;
    this.#minKeepSteps = minKeepSteps;
    this.#summaryTokens = approximateSummaryTokens;
    this.#prompt =
      summaryPrompt ?? defaultSummaryPrompt(approximateSummaryTokens);
    this.#timeoutMs = timeoutMs;
    this.#maxInputTokens = maxInputTokens;
  }

  /**
   * The shorter list, or `null` where nothing came of it.
   *
   * Calls the model. Messages that are appended to the given list meanwhile
   * stand at the end of the result.
   *
   * @throws CompactionError with `raiseOnFailure` `SUMMARIZATION_FAILED` or
   *   `SUMMARY_NOT_SMALLER` where no portion was summarised; always
   *   `COUNTER_FAILED`, and the reason of an aborted signal
   */
  override async compact(
    messages: readonly BaseMessage[],
    options: DirectCompactOptions = {},
  ): Promise<BaseMessage[] | null> {
    const given = [...messages];
    const pass = await openPass(this, given, options);
    if (pass === null) {
      return null;
    }
    const { measured, failure } = await this.#summarizeOldest(pass, options);
    if (failure !== undefined) {
      options.onFailure?.(failure);
    }
    if (measured !== pass.measured) {
      return [...measured.messages, ...messages.slice(given.length)];
    }
    if (failure !== undefined && this.raiseOnFailure) {
      throw failure;
    }
    return null;
  }

  /** Portion by portion, until the goal is reached, nothing is left or the summariser fails. */
  async #summarizeOldest(
    pass: Pass,
    options: DirectCompactOptions,
  ): Promise<{ measured: MeasuredConversation; failure?: CompactionError }> {
    const setting = await this.#settingFor(pass, options);
    const closed = new Set<SummaryTier>();
    let failure: CompactionError | undefined;
    let { measured } = pass;
    let isDone = false;
    while (!isDone) {
      const current = { ...pass, measured };
      const portion = choosePortion(current, {
        minKeepSteps: this.#minKeepSteps,
        summaryTokens: this.#summaryTokens,
        closed,
      });
      if (portion === null) {
        break;
      }
      try {
        measured = await replacePortion(portion, measured, setting);
        isDone = isReached(pass.goal, measured);
      } catch (error) {
        if (!isSummaryFailure(error)) {
          throw error;
        }
        failure ??= error;
        closed.add(portion.tier);
        // Another tier may do better; a model that fails will fail again.
        isDone = !isMerge(portion.tier) && error.code !== "SUMMARY_NOT_SMALLER";
      }
    }
    return failure === undefined ? { measured } : { measured, failure };
  }

  async #settingFor(
    { counter, signal }: Pass,
    { config, onModelCall, summaries }: DirectCompactOptions,
  ): Promise<PortionSetting> {
    return {
      model: this.#model,
      prompt: this.#prompt,
      timeoutMs: this.#timeoutMs,
      maxInputTokens:
        this.#maxInputTokens ?? (await findLimits(this.#model))?.contextWindow,
      summaryTokens: this.#summaryTokens,
      counter,
      signal,
      config,
      onModelCall,
      summaries,
    };
  }
}

function isSummaryFailure(error: unknown): error is CompactionError {
  return (
    CompactionError.isInstance(error) &&
    (error.code === "SUMMARIZATION_FAILED" ||
      error.code === "SUMMARY_NOT_SMALLER")
  );
}
