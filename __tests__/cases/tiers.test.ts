import { expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import {
  CASES,
  toCaseMessage,
  type ReportedCase,
} from "../support/reported-cases.js";
import { snapshot } from "../support/rule-checkers.js";
import { describeShared } from "../support/shared-files.js";
import { sum } from "../support/sliding-window-rules.js";
import { checkTiers } from "../support/tier-rules.js";
import { TIERS } from "../support/tiers.js";

// What people reported of other tools, put to pruning, summaries and the ladder:
// at every target pairs stay whole, what is protected stays, and a second pass
// does nothing.

describeShared<ReportedCase>("reported cases, tier by tier", CASES, (cases) => {
  const told = cases
    .map(({ n, kind, input }) => ({
      n,
      kind,
      messages: input.map(toCaseMessage),
    }))
    .filter(({ messages }) => {
      const ids = messages.map(({ id }) => id);
      return !ids.includes(undefined) && new Set(ids).size === ids.length;
    });

  it("are most of them lists with ids", () => {
    expect(told.length).toBeGreaterThan(30);
  });

  for (const [name, build] of Object.entries(TIERS)) {
    it.each(told)(`$n, $kind, under ${name}`, async ({ messages }) => {
      const known = new Set(messages);
      const count = (message: BaseMessage): number =>
        known.has(message) ? 10 : 4;
      for (let target = 0; target <= sum(messages.map(count)); target += 5) {
        const { compactor, keepsSystem } = build({
          minKeepSteps: 1,
          minTokens: 5,
        });
        const run = (list: readonly BaseMessage[]) =>
          compactor.compact(list, {
            target: { tokens: target, holds: () => false },
            tokenCounter: ([message]) => count(message!),
          });
        const changes = snapshot(messages);
        const after = await run(messages);
        const pass = { target, minKeepSteps: 1, count, keepsSystem };
        expect(checkTiers({ ...pass, before: messages, after })).toEqual([]);
        expect(changes()).toEqual([]);
        if (after !== null) {
          expect(await run(after)).toBeNull();
        }
      }
    });
  }
});
