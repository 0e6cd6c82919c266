import { CALL_ID_RULES, type CallIdProblem } from "./call-id-rules.js";
import { CONTENT_RULES, type ContentProblem } from "./content-rules.js";
import { ORDER_RULES, type OrderProblem } from "./order-rules.js";
import { PAIRING_RULES, type PairingProblem } from "./pairing-rules.js";
import type { Rule } from "./rule.js";

/** What can be wrong, as a fixed word that programs can switch on. */
export type ProblemCode =
  | CallIdProblem
  | PairingProblem
  | ContentProblem
  | OrderProblem;

/**
 * Every rule, with the error that each provider gives.
 *
 * Numbers in the errors are written as N and names as "…". A provider that a
 * rule does not name takes what the rule speaks of.
 *
 * @internal
 */
export const RULES: Readonly<Record<ProblemCode, Rule>> = {
  ...CALL_ID_RULES,
  ...PAIRING_RULES,
  ...CONTENT_RULES,
  ...ORDER_RULES,
};

/** The rule behind a code. */
export function ruleOf(code: ProblemCode): Rule {
  return RULES[code];
}
