import { describe, expect, it } from "@jest/globals";
import type { Condition, ConversationMetrics } from "langchain-compaction";
import {
  goalOf,
  requireCondition,
  triggerHolds,
} from "../../src/conditions/condition.js";

const metrics: ConversationMetrics = {
  tokens: 100,
  messages: 20,
  turns: 5,
  steps: 6,
  groups: 12,
  toolCalls: 8,
};

const always = (): boolean => true;
const never = (): boolean => false;

describe("a trigger", () => {
  it.each<[Condition, boolean]>([
    [{ tokens: 100 }, true],
    [{ tokens: 101 }, false],
    [{ messages: 20 }, true],
    [{ turns: 6 }, false],
    [{ steps: 6 }, true],
    [{ groups: 13 }, false],
    [{ toolCalls: 8 }, true],
    [{ fraction: 0.5 }, true],
    [{ fraction: 0.51 }, false],
    [{ tokens: 100, turns: 5 }, true],
    [{ tokens: 100, turns: 6 }, false],
    [[{ tokens: 101 }, { turns: 5 }], true],
    [[{ tokens: 101 }, { turns: 6 }], false],
    [({ turns }) => turns === 5, true],
    [[{ tokens: 101 }, always], true],
    [[{ tokens: 101 }, never], false],
  ])("%j at or above its sizes: %s", (trigger, holds) => {
    expect(triggerHolds(trigger, metrics, 200)).toBe(holds);
  });
});

describe("a target", () => {
  it.each<[Condition, boolean]>([
    [{ tokens: 100 }, true],
    [{ tokens: 99 }, false],
    [{ turns: 5 }, true],
    [{ turns: 4 }, false],
    [{ fraction: 0.5 }, true],
    [{ fraction: 0.49 }, false],
    [{ tokens: 100, turns: 4 }, false],
    [[{ tokens: 1 }, { turns: 5 }], true],
    [({ turns }) => turns === 5, true],
  ])("%j at or below its sizes: %s", (target, holds) => {
    expect(goalOf(target, undefined, 200).holds(metrics)).toBe(holds);
  });

  it.each<[Condition, number | undefined]>([
    [{ tokens: 100 }, 100],
    [{ fraction: 0.333 }, 66],
    [{ tokens: 50, fraction: 0.5 }, 50],
    [[{ tokens: 100 }], 100],
    [{ tokens: 100, turns: 5 }, undefined],
    [[{ tokens: 100 }, { turns: 5 }], undefined],
    [always, undefined],
  ])("%j is the number %s", (target, tokens) => {
    expect(goalOf(target, undefined, 200).tokens).toBe(tokens);
  });

  it("takes what is no message off the number, which never gets negative", () => {
    const beside = (overheadTokens: number) => ({
      counterFactor: 1,
      overheadTokens,
    });
    expect(goalOf({ tokens: 100 }, undefined, 200, beside(30)).tokens).toBe(70);
    expect(goalOf({ fraction: 0.5 }, undefined, 200, beside(130)).tokens).toBe(
      0,
    );
  });

  it("is a number by the counter, where that is known to be off", () => {
    const twice = { counterFactor: 2, overheadTokens: 30 };
    expect(goalOf({ tokens: 100 }, undefined, 200, twice).tokens).toBe(35);
  });

  it("is the opposite of the trigger where there is none", () => {
    const goal = goalOf(undefined, { tokens: 100 }, undefined);
    expect(goal.tokens).toBeUndefined();
    expect(goal.holds(metrics)).toBe(false);
    expect(goal.holds({ ...metrics, tokens: 99 })).toBe(true);
  });

  it("is missing where nothing says how far to go", () => {
    expect(() => goalOf(undefined, undefined, 200)).toThrow(
      expect.objectContaining({ code: "MISSING_TARGET" }),
    );
  });
});

describe("a predicate", () => {
  const later = (async () => false) as unknown as () => boolean;

  it.each<Condition>([later, [later]])(
    "that answers later is refused, since a promise would pass for true",
    (condition) => {
      expect(() => triggerHolds(condition, metrics, 200)).toThrow(
        "A condition in code must return true or false, it returned a promise.",
      );
    },
  );
});

describe("a size", () => {
  it("survives JSON", () => {
    const sizes: Condition = [{ tokens: 100, turns: 5 }, { fraction: 0.8 }];
    const read = JSON.parse(JSON.stringify(sizes)) as Condition;
    expect(read).toEqual(sizes);
    expect(triggerHolds(read, metrics, 200)).toBe(
      triggerHolds(sizes, metrics, 200),
    );
  });

  it("as a fraction needs the window", () => {
    expect(() => triggerHolds({ fraction: 0.5 }, metrics, undefined)).toThrow(
      /needs to know the context window/,
    );
    expect(() => goalOf({ fraction: 0.5 }, undefined, undefined)).toThrow(
      /needs to know the context window/,
    );
  });
});

describe("a condition is checked when it is given", () => {
  it.each([
    [{}, /^Option "trigger" must be a size such as/],
    [{ tokens: undefined }, /must be a size such as/],
    [[], /got an array of 0/],
    [[[{ tokens: 1 }]], /^Option "trigger\[0\]" must be a size/],
    ["80%", /got "80%"/],
    [null, /got null/],
    [{ characters: 3 }, /has no size "characters". Its sizes are tokens,/],
    [{ tokens: -1 }, /^Option "trigger.tokens" must be a whole number/],
    [{ turns: 1.5 }, /got 1.5/],
    [{ fraction: 0 }, /"trigger.fraction" must be a number above 0/],
    [{ fraction: 80 }, /at most 1, got 80/],
    [[{ tokens: 1 }, { turns: "5" }], /^Option "trigger\[1\].turns"/],
  ])("%j is refused", (condition, message) => {
    expect(() => requireCondition("trigger", condition)).toThrow(message);
  });
});
