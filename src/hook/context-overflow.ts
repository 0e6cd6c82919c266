import { ContextOverflowError } from "@langchain/core/errors";

/**
 * Whether an error says that a request was too long for its model.
 *
 * Looks through the chain of causes, since middleware wraps errors, for
 * LangChain's `ContextOverflowError`, the code `context_length_exceeded`, and
 * the wordings of providers that LangChain does not map.
 */
export function isContextOverflow(error: unknown): boolean {
  return chainOf(error).some(
    (link) =>
      ContextOverflowError.isInstance(link) ||
      codesOf(link).some((code) => CODES.has(code)) ||
      WORDINGS.some((wording) => wording.test(messageOf(link))),
  );
}

/** The limit in tokens that such an error states, or `undefined`. */
export function limitIn(error: unknown): number | undefined {
  for (const link of chainOf(error)) {
    for (const wording of WORDINGS) {
      const limit = wording.exec(messageOf(link))?.groups?.limit;
      if (limit !== undefined) {
        return Number(limit.replaceAll(/[,_]/g, ""));
      }
    }
    const { n_ctx: available } = bodyOf(link);
    if (typeof available === "number" && available > 0) {
      return available;
    }
  }
  return undefined;
}

const CODES: ReadonlySet<unknown> = new Set([
  "context_length_exceeded",
  // llama.cpp's server
  "exceed_context_size_error",
  // Anthropic, with status 413
  "request_too_large",
]);

/** As the providers' own messages put it; where one states the limit it is captured. */
const WORDINGS: readonly RegExp[] = [
  // OpenAI, vLLM, OpenRouter: "maximum context length is 8192 tokens"
  /maximum context length is (?<limit>[\d,]+)/i,
  // OpenAI's Responses API; Mistral: "too large for model with 32768 maximum context length"
  /exceeds the context window|input tokens exceed the configured limit/i,
  /too large for model with (?<limit>[\d,]+) maximum context length/i,
  // Anthropic: "prompt is too long: 209000 tokens > 200000 maximum"
  /prompt is too long(?:: [\d,]+ tokens > (?<limit>[\d,]+) maximum)?/i,
  // Anthropic: "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
  /exceed context limit(?:: [\d,]+ \+ [\d,]+ > (?<limit>[\d,]+))?/i,
  // OpenAI, status 429: the request alone is over the rate limit, so waiting does not help
  /request too large for .*?limit:? (?<limit>[\d,]+)/is,
  // llama.cpp
  /exceeds the available context size/i,
  // Google: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
  /input token count.*?exceeds the maximum number of tokens allowed(?: \(?(?<limit>[\d,]+))?/is,
  // Bedrock
  /input is too long for requested model/i,
  // xAI: "maximum prompt length is 131072 but the request contains 537812 tokens"
  /maximum prompt length is (?<limit>[\d,]+)/i,
];

/** An error with its causes, the outermost first. */
function chainOf(error: unknown): object[] {
  const chain: object[] = [];
  let link: unknown = error;
  while (typeof link === "object" && link !== null && !chain.includes(link)) {
    chain.push(link);
    link = (link as { cause?: unknown }).cause;
  }
  return chain;
}

function messageOf(link: object): string {
  const own = (link as { message?: unknown }).message;
  const inner = bodyOf(link).message;
  return [own, inner].filter((text) => typeof text === "string").join("\n");
}

function codesOf(link: object): unknown[] {
  const { code, type } = bodyOf(link);
  return [(link as { code?: unknown }).code, code, type];
}

/** The provider's error body, which clients keep as `error`, sometimes once more inside. */
function bodyOf(link: object): {
  message?: unknown;
  code?: unknown;
  type?: unknown;
  n_ctx?: unknown;
} {
  const { error } = link as { error?: { error?: object } };
  return error?.error ?? error ?? {};
}
