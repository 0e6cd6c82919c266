import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { isCommand } from "@langchain/langgraph";
import type { ModelRequest } from "langchain";
import type { Compactor } from "../compactors/compactor.js";
import { CompactionHook, type ViewResult } from "../hook/compaction-hook.js";
import type { ContextWindow } from "../hook/context-window.js";
import { rewriteUpdate } from "../conversation/rewrite-update.js";
import { type CompactionHookOptions, windowOf } from "../hook/settings.js";
import { stampRewrite } from "../hook/stamp.js";
import {
  type ModelAnswer,
  messagesOf,
  type PlainAnswer,
  withDecision,
  withHistory,
} from "./answer.js";
import { RequestGauge, windowOfModel } from "./request-facts.js";

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

/** Where a model request goes out and its answer comes in. */
export class Door {
  readonly #hook: CompactionHook;
  readonly #gauge = new RequestGauge();
  /** Of the model that is called, where that decides. */
  readonly #isAuto: boolean;

  /**
   * @param own what a run has set for itself
   * @throws CompactionError `INVALID_OPTION`
   */
  constructor(
    given: CompactionMiddlewareOptions | CompactionHook,
    own?: Partial<CompactionMiddlewareOptions>,
  ) {
    const hook = "viewRequest" in given ? given : undefined;
    const options: CompactionMiddlewareOptions = {
      ...(hook === undefined ? given : hook.options),
      ...own,
    } as CompactionMiddlewareOptions;
    const { contextWindow = "auto", ...others } = options;
    this.#isAuto = contextWindow === "auto";
    this.#hook =
      hook !== undefined && own === undefined
        ? hook
        : new CompactionHook({
            mode: "view",
            ...others,
            // Each call brings its model's own.
            contextWindow:
              contextWindow === "auto"
                ? Number.MAX_SAFE_INTEGER
                : contextWindow,
          });
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
    const inputWindow = this.#isAuto
      ? await windowOfModel(request.model, options.reserveOutputTokens)
      : await windowOf(settings);
    const view = await this.#hook.viewRequest(
      request.messages,
      config,
      async () =>
        this.#gauge.measure(request, inputWindow, settings, config.signal),
    );
    await this.#hook.tell(view.report, config);
    return view;
  }

  /** What goes back to the agent: the answer with the decision on it, or also the view in the history's place. */
  close(
    request: ModelRequest,
    { messages: shown, view }: ViewResult,
    answer: ModelAnswer,
  ): ModelAnswer {
    if (view === undefined || isCommand(answer)) {
      return answer;
    }
    const isRewritten =
      this.#hook.options.mode === "rewrite" &&
      !isSame(shown, request.messages) &&
      isSafeToRewrite(request, answer);
    if (!isRewritten) {
      return withDecision(answer, view.decision);
    }
    const { compactor } = this.#hook.settings;
    const history = stampRewrite(request.messages, shown, {
      strategy: (compactor as Partial<Compactor>).strategy ?? "custom",
      overheadTokens: view.overheadTokens,
      removedMessages: view.decision.removedMessages,
    });
    return withHistory(answer, rewriteUpdate(request.messages, history));
  }
}

/**
 * Whether the state may be rewritten together with this answer.
 *
 * Not where another middleware changed the list that came here; and not where
 * a call goes to structured output, which the agent may answer with a retry
 * whose messages a removal would take away.
 */
function isSafeToRewrite(
  { messages, state, responseFormat, tools }: ModelRequest,
  answer: PlainAnswer,
): boolean {
  if (!isSame(messages, state.messages)) {
    return false;
  }
  if (responseFormat === undefined) {
    return true;
  }
  const names = new Set(tools.map((tool) => tool.name));
  return messagesOf(answer).every((message) =>
    ((message as AIMessage).tool_calls ?? []).every((call) =>
      names.has(call.name),
    ),
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
