import { describe, expect, it } from "@jest/globals";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { defaultTokenCounter } from "langchain-compaction";
import { CORPUS, toConversations } from "../support/corpus.js";
import {
  checkPass,
  checkSecondPass,
  snapshot,
} from "../support/rule-checkers.js";
import { runSlidingWindow } from "../support/run-sliding-window.js";
import { describeShared } from "../support/shared-files.js";
import {
  expectedSlidingWindow,
  sum,
  type WindowRules,
} from "../support/sliding-window-rules.js";
import { DEFAULT_NOTE } from "../support/vectors.js";

const SHARES = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9];
const FLOORS = [0, 1, 3];

const countNote = (removed: number): number =>
  defaultTokenCounter.countMessage(
    new HumanMessage(DEFAULT_NOTE.replace("{num_removed}", String(removed))),
  );

describeShared<unknown>("recorded conversations", CORPUS, (lines) => {
  const conversations = toConversations(lines);

  describe.each(SHARES)("at %d of their size", (share) => {
    it.each([
      ["with a note", DEFAULT_NOTE],
      ["without a note", null],
    ])("keep every rule %s", async (_, note) => {
      for (const { id, messages } of conversations) {
        const tokens = countsOf(messages);
        const count = countFrom(tokens);
        const target = Math.floor(share * sum([...tokens.values()]));
        for (const minKeepSteps of FLOORS) {
          const rules: WindowRules = {
            target,
            minKeepSteps,
            note,
            count,
            noteTokens: countNote,
          };
          const after = await runSlidingWindow(messages, rules);
          const where = `${id}, at least ${minKeepSteps} steps`;
          expect([
            where,
            checkPass({ ...rules, before: messages, after }),
          ]).toEqual([where, []]);
          const expected = expectedSlidingWindow(messages, rules);
          expect([
            where,
            after?.filter((message) => tokens.has(message)).length,
          ]).toEqual([where, expected?.kept.length]);
          if (after !== null) {
            const second = await runSlidingWindow(after, rules);
            expect([where, checkSecondPass(second)]).toEqual([where, []]);
          }
        }
      }
    });
  });

  it("are not changed by it", async () => {
    for (const { messages } of conversations) {
      const changes = snapshot(messages);
      const count = countFrom(countsOf(messages));
      const target = Math.floor(sum(messages.map(count)) / 4);
      await runSlidingWindow(messages, {
        target,
        minKeepSteps: 1,
        note: DEFAULT_NOTE,
        count,
        noteTokens: countNote,
      });
      expect(changes()).toEqual([]);
    }
  });
});

function countsOf(messages: readonly BaseMessage[]): Map<BaseMessage, number> {
  return new Map(
    messages.map((message) => [
      message,
      defaultTokenCounter.countMessage(message),
    ]),
  );
}

/** The default counter's figures, each taken once. */
function countFrom(
  tokens: ReadonlyMap<BaseMessage, number>,
): (message: BaseMessage) => number {
  return (message) =>
    tokens.get(message) ?? defaultTokenCounter.countMessage(message);
}
