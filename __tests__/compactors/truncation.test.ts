import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { TruncationCompactor } from "langchain-compaction";
import {
  ai,
  human,
  idsOf,
  note,
  system,
  tool,
} from "../support/make-messages.js";

/** One token a message. */
const tokenCounter = (messages: readonly BaseMessage[]): number =>
  messages.length;

const bare = { omissionNote: null, tokenCounter } as const;

const conversation: readonly BaseMessage[] = [
  system("s"),
  human("h1"),
  ai("a1", ["c1", "c2"]),
  tool("t1", "c1"),
  tool("t2", "c2"),
  ai("b1"),
  human("h2"),
  ai("a2", ["c3"]),
  tool("t3", "c3"),
  ai("b2"),
];

describe("TruncationCompactor", () => {
  it("removes the oldest groups until the target holds", async () => {
    const compactor = new TruncationCompactor({
      targetTokens: 7,
      minKeepGroups: 1,
      tokenCounter,
    });
    const after = await compactor.compact(conversation);
    expect(idsOf(after!)).toEqual([
      "s",
      "compaction-note-h1",
      ...["b1", "h2", "a2", "t3", "b2"],
    ]);
    expect(after![1]!.additional_kwargs["context_compaction"]).toEqual({
      strategy: "truncation",
      removedMessages: 4,
      keptMessages: 6,
    });
  });

  it("keeps the newest groups, system messages not counted", async () => {
    const compactor = new TruncationCompactor({
      ...bare,
      targetTokens: 1,
      minKeepGroups: 4,
    });
    const after = await compactor.compact([
      ...conversation.slice(0, 8),
      ...conversation.slice(8),
      system("late"),
    ]);
    expect(idsOf(after!)).toEqual([
      ...["s", "b1", "h2", "a2", "t3", "b2", "late"],
    ]);
  });

  it("keeps 32 groups where nothing else is said", async () => {
    const many = Array.from({ length: 50 }, (_, nth) => human(`h${nth}`));
    many.push(human("task"));
    const list = many.flatMap((message) => [message, ai(`a-${message.id}`)]);
    const compactor = new TruncationCompactor({ ...bare, targetTokens: 0 });
    expect(await compactor.compact(list)).toHaveLength(32);
  });

  it("skips the task and goes on behind it", async () => {
    const compactor = new TruncationCompactor({
      ...bare,
      target: { groups: 3 },
      minKeepGroups: 1,
    });
    const run = Array.from({ length: 4 }, (_, nth) => [
      ai(`a${nth}`, [`c${nth}`]),
      tool(`t${nth}`, `c${nth}`),
    ]).flat();
    const after = await compactor.compact([human("h1"), human("h2"), ...run]);
    expect(idsOf(after!)).toEqual(["h1", "h2", "a3", "t3"]);
  });

  it("takes the rest of a run for turns where the run alone exceeds the number", async () => {
    const compactor = new TruncationCompactor({
      ...bare,
      targetTokens: 2,
      minKeepGroups: 0,
    });
    const after = await compactor.compact([
      human("h1"),
      human("h2"),
      human("h3"),
      ai("a1"),
    ]);
    expect(idsOf(after!)).toEqual(["h3", "a1"]);
  });

  it("never removes a call that waits for its answer", async () => {
    const compactor = new TruncationCompactor({
      ...bare,
      targetTokens: 0,
      minKeepGroups: 0,
    });
    const after = await compactor.compact([
      human("h1"),
      ai("a1"),
      ai("waiting", ["c1"]),
      ai("a2"),
    ]);
    expect(idsOf(after!)).toEqual(["h1", "waiting"]);
  });

  it("removes a step with its results wherever they stand", async () => {
    const compactor = new TruncationCompactor({
      ...bare,
      target: { groups: 2 },
      minKeepGroups: 1,
    });
    const after = await compactor.compact([
      ai("a1", ["c1"]),
      system("inside"),
      ai("a2"),
      tool("late", "c1"),
      human("h1"),
      ai("a3"),
    ]);
    expect(idsOf(after!)).toEqual(["inside", "h1", "a3"]);
  });

  it("leaves the newest group where there is no task", async () => {
    const compactor = new TruncationCompactor({
      ...bare,
      targetTokens: 0,
      minKeepGroups: 0,
    });
    const after = await compactor.compact([ai("a1"), ai("a2"), ai("a3")]);
    expect(idsOf(after!)).toEqual(["a3"]);
  });

  it("replaces an earlier note, which is no group", async () => {
    const compactor = new TruncationCompactor({
      target: { groups: 3 },
      minKeepGroups: 2,
      tokenCounter,
    });
    const after = await compactor.compact([
      note("earlier", 9, { strategy: "turn-window" }),
      ai("a1"),
      ai("a2"),
      human("h1"),
      ai("a3"),
    ]);
    expect(idsOf(after!)).toEqual(["compaction-note-a1", "h1", "a3"]);
    expect(after![0]!.content).toMatch(/^\[11 earlier/);
  });

  it("does nothing where the note costs what the removal saves", async () => {
    const compactor = new TruncationCompactor({
      targetTokens: 3,
      minKeepGroups: 1,
      tokenCounter: ([message]) => (message!.id?.startsWith("comp") ? 9 : 1),
    });
    expect(await compactor.compact(conversation.slice(0, 6))).toBeNull();
  });

  it("leaves what the model sees untouched", async () => {
    const compactor = new TruncationCompactor({ ...bare, targetTokens: 4 });
    const before = JSON.stringify(conversation);
    await compactor.compact(conversation);
    expect(JSON.stringify(conversation)).toBe(before);
  });

  it.each([
    [{ minKeepGroups: -1 }, /"minKeepGroups" must be a whole number of groups/],
    [{ minKeepTurns: 1 }, /has no option "minKeepTurns"/],
  ])("refuses %j", (fields, message) => {
    expect(() => new TruncationCompactor(fields as object)).toThrow(message);
  });
});
