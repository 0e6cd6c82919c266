import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { defaultTokenCounter } from "langchain-compaction";
import { CORPUS, toConversations } from "../support/corpus.js";
import { snapshot } from "../support/rule-checkers.js";
import { describeShared } from "../support/shared-files.js";
import { sum } from "../support/sliding-window-rules.js";
import { checkTiers } from "../support/tier-rules.js";
import { TIERS } from "../support/tiers.js";

const SHARES = [0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9];

describeShared<unknown>("recorded conversations", CORPUS, (lines) => {
  const conversations = toConversations(lines).map(({ id, messages }) => {
    const tokens = new Map(
      messages.map((message) => [
        message,
        defaultTokenCounter.countMessage(message),
      ]),
    );
    const count = (message: BaseMessage): number => {
      const known = tokens.get(message);
      const found = known ?? defaultTokenCounter.countMessage(message);
      tokens.set(message, found);
      return found;
    };
    return { id, messages, count, total: sum([...tokens.values()]) };
  });

  describe.each(Object.entries(TIERS))("under %s", (_, build) => {
    it.each(SHARES)("keep every rule at %d of their size", async (share) => {
      let compacted = 0;
      for (const { id, messages, count, total } of conversations) {
        const changes = snapshot(messages);
        for (const minKeepSteps of [0, 1, 3]) {
          const target = Math.floor(share * total);
          const { compactor, keepsSystem } = build({
            minKeepSteps,
            minTokens: 200,
          });
          const run = (list: readonly BaseMessage[]) =>
            compactor.compact(list, {
              target: { tokens: target, holds: () => false },
              tokenCounter: ([message]) => count(message!),
            });
          const where = `${id}, at least ${minKeepSteps} steps`;
          const after = await run(messages);
          const faults = checkTiers({
            before: messages,
            after,
            target,
            minKeepSteps,
            count,
            keepsSystem,
          });
          expect([where, faults]).toEqual([where, []]);
          if (after !== null) {
            compacted += 1;
            expect([where, await run(after)]).toEqual([where, null]);
          }
        }
        expect([id, changes()]).toEqual([id, []]);
      }
      expect(compacted).toBeGreaterThan(100);
    });
  });
});
