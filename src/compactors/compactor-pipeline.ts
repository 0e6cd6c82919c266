import type { BaseMessage } from "@langchain/core/messages";
import { invalidOption, requireKnownOptions } from "../options.js";
import { askTier } from "./ask-tier.js";
import {
  COMPACTOR_FIELDS,
  Compactor,
  type CompactorCallOptions,
  type CompactorFields,
  type CompactorInput,
  type CompactorLike,
  isMistake,
} from "./compactor.js";
import { type DirectCompactOptions, openPass } from "./pass.js";

/** A compactor, or several of which each is a tier: cheapest first. */
export type CompactorOrTiers = CompactorLike | readonly CompactorOrTiers[];

/**
 * Several compactors in order on the same conversation, the cheapest first.
 *
 * A tier with a trigger of its own is asked by that trigger, any other while
 * its own target, or without one the pipeline's, is not reached; sizes are
 * taken anew after each tier. A tier that fails does not undo what earlier
 * ones did. From Microsoft Agent Framework's `PipelineCompactionStrategy`.
 */
export class CompactorPipeline extends Compactor {
  override readonly isDeterministic: boolean;
  readonly #tiers: readonly CompactorLike[];

  static override lc_name(): string {
    return "CompactorPipeline";
  }

  /**
   * @param tiers compactors, or arrays of them; without any it does nothing
   * @throws CompactionError `INVALID_OPTION`
   */
  constructor(
    tiers: readonly CompactorOrTiers[],
    fields: CompactorFields = {},
  ) {
    requireKnownOptions("CompactorPipeline", fields, COMPACTOR_FIELDS);
    super(fields);
    if (!Array.isArray(tiers)) {
      throw invalidOption("tiers", tiers, "an array of compactors");
    }
    this.#tiers = tiers.map((tier: CompactorOrTiers, index) =>
      toCompactor(tier, `tiers[${index}]`),
    );
    this.isDeterministic = this.#tiers.every(
      (tier) => tier.isDeterministic !== false,
    );
  }

  override async invoke(
    input: CompactorInput,
    options: Partial<CompactorCallOptions> = {},
  ): Promise<BaseMessage[]> {
    return super.invoke(input, this.#orLeftToTiers(options));
  }

  /** The shorter list, or `null` where no tier found anything useful to do. */
  override async compact(
    messages: readonly BaseMessage[],
    options: DirectCompactOptions = {},
  ): Promise<BaseMessage[] | null> {
    const pass = await openPass(this, messages, this.#orLeftToTiers(options));
    if (pass === null) {
      return null;
    }
    const { signal, contextWindow, config, summaries } = options;
    const { onModelCall, onFailure } = options;
    const goal = pass.goal.holds === leftToTiers ? undefined : pass.goal;
    let current = pass.measured;
    const failures: unknown[] = [];
    for (const tier of this.#tiers) {
      signal?.throwIfAborted();
      try {
        current =
          (await askTier(tier, current, {
            goal,
            signal,
            contextWindow,
            config,
            onModelCall,
            onFailure,
            summaries,
          })) ?? current;
      } catch (error) {
        const raises =
          this.raiseOnFailure ||
          (tier as { raiseOnFailure?: unknown }).raiseOnFailure === true;
        if (raises || signal?.aborted || isMistake(error)) {
          throw error;
        }
        failures.push(error);
      }
    }
    if (current !== pass.measured) {
      failures.forEach((failure) => onFailure?.(failure));
      return [...current.messages];
    }
    if (failures.length > 0) {
      throw failures[0];
    }
    return null;
  }

  /** Where nothing says how far the pipeline goes, each tier has to know. */
  #orLeftToTiers<Options extends DirectCompactOptions | CompactorCallOptions>(
    options: Options,
  ): Options {
    const conditions = [options, this] as const;
    return conditions.some(
      (from) =>
        from.trigger !== undefined ||
        from.target !== undefined ||
        ("targetTokens" in from && from.targetTokens !== undefined),
    )
      ? options
      : { ...options, target: leftToTiers };
  }
}

/**
 * A compactor as it is, an array of them as a pipeline.
 *
 * @param option named in the error
 * @throws CompactionError `INVALID_OPTION` for anything else, and for an empty array
 */
export function toCompactor(
  compactor: CompactorOrTiers,
  option = "compactor",
): CompactorLike {
  if (Array.isArray(compactor)) {
    if (compactor.length === 0) {
      throw invalidOption(option, compactor, EXPECTED);
    }
    return new CompactorPipeline(
      compactor.map((tier: CompactorOrTiers, index) =>
        toCompactor(tier, `${option}[${index}]`),
      ),
    );
  }
  if (
    typeof (compactor as Partial<CompactorLike> | null)?.compact !== "function"
  ) {
    throw invalidOption(option, compactor, EXPECTED);
  }
  return compactor as CompactorLike;
}

const EXPECTED =
  "a compactor such as new SlidingWindowCompactor(), an object with a method compact(messages, options), or an array of at least one of these";

/** Stands for the pipeline's goal where only its tiers have one: never reached. */
function leftToTiers(): boolean {
  return false;
}
