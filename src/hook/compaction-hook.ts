import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import {
  patchConfig,
  Runnable,
  type RunnableConfig,
} from "@langchain/core/runnables";
import { coerceMessages } from "../conversation/coerce-messages.js";
import { CompactionError } from "../errors.js";
import { messagesIn, requireRemovals } from "./graph-state.js";
import { publishReport } from "./publish-report.js";
import type { CompactionReport } from "./report.js";
import { rewriteUpdate } from "./rewrite.js";
import { type PassResult, runPass } from "./run-pass.js";
import {
  type CompactionHookOptions,
  type HookSettings,
  readSettings,
} from "./settings.js";

/** What a hook takes: the state of a graph, or any object that holds the messages. */
export type HookState = Record<string, unknown>;

/** What a hook returns: an update of the messages' key, or nothing to update. */
export type HookUpdate<K extends string = "messages"> = {
  [Key in K]?: BaseMessage[];
};

interface Rewrite<K extends string> {
  readonly update: HookUpdate<K>;
  readonly report: CompactionReport;
}

/**
 * Keeps a graph's messages inside the context window: measures before each model call and compacts when due.
 *
 * As `preModelHook` of `createReactAgent`, as a node of a graph, or called in
 * a node of one's own. It rewrites the state's messages, so it owns their key
 * and is to be alone in its superstep. Nothing that goes wrong in a run harms
 * it: the messages stay as they were and the report says why. From Haystack's
 * `CompactionHook`.
 */
export class CompactionHook<K extends string = "messages"> extends Runnable<
  HookState,
  HookUpdate<K>
> {
  lc_namespace: string[] = ["langchain_compaction", "hook"];
  readonly #settings: HookSettings;
  readonly #messagesKey: K;
  readonly #onReport: ((report: CompactionReport) => void) | undefined;
  readonly #streamReports: boolean;
  #takesRemovals = false;

  static override lc_name(): string {
    return "CompactionHook";
  }

  /** @throws CompactionError `INVALID_OPTION`, or `WINDOW_UNKNOWN` for a model without a profile */
  constructor(options: CompactionHookOptions<K>) {
    super();
    this.#settings = readSettings(options);
    this.#messagesKey = options.messagesKey ?? ("messages" as K);
    this.#onReport = options.onReport;
    this.#streamReports = options.streamReports ?? false;
  }

  /**
   * The update that keeps the state's messages inside the window; `{}` where nothing is to be done.
   *
   * A shorter list alone would remove nothing, since LangGraph merges
   * messages by id: the update removes all and puts back what stays.
   *
   * @throws CompactionError `INVALID_STATE` where the state has no such key or
   *   its reducer takes no removals; with `raiseOnFailure` whatever failed
   */
  override async invoke(
    state: HookState,
    options: Partial<RunnableConfig> = {},
  ): Promise<HookUpdate<K>> {
    const run = async (
      given: HookState,
      config?: Partial<RunnableConfig>,
      runManager?: CallbackManagerForChainRun,
    ): Promise<Rewrite<K>> =>
      this.#rewrite(
        given,
        patchConfig(config, { callbacks: runManager?.getChild() }),
      );
    // The run's output holds the report too, so that a trace shows it.
    const traced = await this._callWithConfig(run as never, state, options);
    return (traced as unknown as Rewrite<K>).update;
  }

  /**
   * The messages as the model should get them, and the report: no state, no event, nothing stored.
   *
   * @throws CompactionError `INVALID_MESSAGES`; with `raiseOnFailure` whatever failed
   */
  async compact(
    messages: readonly BaseMessageLike[],
    options: { signal?: AbortSignal } = {},
  ): Promise<{ messages: BaseMessage[]; report: CompactionReport }> {
    const result = await this.#pass(coerceMessages(messages), options);
    return { messages: [...result.messages], report: result.report };
  }

  async #rewrite(
    state: HookState,
    config: Partial<RunnableConfig>,
  ): Promise<Rewrite<K>> {
    const before = messagesIn(state, this.#messagesKey);
    const { messages, report } = await this.#pass(before, config);
    const isRewritten = report.outcome === "compacted";
    if (isRewritten && !this.#takesRemovals) {
      requireRemovals(state, this.#messagesKey, before, config);
      this.#takesRemovals = true;
    }
    await this.#tell(report, config);
    const update = isRewritten
      ? { [this.#messagesKey]: rewriteUpdate(before, messages) }
      : {};
    return { update: update as HookUpdate<K>, report };
  }

  async #pass(
    messages: readonly BaseMessage[],
    config: Partial<RunnableConfig>,
  ): Promise<PassResult> {
    const result = await runPass(messages, this.#settings, config);
    if (result.report.error !== undefined && this.#settings.raiseOnFailure) {
      throw result.report.error;
    }
    return result;
  }

  /** A listener that fails is no reason to stop the run. */
  async #tell(
    report: CompactionReport,
    config: Partial<RunnableConfig>,
  ): Promise<void> {
    const listeners = [
      async () => this.#onReport?.(report),
      async () => publishReport(report, config, this.#streamReports),
    ];
    for (const listener of listeners) {
      try {
        await listener();
      } catch (cause) {
        if (this.#settings.raiseOnFailure) {
          throw new CompactionError(
            "COMPACTION_FAILED",
            "A listener of the compaction report failed.",
            { cause },
          );
        }
      }
    }
  }
}
