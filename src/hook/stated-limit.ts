import { viewDecisionOf } from "../conversation/marker.js";
import { isMessage, roleOf } from "../conversation/message.js";

/**
 * The window to go by where the newest answer bears a smaller one, which an error stated; tokens.
 *
 * Whoever calls the model writes it on every answer from then on, so that the
 * newest one tells. It counts for the window that it was found for.
 */
export function withinStatedLimit(
  inputWindow: number,
  messages: readonly unknown[],
): number {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (isMessage(message) && roleOf(message) === "ai") {
      const decision = viewDecisionOf(message);
      return decision?.configuredWindow === inputWindow
        ? Math.min(inputWindow, decision.contextWindow)
        : inputWindow;
    }
  }
  return inputWindow;
}
