import type { ModelRequest } from "langchain";
import { viewDecisionOf } from "../conversation/marker.js";
import { roleOf } from "../conversation/message.js";
import { CompactionError } from "../errors.js";
import type { HookSettings } from "../hook/settings.js";
import { whenReady } from "../when-ready.js";
import { countMessage, countToolDefinitions } from "../tokens/ask-counter.js";
import {
  findLimits,
  inputWindowOf,
  type ModelLimits,
} from "../tokens/model-limits.js";
import { untilAborted } from "../until-aborted.js";

type Tools = ModelRequest["tools"];

/**
 * Measures what a model request is besides its messages; tokens.
 *
 * Rounded up to the next eighth of the window that is gone by, so that a system
 * prompt with today's date in it does not change what was decided for earlier
 * calls. Tools that are the same objects are counted once.
 */
export class RequestGauge {
  #tools: { readonly list: Tools; readonly tokens: number } | undefined;

  /** @throws CompactionError `COUNTER_FAILED` */
  overhead(
    {
      messages,
      systemMessage,
      tools,
    }: Pick<ModelRequest, "messages" | "systemMessage" | "tools">,
    inputWindow: number,
    { tokenCounter, overheadTokens }: HookSettings,
    signal: AbortSignal | undefined,
  ): number | Promise<number> {
    const besides =
      tools.length > 0
        ? overheadTokens + this.#countTools(tools, tokenCounter)
        : overheadTokens;
    const window = windowFound(messages, inputWindow);
    if (systemMessage.content.length === 0) {
      return inEighths(besides, window);
    }
    const tokens = countMessage(systemMessage, tokenCounter);
    return whenReady(
      typeof tokens === "number" ? tokens : untilAborted(tokens, signal),
      (counted) => inEighths(besides + counted, window),
    );
  }

  #countTools(
    tools: Tools,
    tokenCounter: HookSettings["tokenCounter"],
  ): number {
    const known = this.#tools;
    if (
      known?.list.length === tools.length &&
      known.list.every((tool, index) => tool === tools[index])
    ) {
      return known.tokens;
    }
    const tokens = countToolDefinitions(tools, tokenCounter);
    this.#tools = { list: [...tools], tokens };
    return tokens;
  }
}

/** The window, or the smaller one that an error has stated in its place; tokens. */
function windowFound(
  messages: ModelRequest["messages"],
  inputWindow: number,
): number {
  const reply = messages.findLast((message) => roleOf(message) === "ai");
  const decision = reply && viewDecisionOf(reply);
  return decision?.configuredWindow === inputWindow
    ? decision.contextWindow || inputWindow
    : inputWindow;
}

function inEighths(overhead: number, inputWindow: number): number {
  const eighth = inputWindow / 8;
  return Math.ceil(Math.ceil(overhead / eighth) * eighth);
}

/**
 * The window of the model that is about to be called, less what is left to its answer; tokens.
 *
 * @throws CompactionError `WINDOW_UNKNOWN` for a model without a profile,
 *   `INVALID_OPTION` where nothing of the window is left
 */
export function windowOfModel(
  model: ModelRequest["model"],
  reserveOutputTokens: number | undefined,
): number | Promise<number> {
  const limits = findLimits(model);
  return limits instanceof Promise
    ? limits.then(
        (found) => windowIn(found, model, reserveOutputTokens),
        (cause: unknown) => {
          throw unknownWindow(model, cause);
        },
      )
    : windowIn(limits, model, reserveOutputTokens);
}

function windowIn(
  limits: ModelLimits | undefined,
  model: ModelRequest["model"],
  reserveOutputTokens: number | undefined,
): number {
  if (limits === undefined) {
    throw unknownWindow(model);
  }
  return inputWindowOf(limits, reserveOutputTokens);
}

function unknownWindow(
  model: ModelRequest["model"],
  cause?: unknown,
): CompactionError {
  const { model: name } = model as { model?: unknown };
  const called =
    typeof name === "string" ? `${model.getName()} "${name}"` : model.getName();
  return new CompactionError(
    "WINDOW_UNKNOWN",
    `The model called here, ${called}, has no profile that states its maxInputTokens, so contextWindow: "auto" cannot tell the window; give it in tokens, such as contextWindow: 200_000.`,
    { cause },
  );
}
