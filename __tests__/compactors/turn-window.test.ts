import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { TurnWindowCompactor } from "langchain-compaction";
import {
  ai,
  human,
  idsOf,
  note,
  summary,
  system,
  tool,
} from "../support/make-messages.js";

/** One token a message. */
const tokenCounter = (messages: readonly BaseMessage[]): number =>
  messages.length;

/** Instructions, a greeting and turns of four messages each. */
function chat(turns: number): BaseMessage[] {
  return [
    system("s"),
    ai("hello"),
    ...Array.from({ length: turns }, (_, nth) => nth + 1).flatMap((turn) => [
      human(`h${turn}`),
      ai(`a${turn}`, [`c${turn}`]),
      tool(`t${turn}`, `c${turn}`),
      ai(`b${turn}`),
    ]),
  ];
}

describe("TurnWindowCompactor", () => {
  it("keeps the newest turns, the instructions and what precedes the first turn", async () => {
    const compactor = new TurnWindowCompactor({
      trigger: { turns: 3 },
      tokenCounter,
    });
    const messages = chat(5);
    const after = await compactor.compact(messages);
    expect(idsOf(after!)).toEqual([
      "s",
      "hello",
      "compaction-note-h1",
      ...["h4", "a4", "t4", "b4"],
      ...["h5", "a5", "t5", "b5"],
    ]);
    expect(after![2]!.content).toBe(
      "[12 earlier messages were removed from this conversation to free up context.]",
    );
    expect(after![2]!.additional_kwargs["context_compaction"]).toEqual({
      strategy: "turn-window",
      removedMessages: 12,
      keptMessages: 10,
    });
    expect(after!.slice(3)).toEqual(messages.slice(-8));
    expect(after!.at(-1)).toBe(messages.at(-1));
  });

  it("does nothing below its trigger", async () => {
    const compactor = new TurnWindowCompactor({ trigger: { turns: 6 } });
    expect(await compactor.compact(chat(5))).toBeNull();
  });

  it.each([
    [{ turns: 2 }, ["h4", "h5"]],
    [{ messages: 12 }, ["h4", "h5"]],
    [{ tokens: 15 }, ["h3", "h4", "h5"]],
    [() => true, ["h2", "h3", "h4", "h5"]],
    [
      [{ turns: 1 }, { tokens: 11 }],
      ["h4", "h5"],
    ],
  ])("works towards its target: %j", async (target, humans) => {
    const compactor = new TurnWindowCompactor({
      trigger: { turns: 5 },
      target,
      tokenCounter,
    });
    const after = await compactor.compact(chat(5));
    expect(
      idsOf(after!).filter((id) => id.startsWith("h") && id < "hb"),
    ).toEqual(humans);
  });

  it("keeps minKeepTurns though the target is far", async () => {
    const compactor = new TurnWindowCompactor({
      targetTokens: 1,
      minKeepTurns: 2,
      omissionNote: null,
      tokenCounter,
    });
    expect(idsOf((await compactor.compact(chat(4)))!)).toEqual([
      "s",
      "hello",
      ...["h3", "a3", "t3", "b3"],
      ...["h4", "a4", "t4", "b4"],
    ]);
  });

  it("keeps the turn of the task, even at minKeepTurns 0", async () => {
    const compactor = new TurnWindowCompactor({
      targetTokens: 1,
      minKeepTurns: 0,
      omissionNote: null,
      tokenCounter,
    });
    const after = await compactor.compact(chat(2));
    expect(idsOf(after!)).toEqual(["s", "hello", "h2", "a2", "t2", "b2"]);
  });

  it("takes a run of human messages for one task", async () => {
    const compactor = new TurnWindowCompactor({
      target: { turns: 1 },
      omissionNote: null,
      tokenCounter,
    });
    const after = await compactor.compact([
      ...chat(1),
      human("h2"),
      human("h3"),
      ai("a3"),
    ]);
    expect(idsOf(after!)).toEqual(["s", "hello", "h2", "h3", "a3"]);
  });

  it("never splits a turn, however long it is", async () => {
    const compactor = new TurnWindowCompactor({
      targetTokens: 2,
      tokenCounter,
    });
    expect(await compactor.compact(chat(1))).toBeNull();
  });

  it("keeps system messages wherever they stand", async () => {
    const compactor = new TurnWindowCompactor({
      target: { turns: 1 },
      omissionNote: null,
      tokenCounter,
    });
    const after = await compactor.compact([
      human("h1"),
      ai("a1", ["c1"]),
      system("inside"),
      tool("t1", "c1"),
      system("between"),
      human("h2"),
    ]);
    expect(idsOf(after!)).toEqual(["inside", "between", "h2"]);
  });

  it("replaces the note of any earlier pass and goes on with its count", async () => {
    const compactor = new TurnWindowCompactor({
      target: { turns: 1 },
      tokenCounter,
    });
    const [instructions, ...rest] = chat(2);
    const after = await compactor.compact([
      instructions!,
      note("earlier", 40, { strategy: "sliding-window" }),
      ...rest,
    ]);
    expect(idsOf(after!)).toEqual([
      "s",
      "hello",
      "compaction-note-h1",
      ...["h2", "a2", "t2", "b2"],
    ]);
    expect(after![2]!.content).toMatch(/^\[44 earlier/);
  });

  it("counts what a summary in a removed turn stands for", async () => {
    const compactor = new TurnWindowCompactor({
      target: { turns: 1 },
      omissionNote: "{num_removed}",
      tokenCounter,
    });
    const after = await compactor.compact([
      human("h1"),
      summary("sum", 10),
      ai("a1"),
      human("h2"),
    ]);
    expect(after![0]!.content).toBe("12");
  });

  it("does nothing without any turn", async () => {
    const compactor = new TurnWindowCompactor({
      targetTokens: 0,
      tokenCounter,
    });
    expect(
      await compactor.compact([
        system("s"),
        ai("a1"),
        summary("sum", 3),
        ai("a2"),
      ]),
    ).toBeNull();
    expect(await compactor.compact([])).toBeNull();
  });

  it.each([
    [{ minKeepTurns: -1 }, /"minKeepTurns" must be a whole number of turns/],
    [{ minKeepTurns: 1.5 }, /got 1.5/],
    [{ omissionNote: 3 }, /"omissionNote" must be a text/],
    [{ minKeepSteps: 1 }, /has no option "minKeepSteps"/],
    [{ trigger: {} }, /"trigger" must be a size/],
  ])("refuses %j", (fields, message) => {
    expect(() => new TurnWindowCompactor(fields as object)).toThrow(message);
  });
});
