import { CompactionError } from "../errors.js";
import { invalidOption, show } from "../options.js";
import {
  findLimits,
  type ModelLimits,
  type ModelWithProfile,
} from "../tokens/model-limits.js";

/** A number of tokens, or a chat model whose profile says it. */
export type ContextWindow = number | ModelWithProfile;

export const WINDOW_EXPECTED =
  "the window in tokens, such as 128_000, or a chat model with a profile";

/**
 * The limits in a model's profile.
 *
 * @throws CompactionError `WINDOW_UNKNOWN` where no profile states a window.
 */
export async function limitsOf(model: ModelWithProfile): Promise<ModelLimits> {
  const limits = await findLimits(model);
  if (limits === undefined) {
    throw unknownWindow(model);
  }
  return limits;
}

/**
 * The error for a window that cannot be read off what was given for it.
 *
 * `WINDOW_UNKNOWN` for a model, `INVALID_OPTION` for anything else.
 */
export function unknownWindow(given: object): CompactionError {
  const { invoke, profile, model } = given as Record<string, unknown>;
  if (typeof invoke !== "function" && profile === undefined) {
    return invalidOption("contextWindow", given, WINDOW_EXPECTED);
  }
  const name = typeof model === "string" ? ` (${show(model)})` : "";
  return new CompactionError(
    "WINDOW_UNKNOWN",
    `Option "contextWindow" is a model${name} whose profile states no maxInputTokens; give the window in tokens, such as contextWindow: 200_000.`,
  );
}
