import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import {
  type CompactorOrTiers,
  toCompactor,
} from "../compactors/compactor-pipeline.js";
import type { CompactorLike } from "../compactors/compactor.js";
import type { Condition } from "../conditions/condition.js";
import { isMessage } from "../conversation/message.js";
import { CompactionError } from "../errors.js";
import { providerOf } from "../health/model-provider.js";
import { type RuleSet, requireRuleSet } from "../health/provider.js";
import {
  invalidOption,
  requireKnownOptions,
  requireSwitch,
  requireWholeNumber,
} from "../options.js";
import { defaultTokenCounter } from "../tokens/default-counter.js";
import {
  inputWindowOf,
  isConfigurableModel,
  limitsKnown,
  type ModelWithProfile,
} from "../tokens/model-limits.js";
import {
  requireTokenCounter,
  type TokenCounterLike,
} from "../tokens/token-counter.js";
import {
  type ContextWindow,
  limitsOf,
  unknownWindow,
  WINDOW_EXPECTED,
} from "./context-window.js";
import { readConditions } from "./read-conditions.js";
import type { CompactionReport } from "./report.js";
import { readRuleSets } from "./rule-sets.js";

/** Options of `CompactionHook`. */
export interface CompactionHookOptions<K extends string = "messages"> {
  /** What shortens the conversation; an array is a pipeline, cheapest first. */
  compactor: CompactorOrTiers;
  /** Tokens, or a chat model whose profile says it. */
  contextWindow: ContextWindow;
  /**
   * Compaction starts at or above this part of the window, size or predicate.
   *
   * @default 0.7
   */
  compactAt?: number | Condition;
  /**
   * And works towards this part of the window, size or predicate.
   *
   * @default 0.4, or the opposite of `compactAt` where that is no number
   */
  compactTo?: number | Condition;
  /** Tokens of the window that are left to the answer. @default the profile's `maxOutputTokens`, else 0 */
  reserveOutputTokens?: number;
  /** @default an estimate that needs no tokenizer */
  tokenCounter?: TokenCounterLike;
  /** The tools that the request carries; counted where no report says what they take. @default none */
  tools?: readonly BindToolsInput[];
  /** The system prompt, where it is no message of the list; counted likewise. @default none */
  systemPrompt?: string | BaseMessage;
  /** Tokens of the request that are nothing of the above; counted likewise. @default 0 */
  overheadTokens?: number;
  /**
   * `"rewrite"` the state's messages, or leave them and hand the model a
   * `"view"` (`llmInputMessages`).
   *
   * @default "rewrite" as a node, "view" as middleware
   */
  mode?: "rewrite" | "view";
  /**
   * Whose rules the messages are to meet: where a compaction brings together
   * roles that may not meet there, a short message comes in between.
   *
   * @default with `repair` `"strict"`, what every provider takes; else the
   * provider of the model, where that is called here or is the `contextWindow`
   */
  provider?: RuleSet;
  /**
   * Mend the messages first, by the rules of `provider`: see
   * `repairConversation`. The mends are in the report.
   *
   * @default false
   */
  repair?: boolean;
  /**
   * Tokens that a compaction has to set free, so that it is worth a broken
   * prompt cache; a smaller one waits until the request takes 95 % of the window.
   *
   * @default 0
   */
  minReclaimTokens?: number;
  /**
   * How often a request is made smaller and sent again after the provider
   * refused it as too long; where this package calls the model.
   *
   * @default 2
   */
  maxOverflowRetries?: number;
  /** The state's key for messages. @default "messages" */
  messagesKey?: K;
  /** Hears of every pass. @default nobody */
  onReport?: (report: CompactionReport) => void;
  /** Also write each report to `streamMode: "custom"`. @default false */
  streamReports?: boolean;
  /** Throw what fails in a run, instead of leaving the conversation as it was. @default false */
  raiseOnFailure?: boolean;
}

/** What a hook goes by, checked. */
export interface HookSettings {
  readonly compactor: CompactorLike;
  readonly compactAt: Condition;
  readonly compactTo: Condition | undefined;
  readonly tokenCounter: TokenCounterLike;
  readonly tools: readonly BindToolsInput[];
  readonly systemPrompt: string | BaseMessage | undefined;
  readonly overheadTokens: number;
  readonly raiseOnFailure: boolean;
  /** Whose rules messages are mended by before anything else. */
  readonly repair: RuleSet | undefined;
  /** Whose order of roles a compaction is to meet. */
  readonly provider: RuleSet | undefined;
  /** Tokens. */
  readonly minReclaimTokens: number;
  readonly maxOverflowRetries: number;
  /** The window less what is left to the answer; tokens. */
  readonly inputWindow: number | (() => Promise<number>);
}

const OPTIONS = [
  "compactor",
  "contextWindow",
  "compactAt",
  "compactTo",
  "reserveOutputTokens",
  "tokenCounter",
  "tools",
  "systemPrompt",
  "overheadTokens",
  "mode",
  "provider",
  "repair",
  "minReclaimTokens",
  "maxOverflowRetries",
  "messagesKey",
  "onReport",
  "streamReports",
  "raiseOnFailure",
] as const satisfies readonly (keyof CompactionHookOptions)[];

/** @throws CompactionError `INVALID_OPTION` that names the option, its value and what would be right. */
export function readSettings(
  options: CompactionHookOptions<string>,
): HookSettings {
  requireKnownOptions("CompactionHook", options, OPTIONS);
  const { reserveOutputTokens, overheadTokens = 0, messagesKey } = options;
  const { minReclaimTokens = 0, maxOverflowRetries = 2 } = options;
  requireTokenCounter(options.tokenCounter);
  requireWholeNumber("overheadTokens", overheadTokens, 0, "tokens");
  requireWholeNumber("minReclaimTokens", minReclaimTokens, 0, "tokens");
  requireWholeNumber("maxOverflowRetries", maxOverflowRetries, 0, "retries");
  if (reserveOutputTokens !== undefined) {
    requireWholeNumber("reserveOutputTokens", reserveOutputTokens, 0, "tokens");
  }
  requireTools(options.tools);
  const { mode } = options;
  if (mode !== undefined && mode !== "rewrite" && mode !== "view") {
    throw invalidOption("mode", mode, '"rewrite" or "view"');
  }
  if (
    options.onReport !== undefined &&
    typeof options.onReport !== "function"
  ) {
    throw invalidOption("onReport", options.onReport, "a function");
  }
  if (
    messagesKey !== undefined &&
    (typeof messagesKey !== "string" || messagesKey === "")
  ) {
    throw invalidOption("messagesKey", messagesKey, "a key of the state");
  }
  const { systemPrompt } = options;
  if (
    systemPrompt !== undefined &&
    typeof systemPrompt !== "string" &&
    !isMessage(systemPrompt)
  ) {
    throw invalidOption("systemPrompt", systemPrompt, "a text or a message");
  }
  const compactor = toCompactor(options.compactor);
  if (mode === "view") {
    requireDeterministic(compactor);
  }
  requireSwitch("repair", options.repair);
  if (options.provider !== undefined) {
    requireRuleSet(options.provider);
  }
  requireSwitch("streamReports", options.streamReports);
  requireSwitch("raiseOnFailure", options.raiseOnFailure);
  const inputWindow = readWindow(options.contextWindow, reserveOutputTokens);
  return {
    compactor,
    ...readConditions(options.compactAt, options.compactTo, inputWindow),
    tokenCounter: options.tokenCounter ?? defaultTokenCounter,
    tools: options.tools ?? [],
    systemPrompt,
    overheadTokens,
    raiseOnFailure: options.raiseOnFailure ?? false,
    ...readRuleSets(options, providerOf(options.contextWindow)),
    minReclaimTokens,
    maxOverflowRetries,
    inputWindow,
  };
}

/**
 * Refuses a compactor whose result cannot be derived again, where a view would have to.
 *
 * @throws CompactionError `INVALID_OPTION`
 */
export function requireDeterministic(compactor: CompactorLike): void {
  if (compactor.isDeterministic === false) {
    throw new CompactionError(
      "INVALID_OPTION",
      'Option "compactor" writes summaries, which a view cannot keep: it is derived anew from the history. Use a CompactionHook with mode: "rewrite" as a node (preModelHook), compactionMiddleware, which keeps them in the thread, or a compactor without summaries.',
    );
  }
}

/** The window less what is left to the answer; tokens. @throws CompactionError `WINDOW_UNKNOWN` */
export function windowOf({
  inputWindow,
}: Pick<HookSettings, "inputWindow">): number | Promise<number> {
  return typeof inputWindow === "number" ? inputWindow : inputWindow();
}

/** What is in a tool is its provider's matter; only what cannot be one is refused. */
function requireTools(tools: unknown): void {
  if (tools === undefined) {
    return;
  }
  if (!Array.isArray(tools)) {
    throw invalidOption("tools", tools, "an array of tools");
  }
  const wrong = tools.findIndex(
    (tool) => typeof tool !== "object" || tool === null || Array.isArray(tool),
  );
  if (wrong >= 0) {
    throw invalidOption(
      `tools[${wrong}]`,
      tools[wrong],
      "a LangChain tool or a tool definition",
    );
  }
}

function readWindow(
  contextWindow: ContextWindow,
  reserve: number | undefined,
): HookSettings["inputWindow"] {
  if (typeof contextWindow === "number") {
    requireWholeNumber("contextWindow", contextWindow, 1, "tokens");
    return inputWindowOf({ contextWindow }, reserve);
  }
  if (typeof contextWindow !== "object" || contextWindow === null) {
    throw invalidOption("contextWindow", contextWindow, WINDOW_EXPECTED);
  }
  const model: ModelWithProfile = contextWindow;
  const limits = limitsKnown(model);
  if (limits !== undefined) {
    return inputWindowOf(limits, reserve);
  }
  if (!isConfigurableModel(model)) {
    throw unknownWindow(model);
  }
  return async () => inputWindowOf(await limitsOf(model), reserve);
}
