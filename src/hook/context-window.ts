import { CompactionError } from "../errors.js";
import {
  findLimits,
  type ModelLimits,
  type ModelWithProfile,
} from "../tokens/model-limits.js";

/** A number of tokens, or a chat model whose profile says it. */
export type ContextWindow = number | ModelWithProfile;

/**
 * The limits in a model's profile.
 *
 * @throws CompactionError `WINDOW_UNKNOWN` where no profile states a window.
 */
export async function limitsOf(model: ModelWithProfile): Promise<ModelLimits> {
  const limits = await findLimits(model);
  if (limits === undefined) {
    throw unknownWindow();
  }
  return limits;
}

export function unknownWindow(): CompactionError {
  return new CompactionError(
    "WINDOW_UNKNOWN",
    'Option "contextWindow" is a model whose profile states no maxInputTokens; give the window in tokens, such as contextWindow: 200_000.',
  );
}
