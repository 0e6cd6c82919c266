/** The providers whose real LangChain clients are run, by what they speak. */
export const WIRE_PROVIDERS = [
  "openai",
  "openai-responses",
  "anthropic",
  "gemini",
  "mistral",
  "bedrock",
  "ollama",
] as const;

export type WireProvider = (typeof WIRE_PROVIDERS)[number];

/** One reason why a request would not be answered. */
export interface Refusal {
  /** Who refuses: the LangChain package before anything is sent, or the provider. */
  by: "client" | "provider";
  /** The error, in the words of whoever gives it. */
  message: string;
}

/** Any JSON object of a request; the checkers read what they need of it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export function refusal(message: string): Refusal {
  return { by: "provider", message };
}
