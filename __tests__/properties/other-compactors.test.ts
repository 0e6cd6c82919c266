import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { ContextWindowCompactor } from "../../src/index.js";
import { oddConversations } from "../support/odd-conversations.js";
import {
  type Floors,
  otherCompactors,
  runBuilt,
} from "../support/other-compactors.js";
import { PROPERTY_TIMEOUT, propertyRuns } from "../support/property-runs.js";
import { snapshot } from "../support/rule-checkers.js";
import {
  checkShortening,
  hasMadeBeforeResult,
} from "../support/shortening-rules.js";

const conversations = (): ReturnType<typeof oddConversations> =>
  oddConversations().filter(({ messages }) => !hasMadeBeforeResult(messages));

interface Settings extends Floors {
  /** Part of the conversation's tokens that is the target. */
  share: number;
  /** Tokens of whatever a compactor makes. */
  madeTokens: number;
}

const settings = (): fc.Arbitrary<Settings> =>
  fc.record({
    share: fc.double({ min: 0, max: 1.1, noNaN: true }),
    minKeep: fc.nat({ max: 3 }),
    omissionNote: fc.constantFrom("[{num_removed} gone]", null),
    madeTokens: fc.oneof(fc.constant(0), fc.nat({ max: 30 })),
  });

describe.each(Object.entries(otherCompactors))(
  "%s on odd conversations",
  (_, build) => {
    it(
      "keeps every rule, and finds nothing more to do right after",
      async () => {
        await fc.assert(
          fc.asyncProperty(
            conversations(),
            settings(),
            async ({ messages, tokens }, how) => {
              const built = build(how);
              const count = (message: BaseMessage): number =>
                tokens.get(message) ?? how.madeTokens;
              const total = messages.reduce((sum, one) => sum + count(one), 0);
              const target = Math.floor(total * how.share);
              const changes = snapshot(messages);
              const conditions = { target: { tokens: target } };
              const after = await runBuilt(built, messages, count, conditions);
              expect(
                checkShortening({
                  before: messages,
                  after,
                  count,
                  target,
                  ...built.keeps,
                  note: built.note,
                }),
              ).toEqual([]);
              expect(changes()).toEqual([]);
              if (total <= target) {
                expect(after).toBeNull();
              }
              if (after !== null && how.madeTokens === 0) {
                expect(
                  await runBuilt(built, after, count, conditions),
                ).toBeNull();
              }
            },
          ),
          propertyRuns(2_000),
        );
      },
      PROPERTY_TIMEOUT,
    );

    it(
      "keeps them also towards a target of turns or messages",
      async () => {
        await fc.assert(
          fc.asyncProperty(
            conversations(),
            settings(),
            fc.constantFrom("turns", "messages", "groups", "toolCalls"),
            async ({ messages, tokens }, how, size) => {
              const built = build(how);
              const count = (message: BaseMessage): number =>
                tokens.get(message) ?? how.madeTokens;
              const most = Math.floor(messages.length * how.share);
              const after = await runBuilt(built, messages, count, {
                target: { [size]: most },
              });
              expect(
                checkShortening({
                  before: messages,
                  after,
                  count,
                  ...built.keeps,
                  note: built.note,
                }),
              ).toEqual([]);
            },
          ),
          propertyRuns(500),
        );
      },
      PROPERTY_TIMEOUT,
    );
  },
);

describe("ContextWindowCompactor on odd conversations", () => {
  it(
    "keeps every rule",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          conversations(),
          settings(),
          async ({ messages, tokens }, how) => {
            const count = (message: BaseMessage): number =>
              tokens.get(message) ?? how.madeTokens;
            const total = messages.reduce((sum, one) => sum + count(one), 0);
            const compactor = new ContextWindowCompactor({
              contextWindow: Math.max(Math.ceil(total * how.share), 1),
              minKeepGroups: how.minKeep,
              omissionNote: how.omissionNote,
            });
            const after = await compactor.compact(messages, {
              tokenCounter: ([message]) => count(message!),
            });
            const budget = Math.max(Math.ceil(total * how.share), 1);
            expect(
              checkShortening({
                before: messages,
                after,
                count,
                target: Math.trunc(budget * 0.8),
                keepGroups: how.minKeep,
                note: how.omissionNote !== null,
                folds: true,
              }),
            ).toEqual([]);
          },
        ),
        propertyRuns(2_000),
      );
    },
    PROPERTY_TIMEOUT,
  );
});
