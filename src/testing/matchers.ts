import type { BaseMessage } from "@langchain/core/messages";
import { coerceMessages } from "../conversation/coerce-messages.js";
import {
  checkConversation,
  type CheckConversationOptions,
} from "../health/check-conversation.js";
import type { ConversationProblem } from "../health/problem.js";
import type { RuleSet } from "../health/provider.js";

/** What a matcher answers; the same for Jest and Vitest. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * Matchers for conversations, for `expect.extend` of Jest and of Vitest.
 *
 * @example
 * ```ts
 * expect.extend(compactionMatchers);
 * expect(request.messages).toBeValidFor("anthropic");
 * ```
 */
export const compactionMatchers: {
  readonly toBeValidFor: typeof toBeValidFor;
} = { toBeValidFor };

/** The types of {@link compactionMatchers}, to extend the `Matchers` of the test framework with. */
export interface CompactionMatchers<R = unknown> {
  /**
   * Passes where the provider would take the messages as its next request.
   *
   * With `atRest: true` a thread may also wait for a tool result or for the user.
   *
   * @param provider default "strict", which is what every provider takes
   */
  toBeValidFor(
    provider?: RuleSet,
    options?: Pick<CheckConversationOptions, "atRest">,
  ): R;
}

function toBeValidFor(
  received: unknown,
  provider: RuleSet = "strict",
  { atRest = false }: Pick<CheckConversationOptions, "atRest"> = {},
): MatcherResult {
  const messages = coerceMessages(received as BaseMessage[]);
  const problems = checkConversation(messages, { provider, atRest });
  const whom = provider === "strict" ? "every provider" : provider;
  return {
    pass: problems.length === 0,
    message: () =>
      problems.length === 0
        ? `Expected ${whom} to refuse the ${messages.length} messages, but they are valid.`
        : [
            `Expected ${messages.length} messages that are valid for ${whom}, but:`,
            ...problems.map(describe),
          ].join("\n"),
  };
}

function describe(problem: ConversationProblem): string {
  const { code, provider, message, error, mend } = problem;
  return `- ${message} [${code}]\n  ${provider}: ${error}\n  To mend it: ${mend}.`;
}
