import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import {
  ContextWindowCompactor,
  defaultTokenCounter,
} from "langchain-compaction";
import { CORPUS, toConversations } from "../support/corpus.js";
import { otherCompactors, runBuilt } from "../support/other-compactors.js";
import { snapshot } from "../support/rule-checkers.js";
import { describeShared } from "../support/shared-files.js";
import { checkShortening } from "../support/shortening-rules.js";
import { DEFAULT_NOTE } from "../support/vectors.js";

const SHARES = [0.1, 0.3, 0.6, 0.9];
const FLOORS = [0, 1, 4];

describeShared<unknown>("recorded conversations", CORPUS, (lines) => {
  const conversations = toConversations(lines).map(({ id, messages }) => {
    const tokens = new Map(
      messages.map((message) => [
        message,
        defaultTokenCounter.countMessage(message),
      ]),
    );
    const count = (message: BaseMessage): number =>
      tokens.get(message) ?? defaultTokenCounter.countMessage(message);
    const total = [...tokens.values()].reduce((sum, one) => sum + one, 0);
    return { id, messages, count, total };
  });

  describe.each(Object.entries(otherCompactors))("%s", (_, build) => {
    it.each([
      ["with a note", DEFAULT_NOTE],
      ["without a note", null],
    ])("keeps every rule %s", async (_name, omissionNote) => {
      let compacted = 0;
      for (const { id, messages, count, total } of conversations) {
        const changes = snapshot(messages);
        for (const share of SHARES) {
          for (const minKeep of FLOORS) {
            const built = build({ minKeep, omissionNote });
            const target = Math.floor(share * total);
            const conditions = { target: { tokens: target } };
            const after = await runBuilt(built, messages, count, conditions);
            const where = `${id}, to ${share}, at least ${minKeep}`;
            const faults = checkShortening({
              before: messages,
              after,
              count,
              target,
              ...built.keeps,
              note: built.note,
            });
            expect([where, faults]).toEqual([where, []]);
            if (after !== null) {
              compacted += 1;
              const again = await runBuilt(built, after, count, conditions);
              expect([where, again]).toEqual([where, null]);
            }
          }
        }
        expect([id, changes()]).toEqual([id, []]);
      }
      expect(compacted).toBeGreaterThan(100);
    });
  });

  it("are kept within the window by the preset, or down to its floor", async () => {
    let compacted = 0;
    for (const { id, messages, count, total } of conversations) {
      for (const share of SHARES) {
        const contextWindow = Math.ceil(share * total);
        const after = await new ContextWindowCompactor({
          contextWindow,
        }).compact(messages, { tokenCounter: ([message]) => count(message!) });
        const where = `${id}, window ${share}`;
        const faults = checkShortening({
          before: messages,
          after,
          count,
          target: Math.trunc(contextWindow * 0.8),
          keepGroups: 2,
          note: true,
        });
        expect([where, faults]).toEqual([where, []]);
        compacted += after === null ? 0 : 1;
      }
    }
    expect(compacted).toBeGreaterThan(300);
  });
});
