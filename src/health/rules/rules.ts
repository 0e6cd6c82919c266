import { CALL_ID_RULES } from "./call-id-rules.js";
import { CONTENT_RULES } from "./content-rules.js";
import { ORDER_RULES } from "./order-rules.js";
import { PAIRING_RULES } from "./pairing-rules.js";
import type { Rule } from "./rule.js";

/**
 * Every rule, with the error that each provider gives.
 *
 * Numbers in the errors are written as N and names as "…". A provider that a
 * rule does not name takes what the rule speaks of.
 */
export const RULES = {
  ...CALL_ID_RULES,
  ...PAIRING_RULES,
  ...CONTENT_RULES,
  ...ORDER_RULES,
} as const;

/** What can be wrong, as a fixed word that programs can switch on. */
export type ProblemCode = keyof typeof RULES;

/** The rule behind a code. */
export function ruleOf(code: ProblemCode): Rule {
  return RULES[code];
}
