import type { ModelRequest } from "langchain";
import { CompactionError } from "../errors.js";
import { providerOf } from "../health/model-provider.js";
import type { Provider } from "../health/provider.js";
import { limitsOf, type ModelWithProfile } from "../hook/context-window.js";
import type { HookSettings } from "../hook/settings.js";
import { invalidOption } from "../options.js";
import { countMessage, countToolDefinitions } from "../tokens/ask-counter.js";
import { modelBehind } from "../tokens/model-limits.js";
import { untilAborted } from "../tokens/measured-conversation.js";

type Tools = ModelRequest["tools"];

/**
 * Measures what a model request is besides its messages; tokens.
 *
 * Rounded up to the next eighth of the window, so that a system prompt with
 * today's date in it does not change what was decided for earlier calls. Tools
 * that are the same objects are counted once.
 */
export class RequestGauge {
  #tools: { readonly list: Tools; readonly tokens: number } | undefined;

  /** @throws CompactionError `COUNTER_FAILED` */
  async overhead(
    { systemMessage, tools }: Pick<ModelRequest, "systemMessage" | "tools">,
    inputWindow: number,
    { tokenCounter, overheadTokens }: HookSettings,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    let overhead = overheadTokens;
    if (systemMessage.content.length > 0) {
      const tokens = countMessage(systemMessage, tokenCounter);
      overhead +=
        typeof tokens === "number"
          ? tokens
          : await untilAborted(tokens, signal);
    }
    if (tools.length > 0) {
      overhead += this.#countTools(tools, tokenCounter);
    }
    const eighth = inputWindow / 8;
    return Math.ceil(Math.ceil(overhead / eighth) * eighth);
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

/**
 * The window of the model that is about to be called, less what is left to its answer; tokens.
 *
 * @throws CompactionError `WINDOW_UNKNOWN` for a model without a profile,
 *   `INVALID_OPTION` where nothing of the window is left
 */
export async function windowOfModel(
  model: ModelRequest["model"],
  reserveOutputTokens: number | undefined,
): Promise<number> {
  const { contextWindow, maxOutputTokens } = await limitsOf(
    model as ModelWithProfile,
  ).catch((cause: unknown) => {
    throw unknownWindow(model, cause);
  });
  const reserve = reserveOutputTokens ?? maxOutputTokens ?? 0;
  if (reserve >= contextWindow) {
    throw invalidOption(
      "reserveOutputTokens",
      reserve,
      `below the window of the called model (${contextWindow} tokens)`,
    );
  }
  return contextWindow - reserve;
}

/** The provider of the model that is about to be called, where it is particular about the order of roles. */
export async function providerOfModel(
  model: ModelRequest["model"],
): Promise<Provider | undefined> {
  return providerOf(model) ?? providerOf(await modelBehind(model));
}

function unknownWindow(
  model: ModelRequest["model"],
  cause: unknown,
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
