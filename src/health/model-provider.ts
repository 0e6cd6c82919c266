import { modelBehind } from "../tokens/model-limits.js";
import type { Provider } from "./provider.js";

/** The providers that are particular about who speaks after whom, by what their chat models say they are. */
const BY_TYPE: ReadonlyMap<unknown, Provider> = new Map<unknown, Provider>([
  ["anthropic", "anthropic"],
  ["chat_bedrock_converse", "bedrock"],
  ["googlegenerativeai", "gemini"],
  ["mistral_ai", "mistral"],
]);

/** The provider of a chat model, behind bindings too; `undefined` for any other value and where no order of roles is known. */
export function providerOf(model: unknown): Provider | undefined {
  const { _llmType: typeOf, bound } = (model ?? {}) as {
    _llmType?: unknown;
    bound?: unknown;
  };
  if (typeof typeOf === "function") {
    return BY_TYPE.get(typeOf.call(model));
  }
  return bound === undefined ? undefined : providerOf(bound);
}

/**
 * The same for a model that is about to be called, a configurable one too.
 *
 * One that cannot be made says so itself when it is called.
 */
export function providerOfCalled(
  model: object,
): Provider | Promise<Provider | undefined> | undefined {
  return (
    providerOf(model) ?? modelBehind(model)?.then(providerOf, () => undefined)
  );
}
