import type { CallView, HealthView } from "./health-view.js";
import type { Provider } from "./provider.js";

/** Beside `tool_calls`, the places whose calls each client sends as well. */
const OTHER_PLACES: Readonly<Record<Provider, readonly string[]>> = {
  openai: ["raw"],
  "openai-responses": ["raw"],
  anthropic: ["tool_use"],
  gemini: ["tool_use", "tool_call"],
  mistral: [],
  bedrock: [],
};

/** Whether this provider's LangChain client puts the call into its request. */
export function isSent(
  view: HealthView,
  index: number,
  call: CallView,
  provider: Provider,
): boolean {
  const isSeen =
    call.place === "list" ||
    view.content[index]!.isStandard ||
    OTHER_PLACES[provider].includes(call.place);
  // Mistral's client leaves a call out unless some result has its id.
  return isSeen && (provider !== "mistral" || view.answeredIds.has(call.id));
}

/** Whether anything of a message's calls is sent. */
export function sendsCalls(
  view: HealthView,
  index: number,
  provider: Provider,
): boolean {
  return view.calls[index]!.some((call) => isSent(view, index, call, provider));
}

/**
 * Whether the client leaves a message out of its request: Mistral's where
 * nothing but unanswered calls stands in it, that of the Responses API where
 * its list of blocks is empty.
 */
export function isLeftOut(
  view: HealthView,
  index: number,
  provider: Provider,
): boolean {
  const { text, blocks } = view.content[index]!;
  const hasNoBlocks = text === undefined && blocks === 0;
  if (provider === "openai-responses") {
    return (
      hasNoBlocks &&
      view.conversation.roles[index] !== "tool" &&
      !sendsCalls(view, index, provider) &&
      !view.messages[index]!.additional_kwargs?.reasoning
    );
  }
  return (
    provider === "mistral" &&
    view.calls[index]!.some(({ place }) => place === "list") &&
    (hasNoBlocks || text?.trim() === "") &&
    !sendsCalls(view, index, provider)
  );
}
