import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { CompactionHook } from "./compaction-hook.js";
import { isContextOverflow, limitIn } from "./context-overflow.js";
import { TokenWatch } from "./token-watch.js";
import type { ViewResult } from "./view.js";

/** What a recovery needs of its hook. */
export type RecoveringHook = Pick<
  CompactionHook,
  "settings" | "tell" | "viewLess"
>;

/**
 * One call of a model, made again with less where the model says that its request was too long.
 *
 * Each time what is shown is smaller than before, so it ends.
 */
export class OverflowRecovery {
  readonly #hook: RecoveringHook;
  readonly #config: Partial<RunnableConfig>;
  #shown: ViewResult;
  #retries = 0;
  #first: { readonly error: unknown } | undefined;

  constructor(
    hook: RecoveringHook,
    shown: ViewResult,
    config: Partial<RunnableConfig>,
  ) {
    this.#hook = hook;
    this.#shown = shown;
    this.#config = config;
  }

  /** What was shown last. */
  get shown(): ViewResult {
    return this.#shown;
  }

  /**
   * Calls until the model takes what it is shown.
   *
   * @throws what the call throws; an overflow only where nothing more can go,
   *   and where tokens of the answer have gone out
   */
  async run<Answer>(
    call: (messages: readonly BaseMessage[]) => Promise<Answer>,
  ): Promise<Answer> {
    const watch = new TokenWatch(this.#config);
    try {
      for (;;) {
        try {
          return await call(this.#shown.messages);
        } catch (error) {
          await this.showLess(error, watch.hasSeenTokens);
        }
      }
    } finally {
      watch.stop();
    }
  }

  /**
   * Makes what is shown smaller, so that the call may be made again.
   *
   * @param hasGivenTokens whether the answer was begun, and somebody saw it
   * @throws the error, or the first one, where no other call is to be made
   */
  async showLess(error: unknown, hasGivenTokens: boolean): Promise<void> {
    if (!isContextOverflow(error)) {
      throw error;
    }
    this.#first ??= { error };
    const { view } = this.#shown;
    const { maxOverflowRetries } = this.#hook.settings;
    if (
      hasGivenTokens ||
      view === undefined ||
      this.#retries >= maxOverflowRetries
    ) {
      throw this.#first.error;
    }
    this.#retries += 1;
    const less = await this.#hook.viewLess(view, limitIn(error), this.#config);
    await this.#hook.tell(less.report, this.#config);
    if (less.view === undefined) {
      throw this.#first.error;
    }
    this.#shown = less;
  }
}
