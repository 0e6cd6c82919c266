import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { ai, collapse, human, note, system, tool } from "./make-messages.js";
import { checkShortening, type Shortening } from "./shortening-rules.js";

const before: BaseMessage[] = [
  system("s1"),
  human("h1"),
  ai("a1", ["c1", "c2"]),
  tool("t1", "c1"),
  tool("t2", "c2"),
  system("s2"),
  human("h2"),
  ai("a2", ["c3"]),
  tool("t3", "c3"),
  ai("a3"),
];

function faults(
  after: readonly BaseMessage[],
  more: Partial<Shortening> = {},
): string[] {
  return checkShortening({
    before,
    after,
    count: () => 1,
    note: false,
    ...more,
  });
}

const without = (...ids: string[]): BaseMessage[] =>
  before.filter(({ id }) => !ids.includes(id!));

describe("the checker of shortenings", () => {
  it("finds nothing wrong with a whole turn gone", () => {
    expect(
      faults(without("h1", "a1", "t1", "t2"), { keepTurns: 1, keepGroups: 3 }),
    ).toEqual([]);
  });

  it.each([
    ["a cut step", without("t1"), /step at 2 was cut/],
    ["a lost call", without("a1"), /lost its call/],
    ["a lost system message", without("s2"), /at 5 went/],
    ["a lost task", without("h2"), /at 6 went/],
    ["nothing gone", [...before], /10 tokens became 10/],
    ["another order", without("h1").toReversed(), /changed places/],
    ["an emptied list", [], /nothing is left/],
    ["an unmarked message", [...without("h1"), human("x")], /no mark/],
    [
      "two notes",
      [note("n1", 4), note("n2", 1), ...without("h1", "a1", "t1", "t2")],
      /2 notes/,
    ],
  ])("sees %s", (_, after, fault) => {
    expect(faults(after).join("; ")).toMatch(fault);
  });

  it("sees a removed pending step", () => {
    const pending = [human("h1"), ai("a1"), ai("a2", ["c1"])];
    expect(
      checkShortening({
        before: pending,
        after: pending.slice(0, 2),
        count: () => 1,
        note: false,
      }),
    ).toEqual(["the pending step at 2 went"]);
  });

  it("sees a broken floor", () => {
    const after = without("h1", "a1", "t1", "t2");
    expect(faults(after, { keepTurns: 2 })).not.toEqual([]);
    expect(faults(after, { keepGroups: 4 })).not.toEqual([]);
  });

  it("sees a wrong number", () => {
    const after = without("h1", "a1", "t1", "t2");
    expect(faults([note("n1", 4), ...after], { note: true })).toEqual([]);
    expect(faults([note("n1", 3), ...after], { note: true })).not.toEqual([]);
    expect(faults([collapse("r1", 4), ...after], { note: true })).toEqual([]);
  });
});
