import type { Provider } from "../provider.js";

/** The most that a request may have of images, and base64 characters or bytes of one of them. */
export const IMAGE_LIMITS: Readonly<
  Record<
    Provider,
    {
      readonly count?: number;
      readonly perMessage?: number;
      readonly size?: number;
    }
  >
> = {
  openai: { count: 500 },
  "openai-responses": { count: 500 },
  anthropic: { count: 100, size: 5 * 1024 * 1024 },
  gemini: { count: 3600 },
  mistral: { count: 8, size: 10_000_000 },
  bedrock: { perMessage: 20, size: 3.75 * 1024 * 1024 },
};

/** The ids of tool calls that a provider takes; one that is not named takes any. */
export const CALL_ID_FORMS: Readonly<
  Partial<
    Record<Provider, { readonly length?: number; readonly form?: RegExp }>
  >
> = {
  openai: { length: 40 },
  "openai-responses": { length: 64 },
  anthropic: { form: /^[a-zA-Z0-9_-]+$/ },
  bedrock: { length: 64, form: /^[a-zA-Z0-9_-]+$/ },
};
