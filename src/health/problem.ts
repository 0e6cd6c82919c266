import type { Provider } from "./provider.js";
import type { ProblemCode } from "./rules/rules.js";

/** One thing in a conversation that a provider would refuse. */
export interface ConversationProblem {
  readonly code: ProblemCode;
  /** Who refuses it: the provider that was asked for, or the first of `providers` under `strict`. */
  readonly provider: Provider;
  /** All who refuse it, of those that the rule set speaks for. */
  readonly providers: readonly Provider[];
  /** Index of the message in the list. */
  readonly index: number;
  readonly messageId?: string;
  /** The id of the tool call in question, where there is one. */
  readonly callId?: string;
  /** What is wrong, with the place. */
  readonly message: string;
  /** What would mend it. */
  readonly mend: string;
  /** How `provider` would answer; numbers are written as N, names as "…". */
  readonly error: string;
  /** Where the rule comes from. */
  readonly source: string;
}
