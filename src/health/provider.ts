import { invalidOption } from "../options.js";

/** The providers whose rules are known, by the API that their LangChain client speaks. */
export const PROVIDERS = [
  "openai",
  "openai-responses",
  "anthropic",
  "gemini",
  "mistral",
  "bedrock",
] as const;

export type Provider = (typeof PROVIDERS)[number];

/**
 * One provider's rules, or `strict`: what every provider takes.
 *
 * `strict` leaves out the rules about one provider's own content, which no
 * thread with native content could meet for all of them.
 */
export type RuleSet = Provider | "strict";

/** The providers that a rule set speaks for. */
export function providersOf(ruleSet: RuleSet): readonly Provider[] {
  return ruleSet === "strict" ? PROVIDERS : [ruleSet];
}

/** @throws CompactionError `INVALID_OPTION` */
export function requireRuleSet(value: unknown): asserts value is RuleSet {
  const known: readonly unknown[] = [...PROVIDERS, "strict"];
  if (!known.includes(value)) {
    throw invalidOption("provider", value, `one of ${known.join(", ")}`);
  }
}
