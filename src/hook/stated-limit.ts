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
  const answer = messages.findLast(
    (message) => isMessage(message) && roleOf(message) === "ai",
  );
  const decision = isMessage(answer) ? viewDecisionOf(answer) : undefined;
  return decision?.configuredWindow === inputWindow
    ? Math.min(inputWindow, decision.contextWindow)
    : inputWindow;
}
