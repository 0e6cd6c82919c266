import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import {
  Runnable,
  type RunnableConfig,
  RunnableLambda,
} from "@langchain/core/runnables";
import type { CompactorInput } from "../compactors/compactor.js";
import { coerceMessages } from "../conversation/coerce-messages.js";
import { whenReady } from "../when-ready.js";
import { compactState } from "./compact-state.js";
import { factsInOptions } from "./facts-in-options.js";
import {
  type HookState,
  type HookUpdate,
  messagesIn,
  requireRemovals,
} from "./graph-state.js";
import { heal } from "./heal.js";
import { innerConfig } from "./inner-config.js";
import { publishReport } from "./publish-report.js";
import type { CompactionReport } from "./report.js";
import { rewriteUpdate, unstreamed } from "../conversation/rewrite-update.js";
import { RecoveringModel, type RecoverableModel } from "./recovering-model.js";
import { type PassResult, runPass } from "./run-pass.js";
import {
  type CompactionHookOptions,
  type HookSettings,
  readSettings,
  requireDeterministic,
} from "./settings.js";
import type { View, ViewResult } from "./view.js";
import { Viewer } from "./viewer.js";
import type { RequestFacts } from "./view-request.js";

interface TracedRun<K extends string> {
  readonly update: HookUpdate<K>;
  readonly report: CompactionReport;
}

/**
 * Keeps a graph's messages inside the context window: measures before each model call and compacts when due.
 *
 * As `preModelHook` of `createReactAgent`, as a node of a graph, or called in
 * a node of one's own. With `mode: "rewrite"` it rewrites the state's messages,
 * so it owns their key and is to be alone in its superstep; with `mode: "view"`
 * the state stays whole and the model sees less. Nothing that goes wrong in a
 * run harms it: the messages stay as they were and the report says why. From
 * Haystack's `CompactionHook`.
 */
export class CompactionHook<K extends string = "messages"> extends Runnable<
  HookState,
  HookUpdate<K>
> {
  lc_namespace: string[] = ["langchain_compaction", "hook"];
  /** As they were given. */
  readonly options: CompactionHookOptions<K>;
  /** What it goes by. @internal */
  readonly settings: HookSettings;
  readonly #messagesKey: K;
  readonly #mode: "rewrite" | "view";
  readonly #viewer: Viewer;

  static override lc_name(): string {
    return "CompactionHook";
  }

  /** @throws CompactionError `INVALID_OPTION`, or `WINDOW_UNKNOWN` for a model without a profile */
  constructor(options: CompactionHookOptions<K>) {
    super();
    this.options = options;
    this.settings = readSettings(options);
    this.#messagesKey = options.messagesKey ?? ("messages" as K);
    this.#mode = options.mode ?? "rewrite";
    this.#viewer = new Viewer(this.settings);
  }

  /**
   * The update that keeps the model's input inside the window.
   *
   * Rewriting, a shorter list alone would remove nothing, since LangGraph
   * merges messages by id: the update removes all and puts back what stays,
   * and it is `{}` where nothing is to be done. As a view it is
   * `llmInputMessages` on every call, since LangGraph would send an old one.
   *
   * @throws CompactionError `INVALID_STATE` where the state has no such key or
   *   its reducer takes no removals; with `raiseOnFailure` whatever failed
   */
  override async invoke(
    state: HookState,
    options: Partial<RunnableConfig> = {},
  ): Promise<HookUpdate<K>> {
    // The run's output holds the report too, so that a trace shows it.
    const traced: unknown = await this._callWithConfig(
      async (given: HookState, config, runManager) => {
        const inner = innerConfig(config, runManager);
        const run =
          this.#mode === "view"
            ? this.#showView(given, inner)
            : this.#rewrite(given, inner);
        return (await run) as never;
      },
      state,
      options,
    );
    return (traced as TracedRun<K>).update;
  }

  /**
   * The messages after one rewriting pass, and the report: no state, no event, nothing stored.
   *
   * @throws CompactionError `INVALID_MESSAGES` for what is no list; with `raiseOnFailure` whatever failed
   */
  async compact(
    messages: readonly BaseMessageLike[],
    options: { signal?: AbortSignal } = {},
  ): Promise<{ messages: BaseMessage[]; report: CompactionReport }> {
    const result = await this.#compact(messages, options);
    return { messages: [...result.messages], report: result.report };
  }

  /**
   * What the model is to see of a history: a function of the history and the options alone.
   *
   * Between two compactions it only grows at its end, so that a provider's
   * prompt cache holds.
   *
   * @throws CompactionError `INVALID_MESSAGES` for what is no list; with `raiseOnFailure` whatever failed
   */
  async view(
    messages: readonly BaseMessageLike[],
    config: Partial<RunnableConfig> = {},
  ): Promise<BaseMessage[]> {
    const result = await this.viewRequest(messages, config);
    await this.tell(result.report, config);
    return [...result.messages];
  }

  /** The view as a Runnable from messages to messages, for LCEL and nodes of one's own. */
  asView(): Runnable<CompactorInput, BaseMessage[]> {
    requireDeterministic(this.settings.compactor);
    return RunnableLambda.from<CompactorInput, BaseMessage[]>((input, config) =>
      this.view([...coerceMessages(input)], config),
    ).withConfig({ runName: "CompactionView" });
  }

  /**
   * A model that is shown the view of what it is given, and a smaller one where it says that was too long.
   *
   * At most `maxOverflowRetries` times, each time less; where nothing more can
   * go, its own error comes out. A stream that has given tokens is not begun
   * again. What was decided is written on the answer, so that views of a
   * history with that answer in it, anywhere, go by the limit that was found.
   *
   * @param model a chat model, with its tools bound where it has any
   * @throws CompactionError `INVALID_OPTION` for what is no model, and where the compactor writes summaries
   */
  withOverflowRecovery<Answer extends BaseMessage>(
    model: RecoverableModel<Answer>,
  ): Runnable<CompactorInput, Answer> {
    requireDeterministic(this.settings.compactor);
    return new RecoveringModel(this, model);
  }

  /**
   * The view for a request that its door has measured itself; nobody is told of it.
   *
   * Where the pass fails, the view is what was shown last with what came since.
   *
   * @param measure given by a door, which then answers for summaries itself
   * @throws with `raiseOnFailure` whatever failed
   * @internal
   */
  async viewRequest(
    messages: readonly BaseMessageLike[],
    config: Partial<RunnableConfig> = {},
    measure?: () => RequestFacts | Promise<RequestFacts>,
  ): Promise<ViewResult> {
    if (measure === undefined) {
      requireDeterministic(this.settings.compactor);
    }
    const factsOf =
      measure ??
      (() => factsInOptions(this.settings, this.options, config.signal));
    let history: readonly BaseMessage[] | undefined;
    let view: View | undefined;
    const { report, messages: asGiven } = await runPass(
      messages,
      this.settings.compactor,
      config.signal,
      (draft) => {
        const known = this.#viewer.knownOf(messages);
        const read = coerceMessages(messages, known.length);
        const { repair } = this.settings;
        history = repair === undefined ? read : heal(read, repair, draft);
        const asked = { history, known, config, draft };
        return whenReady(
          whenReady(factsOf(), (facts) => this.#viewer.view(asked, facts)),
          (shown) => (view = shown).messages,
        );
      },
    );
    if (view === undefined && history !== undefined) {
      view = this.#viewer.unchanged(history);
    }
    this.#raise(report);
    return { messages: view?.messages ?? asGiven, report, view };
  }

  /**
   * A smaller view for a request that its model refused as too long; nobody is told of it.
   *
   * @param statedLimit tokens that the model takes, where its error states them
   * @returns no `view` where no less can be shown, whatever the reason
   * @internal
   */
  async viewLess(
    refused: View,
    statedLimit: number | undefined,
    config: Partial<RunnableConfig> = {},
  ): Promise<ViewResult> {
    let view: View | undefined;
    const { messages, report } = await runPass(
      refused.history,
      this.settings.compactor,
      config.signal,
      async (draft) => {
        view = await this.#viewer.smaller(refused, statedLimit, config, draft);
        return view?.messages ?? null;
      },
    );
    return { messages, report, view };
  }

  async #showView(
    state: HookState,
    config: Partial<RunnableConfig>,
  ): Promise<TracedRun<K>> {
    const history = messagesIn(state, this.#messagesKey);
    const { messages, report } = await this.viewRequest(history, config);
    await this.tell(report, config);
    const update = { llmInputMessages: unstreamed(history, messages) };
    return { update: update as HookUpdate<K>, report };
  }

  async #rewrite(
    state: HookState,
    config: Partial<RunnableConfig>,
  ): Promise<TracedRun<K>> {
    const before = messagesIn(state, this.#messagesKey);
    const { messages, report } = await this.#compact(before, config);
    const isRewritten = messages !== before;
    if (isRewritten) {
      requireRemovals(state, this.#messagesKey, before, config);
    }
    await this.tell(report, config);
    const update = isRewritten
      ? { [this.#messagesKey]: rewriteUpdate(before, messages) }
      : {};
    return { update: update as HookUpdate<K>, report };
  }

  async #compact(
    messages: readonly BaseMessageLike[],
    config: Partial<RunnableConfig>,
  ): Promise<PassResult> {
    const settings = this.settings;
    let healthy: readonly BaseMessage[] | undefined;
    const result = await runPass(
      messages,
      settings.compactor,
      config.signal,
      (draft) => {
        if (settings.repair !== undefined) {
          healthy = heal(coerceMessages(messages), settings.repair, draft);
        }
        return compactState(healthy ?? messages, settings, config, draft);
      },
    );
    this.#raise(result.report);
    // What was mended stays, also where the rest of the pass failed.
    const isMended = result.report.mends !== undefined;
    return isMended && result.messages === messages
      ? { ...result, messages: healthy! }
      : result;
  }

  #raise({ error, outcome }: CompactionReport): void {
    if (outcome === "failed" && error && this.settings.raiseOnFailure) {
      throw error;
    }
  }

  /** Tells the listeners of a pass that a door has made itself. @internal */
  tell(
    report: CompactionReport,
    config: Partial<RunnableConfig>,
  ): Promise<void> | undefined {
    return publishReport(report, config, this.options);
  }
}
