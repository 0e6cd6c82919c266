import { invalidOption } from "../options.js";

/** What is read of a chat model: the limits that its package states. */
export interface ModelWithProfile {
  readonly profile?: {
    readonly maxInputTokens?: number;
    readonly maxOutputTokens?: number;
  };
}

/** The limits of a model. Tokens. */
export interface ModelLimits {
  readonly contextWindow: number;
  readonly maxOutputTokens?: number | undefined;
}

/**
 * The limits in a model's profile, found behind bindings and configurable models too, or `undefined`.
 *
 * LangChain's own fall-back by model name is not used: it says 4,097 tokens
 * for every name that it does not know.
 */
export function findLimits(
  model: object,
): ModelLimits | Promise<ModelLimits | undefined> | undefined {
  return limitsKnown(model) ?? modelBehind(model)?.then(limitsKnown);
}

/** The limits that a model states at once, or `undefined`. */
export function limitsKnown(model: ModelWithProfile): ModelLimits | undefined {
  const seen = new Set<object>();
  let current: unknown = model;
  while (
    typeof current === "object" &&
    current !== null &&
    !seen.has(current)
  ) {
    seen.add(current);
    const { profile, bound } = current as ModelWithProfile & {
      bound?: unknown;
    };
    const contextWindow = profile?.maxInputTokens;
    if (typeof contextWindow === "number" && contextWindow > 0) {
      return { contextWindow, maxOutputTokens: profile?.maxOutputTokens };
    }
    current = bound;
  }
  return undefined;
}

/**
 * The window less what is left to the answer; tokens.
 *
 * @throws CompactionError `INVALID_OPTION` where nothing of the window is left
 */
export function inputWindowOf(
  { contextWindow, maxOutputTokens }: ModelLimits,
  reserveOutputTokens?: number,
): number {
  const reserve = reserveOutputTokens ?? maxOutputTokens ?? 0;
  if (reserve >= contextWindow) {
    throw invalidOption(
      "reserveOutputTokens",
      reserve,
      `below the context window (${contextWindow} tokens)`,
    );
  }
  return contextWindow - reserve;
}

/** Whether the model itself is only known when it is called, as `initChatModel` makes it. */
export function isConfigurableModel(model: unknown): boolean {
  return (
    typeof (model as { _getModelInstance?: unknown } | null)
      ?._getModelInstance === "function" ||
    ((model as { bound?: unknown } | null)?.bound !== undefined &&
      isConfigurableModel((model as { bound: unknown }).bound))
  );
}

/** The model that a configurable one stands for at this call, or `undefined` for any other. */
export function modelBehind(
  model: unknown,
): Promise<ModelWithProfile> | undefined {
  const { _getModelInstance: resolve, bound } = model as {
    _getModelInstance?: () => Promise<ModelWithProfile>;
    bound?: unknown;
  };
  if (typeof resolve === "function") {
    return resolve.call(model);
  }
  return typeof bound === "object" && bound !== null
    ? modelBehind(bound)
    : undefined;
}
