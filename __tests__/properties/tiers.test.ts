import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { ToolResultPruningCompactor } from "../../src/index.js";
import { oddConversations } from "../support/odd-conversations.js";
import { PROPERTY_TIMEOUT, propertyRuns } from "../support/property-runs.js";
import { expectedPruning } from "../support/pruning-rules.js";
import { snapshot } from "../support/rule-checkers.js";
import { hasMadeBeforeResult } from "../support/shortening-rules.js";
import { sum } from "../support/sliding-window-rules.js";
import { checkTiers } from "../support/tier-rules.js";
import { TIERS } from "../support/tiers.js";

const conversations = (): ReturnType<typeof oddConversations> =>
  oddConversations().filter(
    ({ messages }) =>
      !hasMadeBeforeResult(messages) &&
      messages.every(({ id }) => id !== undefined) &&
      new Set(messages.map(({ id }) => id)).size === messages.length,
  );

const settings = (): fc.Arbitrary<{
  share: number;
  minKeepSteps: number;
  madeTokens: number;
}> =>
  fc.record({
    share: fc.double({ min: 0, max: 1.1, noNaN: true }),
    minKeepSteps: fc.nat({ max: 3 }),
    madeTokens: fc.nat({ max: 30 }),
  });

describe.each(Object.entries(TIERS))("%s on odd conversations", (_, build) => {
  it(
    "keeps every rule, and finds nothing more to do right after",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          conversations(),
          settings(),
          async ({ messages, tokens }, { share, minKeepSteps, madeTokens }) => {
            const count = (message: BaseMessage): number =>
              tokens.get(message) ?? madeTokens;
            const target = Math.floor(sum(messages.map(count)) * share);
            const { compactor, keepsSystem } = build({
              minKeepSteps,
              minTokens: 20,
            });
            const run = (list: readonly BaseMessage[]) =>
              compactor.compact(list, {
                target: { tokens: target, holds: () => false },
                tokenCounter: ([message]) => count(message!),
              });
            const changes = snapshot(messages);
            const after = await run(messages);
            expect(
              checkTiers({
                before: messages,
                after,
                target,
                minKeepSteps,
                count,
                keepsSystem,
              }),
            ).toEqual([]);
            expect(changes()).toEqual([]);
            if (after !== null) {
              expect(await run(after)).toBeNull();
            }
          },
        ),
        propertyRuns(2_000),
      );
    },
    PROPERTY_TIMEOUT,
  );
});

describe("tool result pruning on odd conversations", () => {
  it(
    "replaces the results that the rules say, and no others",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          conversations(),
          settings(),
          fc.nat({ max: 60 }),
          async (
            { messages, tokens },
            { share, minKeepSteps, madeTokens },
            minTokens,
          ) => {
            const count = (message: BaseMessage): number =>
              tokens.get(message) ?? madeTokens;
            const rules = {
              target: Math.floor(sum(messages.map(count)) * share),
              minKeepSteps: Math.max(minKeepSteps, 1),
              minTokens,
              skip: ({ id }: BaseMessage) => id!.endsWith("3"),
            };
            const after = await new ToolResultPruningCompactor({
              minKeepSteps: rules.minKeepSteps,
              minTokens,
              skip: rules.skip,
            }).compact(messages, {
              targetTokens: rules.target,
              tokenCounter: ([message]) => count(message!),
            });
            expect(
              after?.flatMap((one, index) =>
                one === messages[index] ? [] : [index],
              ) ?? null,
            ).toEqual(
              expectedPruning(messages, {
                ...rules,
                count,
                prunedTokens: () => madeTokens,
              }),
            );
          },
        ),
        propertyRuns(500),
      );
    },
    PROPERTY_TIMEOUT,
  );
});
