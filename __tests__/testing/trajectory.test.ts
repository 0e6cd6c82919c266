import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, trimMessages } from "@langchain/core/messages";
import { SlidingWindowCompactor } from "../../src/compactors/sliding-window.js";
import { CompactionHook } from "../../src/hook/compaction-hook.js";
import { simulateTrajectory } from "../../src/testing/trajectory.js";
import { ai, human, system, tool } from "../support/make-messages.js";

const onePerMessage = (messages: BaseMessage[]): number => messages.length;

/** Turns of a question, a call, its result and an answer. */
const script = [
  system("s1"),
  ...Array.from({ length: 10 }, (_, n) => [
    human(`h${n}`),
    ai(`a${n}`, [`c${n}`]),
    tool(`t${n}`, `c${n}`),
    ai(`b${n}`),
  ]).flat(),
  human("h10"),
];

const hook = new CompactionHook({
  compactor: new SlidingWindowCompactor(),
  contextWindow: 20,
  compactAt: 0.8,
  compactTo: 0.5,
  tokenCounter: onePerMessage,
});

describe("simulateTrajectory", () => {
  it.each([
    [{ mode: "shown" }, 'Option "mode" must be "rewrite" or "view"'],
    [{ limit: 4 }, 'simulateTrajectory has no option "limit".'],
  ])("refuses %j", async (options, message) => {
    await expect(
      simulateTrajectory(script, hook, options as never),
    ).rejects.toThrow(message);
  });

  it("finds nothing to say against a hook over a long thread", async () => {
    const { calls, compactions, violations } = await simulateTrajectory(
      script,
      hook,
      { budget: 16, provider: "openai", tokenCounter: onePerMessage },
    );
    expect(violations).toEqual([]);
    expect(calls).toHaveLength(21);
    // Each compaction lasts for several calls.
    expect(compactions).toBeGreaterThan(2);
    expect(compactions).toBeLessThan(7);
  });

  it("finds nothing to say against the view of the same hook", async () => {
    const { compactions, violations } = await simulateTrajectory(
      script,
      (messages) => hook.view(messages),
      {
        mode: "view",
        budget: 16,
        provider: "openai",
        tokenCounter: onePerMessage,
      },
    );
    expect(violations).toEqual([]);
    expect(compactions).toBeLessThan(7);
  });

  it("sees a trimmer send results without their calls", async () => {
    const { violations, compactions } = await simulateTrajectory(
      script,
      (messages) =>
        trimMessages(messages, {
          maxTokens: 8,
          strategy: "last",
          includeSystem: true,
          tokenCounter: onePerMessage,
        }),
      { provider: "openai", tokenCounter: onePerMessage },
    );
    const broken = violations.filter(({ rule }) => rule === "valid");
    expect(broken.length).toBeGreaterThan(0);
    expect(broken[0]!.message).toMatch(/answers no call/);
    // It cuts a little every time, which no prompt cache outlives.
    expect(compactions).toBeGreaterThan(12);
  });

  it("sees what exceeds the budget", async () => {
    const { violations } = await simulateTrajectory(
      script.slice(0, 6),
      (messages) => messages,
      { budget: 3, provider: "openai", tokenCounter: onePerMessage },
    );
    expect(violations).toEqual([
      {
        rule: "budget",
        call: 1,
        message: "4 tokens, and 3 were allowed",
      },
      {
        rule: "budget",
        call: 2,
        message: "6 tokens, and 3 were allowed",
      },
    ]);
  });

  it("sees what would go on for ever", async () => {
    const { violations } = await simulateTrajectory(
      [human("h1"), ai("a1"), human("h2"), ai("a2")],
      (messages) => (messages.length > 1 ? messages.slice(1) : messages),
      { provider: "openai", tokenCounter: onePerMessage },
    );
    expect(violations.map(({ rule }) => rule)).toContain("loop");
  });

  it("sees a prefix change that no report owns up to", async () => {
    let times = 0;
    const { violations } = await simulateTrajectory(
      [human("h1"), ai("a1"), human("h2"), ai("a2"), human("h3")],
      {
        compact: async (messages) => {
          times += 1;
          const { report } = await hook.compact([human("h0")]);
          const first = human("h1", {
            content: `clock ${Math.ceil(times / 2)}`,
          });
          return { messages: [first, ...messages.slice(1)], report };
        },
      },
      { provider: "openai", tokenCounter: onePerMessage },
    );
    expect(violations.map(({ rule, call }) => [rule, call])).toEqual([
      ["prefix", 1],
      ["prefix", 2],
    ]);
  });
});
