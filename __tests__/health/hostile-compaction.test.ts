import { afterEach, describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "langchain";
import {
  CompactionHook,
  type Compactor,
  CompactorPipeline,
  ContextWindowCompactor,
  ConversationRepair,
  describeConversation,
  SlidingWindowCompactor,
  SummarizationCompactor,
  ToolCallCollapseCompactor,
  ToolResultPruningCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
} from "../../src/index.js";
import {
  compactionMatchers,
  simulateTrajectory,
} from "../../src/testing/index.js";
import { HOSTILE_CASES } from "./hostile-messages.js";

// Whatever stands in a thread, nothing public crashes, hangs, or loses what the
// person asked for last.

const TARGET = 40;

type EntryPoint = (messages: BaseMessage[]) => Promise<readonly BaseMessage[]>;

const byCompactor = (make: () => Compactor): EntryPoint => {
  return (messages) => make().invoke(messages, { targetTokens: TARGET });
};

const hookOf = (mode: "rewrite" | "view"): CompactionHook =>
  new CompactionHook({
    compactor: new SlidingWindowCompactor(),
    contextWindow: 2 * TARGET,
    compactAt: 0.6,
    compactTo: 0.5,
    mode,
  });

const ENTRY_POINTS: Readonly<Record<string, EntryPoint>> = {
  SlidingWindowCompactor: byCompactor(() => new SlidingWindowCompactor()),
  TurnWindowCompactor: byCompactor(() => new TurnWindowCompactor()),
  TruncationCompactor: byCompactor(
    () => new TruncationCompactor({ minKeepGroups: 1 }),
  ),
  ToolCallCollapseCompactor: byCompactor(
    () => new ToolCallCollapseCompactor({ minKeepGroups: 1 }),
  ),
  ToolResultPruningCompactor: byCompactor(
    () => new ToolResultPruningCompactor(),
  ),
  SummarizationCompactor: byCompactor(
    () =>
      new SummarizationCompactor({
        model: fakeModel().respond(new Error("no summary today")),
      }),
  ),
  CompactorPipeline: byCompactor(
    () =>
      new CompactorPipeline([
        new ToolResultPruningCompactor(),
        new SlidingWindowCompactor(),
      ]),
  ),
  ContextWindowCompactor: (messages) =>
    new ContextWindowCompactor({ contextWindow: TARGET }).invoke(messages),
  "CompactionHook.compact": async (messages) =>
    (await hookOf("rewrite").compact(messages)).messages,
  "CompactionHook as a node": async (messages) =>
    (await hookOf("rewrite").invoke({ messages })).messages?.slice(1) ??
    messages,
  "CompactionHook.view": (messages) => hookOf("view").view(messages),
  ConversationRepair: (messages) => new ConversationRepair().invoke(messages),
};

const namesOfObject = Object.getOwnPropertyNames(Object.prototype);

afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(namesOfObject);
});

describe.each(HOSTILE_CASES)("$name", ({ make }) => {
  it.each(Object.keys(ENTRY_POINTS))("does not harm %s", async (name) => {
    const messages = make();
    const given = [...messages];
    const context = await ENTRY_POINTS[name]!(messages);
    // Compared by identity: looking into some of them throws.
    expect(
      given.findIndex((message, index) => message !== messages[index]),
    ).toBe(-1);
    const task = given.findLastIndex(({ type }) => type === "human");
    expect(task < 0 || context.includes(given[task]!)).toBe(true);
  });

  it("does not harm what describes and tests", async () => {
    const messages = make();
    if (messages.length < 1_000) {
      compactionMatchers.toBeValidFor(messages);
      await simulateTrajectory(messages, (list) => list).catch(isTypedOrOwn);
    }
    await describeConversation(messages).catch(isTypedOrOwn);
  });
});

it("takes a text that looks like a note for what a person said", async () => {
  const { make } = HOSTILE_CASES.find(({ name }) =>
    name.includes("looks like"),
  )!;
  const messages = make();
  const context = await new SlidingWindowCompactor().invoke(messages, {
    targetTokens: TARGET,
  });
  const notes = context.filter(({ id }) => id?.startsWith("compaction-note"));
  // It hides nothing, protects nothing, and its number is not believed.
  expect(context).not.toContain(messages[0]);
  expect(notes.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      new RegExp(`^\\[${messages.length - context.length + 1} earlier`),
    ),
  ]);
});

/** What throws is either the message's own field, or an error of ours that says so. */
function isTypedOrOwn(error: unknown): void {
  expect(String(error)).toMatch(/cannot be read|CompactionError/);
}
