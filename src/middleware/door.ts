import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { isCommand } from "@langchain/langgraph";
import type { ModelRequest } from "langchain";
import type { Compactor } from "../compactors/compactor.js";
import { removedBefore } from "../compactors/note.js";
import { readConversation } from "../conversation/anatomy.js";
import type { CompactionStrategy } from "../conversation/marker.js";
import { isMessage } from "../conversation/message.js";
import { providerOfCalled } from "../health/model-provider.js";
import { CompactionHook } from "../hook/compaction-hook.js";
import type { ContextWindow } from "../hook/context-window.js";
import { rewriteUpdate } from "../conversation/rewrite-update.js";
import { type CompactionHookOptions, windowOf } from "../hook/settings.js";
import { readRuleSets } from "../hook/rule-sets.js";
import { OverflowRecovery } from "../hook/overflow-recovery.js";
import { stampRewrite } from "../hook/stamp.js";
import type { View, ViewResult } from "../hook/view.js";
import type { RequestFacts } from "../hook/view-request.js";
import { requireKnownOptions } from "../options.js";
import { whenReady } from "../when-ready.js";
import {
  asUpdate,
  type ModelAnswer,
  identifyReply,
  type PlainAnswer,
  signedBy,
  withDecision,
} from "./answer.js";
import { RequestGauge, windowOfModel } from "./request-facts.js";
import { keeping, summariesIn } from "./summaries-state.js";

/** Options of `compactionMiddleware`: those of `CompactionHook`, the window being the called model's own unless stated. */
export interface CompactionMiddlewareOptions extends Omit<
  CompactionHookOptions,
  "contextWindow" | "messagesKey" | "tools" | "systemPrompt"
> {
  /**
   * Tokens, a model whose profile says it, or `"auto"`: the profile of the
   * model that each call goes to.
   *
   * @default "auto"
   */
  contextWindow?: ContextWindow | "auto";
}

const OPTIONS = [
  "compactor",
  "contextWindow",
  "compactAt",
  "compactTo",
  "reserveOutputTokens",
  "tokenCounter",
  "overheadTokens",
  "mode",
  "provider",
  "repair",
  "minReclaimTokens",
  "maxOverflowRetries",
  "onReport",
  "streamReports",
  "raiseOnFailure",
] as const satisfies readonly (keyof CompactionMiddlewareOptions)[];

/** Where a model request goes out and its answer comes in. */
export class Door {
  readonly #hook: CompactionHook;
  readonly #gauge = new RequestGauge();
  /** Of the model that is called, where that decides. */
  readonly #isAuto: boolean;
  readonly #mode: "rewrite" | "view";

  /**
   * @param own what a run has set for itself
   * @throws CompactionError `INVALID_OPTION`
   */
  constructor(
    given: CompactionMiddlewareOptions | CompactionHook,
    own?: Partial<CompactionMiddlewareOptions>,
  ) {
    const hook = isHook(given) ? given : undefined;
    if (hook === undefined) {
      requireKnownOptions("compactionMiddleware", given, OPTIONS);
    }
    const usual = (hook?.options ?? given) as CompactionMiddlewareOptions;
    const options: CompactionMiddlewareOptions = { ...usual, ...own };
    const { contextWindow = "auto", mode = "view", ...others } = options;
    this.#isAuto = contextWindow === "auto";
    this.#mode = mode;
    this.#hook =
      hook !== undefined && own === undefined
        ? hook
        : new CompactionHook({
            ...others,
            // A hook by itself refuses to show a view of summaries.
            ...(mode === "view" ? {} : { mode }),
            // Each call brings its model's own.
            contextWindow:
              contextWindow === "auto"
                ? Number.MAX_SAFE_INTEGER
                : contextWindow,
          });
  }

  /** Whether what it shows cannot be derived again, so that the thread has to keep it. */
  get writesSummaries(): boolean {
    return this.#hook.settings.compactor.isDeterministic === false;
  }

  /**
   * What the model is to see of a request's messages.
   *
   * @throws CompactionError `WINDOW_UNKNOWN`; with `raiseOnFailure` whatever failed
   */
  async open(
    request: ModelRequest,
    config: Partial<RunnableConfig>,
  ): Promise<ViewResult> {
    const { settings, options } = this.#hook;
    const window = this.#isAuto
      ? windowOfModel(request.model, options.reserveOutputTokens)
      : windowOf(settings);
    const inputWindow = window instanceof Promise ? await window : window;
    const model = providerOfCalled(request.model);
    const called = model instanceof Promise ? await model : model;
    const factsWith = (overheadTokens: number): RequestFacts => ({
      inputWindow,
      overheadTokens,
      provider: readRuleSets(options, called).provider,
      agent: agentOf(config),
      summaries: summariesIn(request.state),
      reservedTokens: options.reserveOutputTokens ?? 0,
    });
    const shown = await this.#hook.viewRequest(request.messages, config, () => {
      const overhead = this.#gauge.overhead(
        request,
        inputWindow,
        settings,
        config.signal,
      );
      return whenReady(overhead, factsWith);
    });
    const told = this.#hook.tell(shown.report, config);
    if (told !== undefined) {
      await told;
    }
    return shown;
  }

  /** Asks with what is shown, or with less of it where the model refuses that as too long. */
  recovery(
    opened: ViewResult,
    config: Partial<RunnableConfig>,
  ): OverflowRecovery {
    return new OverflowRecovery(this.#hook, opened, config);
  }

  /** What goes back to the agent: the answer with the decision on it, or also the view in the history's place. */
  close(
    request: ModelRequest,
    { messages: shown, view }: ViewResult,
    answer: ModelAnswer,
    config: Partial<RunnableConfig>,
  ): ModelAnswer {
    if (view === undefined || isCommand(answer)) {
      return answer;
    }
    const isRewritten =
      this.#mode === "rewrite" &&
      !isSame(shown, request.messages) &&
      isSafeToRewrite(request, answer, config);
    if (isRewritten) {
      return this.#rewritten(request, shown, view, answer);
    }
    const { decision, summaries } = view;
    if (summaries === undefined && !isAnsweredAgain(request, answer)) {
      return withDecision(answer, decision);
    }
    identifyReply(answer);
    return asUpdate(
      signedBy(decision.agent, withDecision(answer, decision)),
      [],
      summaries && keeping(summaries),
    );
  }

  #rewritten(
    { messages }: ModelRequest,
    shown: readonly BaseMessage[],
    view: View,
    answer: PlainAnswer,
  ): ModelAnswer {
    const { overheadTokens } = view;
    const { compaction: _, ...decision } = view.decision;
    const history = stampRewrite(messages, shown, {
      strategy: this.#strategy,
      overheadTokens,
      removedMessages:
        removedBefore(readConversation(messages)) + decision.removedMessages,
    });
    return asUpdate(
      signedBy(decision.agent, withDecision(answer, decision)),
      rewriteUpdate(messages, history),
    );
  }

  get #strategy(): CompactionStrategy {
    const { compactor } = this.#hook.settings;
    return (compactor as Partial<Compactor>).strategy ?? "custom";
  }
}

/** Of whichever copy of this package. */
function isHook(given: unknown): given is CompactionHook {
  return (
    typeof (given as Partial<CompactionHook> | null)?.viewRequest === "function"
  );
}

/** The name that `createAgent` was given. */
function agentOf({ metadata }: Partial<RunnableConfig>): string | undefined {
  const name: unknown = metadata?.["lc_agent_name"];
  return typeof name === "string" ? name : undefined;
}

/**
 * Whether the agent adds the answer once more, with a result of its own.
 *
 * So it does after a call to structured output that did not fit.
 */
function isAnsweredAgain(
  { responseFormat, tools }: ModelRequest,
  answer: PlainAnswer,
): boolean {
  if (responseFormat === undefined || !isMessage(answer)) {
    return false;
  }
  const names = new Set(tools.map((tool) => tool.name));
  return (answer.tool_calls ?? []).some((call) => !names.has(call.name));
}

/**
 * Whether the state is this agent's own, and its messages came here as they are.
 *
 * Not where another middleware changed the list; not in a graph inside another
 * one, which may share the messages and would add them again; and not where a
 * removal would take away what the agent adds to the answer.
 */
function isSafeToRewrite(
  request: ModelRequest,
  answer: PlainAnswer,
  { configurable }: Partial<RunnableConfig>,
): boolean {
  const path: unknown = configurable?.["checkpoint_ns"];
  const isInner = typeof path === "string" && path.includes("|");
  return (
    !isInner &&
    isSame(request.messages, request.state.messages) &&
    !isAnsweredAgain(request, answer)
  );
}

function isSame(
  one: readonly BaseMessage[],
  other: readonly BaseMessage[],
): boolean {
  return (
    one === other ||
    (one.length === other.length &&
      one.every((message, index) => message === other[index]))
  );
}
