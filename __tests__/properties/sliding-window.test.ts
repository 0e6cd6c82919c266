import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import fc from "fast-check";
import {
  ai,
  human,
  idsOf,
  note,
  summary,
  system,
} from "../support/make-messages.js";
import { oddConversations } from "../support/odd-conversations.js";
import { PROPERTY_TIMEOUT, propertyRuns } from "../support/property-runs.js";
import {
  checkPass,
  checkSecondPass,
  snapshot,
} from "../support/rule-checkers.js";
import { runSlidingWindow } from "../support/run-sliding-window.js";
import {
  expectedSlidingWindow,
  type WindowRules,
} from "../support/sliding-window-rules.js";

interface Settings {
  share: number;
  minKeepSteps: number;
  note: string | null;
  noteTokens: number;
  pinned: number | null;
}

const settings = (): fc.Arbitrary<Settings> =>
  fc.record({
    share: fc.double({ min: 0, max: 1.1, noNaN: true }),
    minKeepSteps: fc.nat({ max: 3 }),
    note: fc.constantFrom("[{num_removed} gone]", "History cut.", null),
    noteTokens: fc.nat({ max: 30 }),
    pinned: fc.option(fc.integer({ min: 2, max: 9 })),
  });

function rulesFor(
  messages: readonly BaseMessage[],
  tokens: ReadonlyMap<BaseMessage, number>,
  { share, minKeepSteps, note, noteTokens, pinned }: Settings,
): WindowRules {
  const count = (message: BaseMessage): number =>
    tokens.get(message) ?? noteTokens;
  const total = messages.reduce((sum, message) => sum + count(message), 0);
  const places = new Map(messages.map((message, index) => [message, index]));
  return {
    target: Math.floor(total * share),
    minKeepSteps,
    note,
    count,
    noteTokens: () => noteTokens,
    // No compactor's own note: those are never pinned.
    ...(pinned === null
      ? {}
      : {
          pin: (message) =>
            (places.get(message) ?? 1) % pinned === 0 &&
            message.additional_kwargs["context_compaction"] === undefined,
        }),
  };
}

it(
  "the sliding window keeps every rule on odd conversations",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        oddConversations(),
        settings(),
        async ({ messages, tokens }, how) => {
          const rules = rulesFor(messages, tokens, how);
          const changes = snapshot(messages);
          const after = await runSlidingWindow(messages, rules);
          expect(checkPass({ ...rules, before: messages, after })).toEqual([]);
          expect(changes()).toEqual([]);
          expectSecondReading(messages, after, rules);

          const again = await runSlidingWindow([...messages], rules);
          expect(again?.map(written)).toEqual(after?.map(written));

          // A pinned human message can join the task's run once what stood
          // between is gone, and make the run too large to be one task.
          const unpinned = rulesFor(messages, tokens, { ...how, pinned: null });
          const once = await runSlidingWindow(messages, unpinned);
          if (once !== null) {
            expect(
              checkSecondPass(await runSlidingWindow(once, unpinned)),
            ).toEqual([]);
          }
        },
      ),
      propertyRuns(2_000),
    );
  },
  PROPERTY_TIMEOUT,
);

/** The same messages stay as by another reading of the same rules. */
function expectSecondReading(
  messages: readonly BaseMessage[],
  after: readonly BaseMessage[] | null,
  rules: WindowRules,
): void {
  const places = new Map(messages.map((message, index) => [message, index]));
  expect(after?.flatMap((message) => places.get(message) ?? [])).toEqual(
    expectedSlidingWindow(messages, rules)?.kept.map((message) =>
      places.get(message),
    ),
  );
}

describe("conversations that a search found", () => {
  const oneEach = { count: () => 1, noteTokens: () => 1 };

  it("let go what follows a pinned step and is no part of it", async () => {
    const messages = [system("s"), ai("a"), summary("m", 3)];
    const after = await runSlidingWindow(messages, {
      ...oneEach,
      target: 0,
      minKeepSteps: 0,
      note: null,
      pin: ({ id }) => id === "a",
    });
    expect(idsOf(after!)).toEqual(["s", "a"]);
  });

  it("let a pinned step among the newest be one of those that stay", async () => {
    const messages = [human("h"), ai("a1"), ai("a2"), ai("a3")];
    const after = await runSlidingWindow(messages, {
      ...oneEach,
      target: 0,
      minKeepSteps: 1,
      note: null,
      pin: ({ id }) => id === "a3",
    });
    expect(idsOf(after!)).toEqual(["h", "a3"]);
  });

  it("do nothing where a summary of nothing is all that could go with a note", async () => {
    const messages = [summary("m", 0), note("n", 5)];
    const rules = { ...oneEach, target: 0, minKeepSteps: 0, note: "gone" };
    expect(await runSlidingWindow(messages, rules)).toBeNull();
  });

  it("need no second pass where a pinned question comes to stand beside the task", async () => {
    const messages = [human("p"), ai("a"), human("h1"), human("h2")];
    const rules = {
      ...oneEach,
      target: 2,
      minKeepSteps: 0,
      note: null,
      pin: ({ id }: BaseMessage) => id === "p",
    };
    const once = await runSlidingWindow(messages, rules);
    expect(idsOf(once!)).toEqual(["p", "h1", "h2"]);
    expect(await runSlidingWindow(once!, rules)).toBeNull();
  });
});

function written({ id, content, additional_kwargs }: BaseMessage): string {
  return JSON.stringify([id, content, additional_kwargs]);
}
