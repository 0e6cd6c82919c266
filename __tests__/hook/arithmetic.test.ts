import { describe, expect, it } from "@jest/globals";
import { SystemMessage } from "@langchain/core/messages";
import {
  CompactionHook,
  type CompactionHookOptions,
  type CompactionReport,
  type CompactorFields,
  type CompactorLike,
  SlidingWindowCompactor,
} from "langchain-compaction";
import { ai, human, tool } from "../support/make-messages.js";
import { agentThread, chatThread, hookOf, tens, toolStep } from "./threads.js";

/** The report on a list, by a hook over a window of 1000 tokens that starts at 500 and goes down to 300. */
async function reportOn(
  messages: Parameters<ReturnType<typeof hookOf>["compact"]>[0],
  options: Partial<CompactionHookOptions> = {},
): Promise<CompactionReport> {
  const hook = hookOf({
    contextWindow: 1000,
    compactAt: 0.5,
    compactTo: 0.3,
    ...options,
  });
  return (await hook.compact(messages)).report;
}

describe("the estimate", () => {
  it("is the newest report and the count of what came after it", async () => {
    const messages = [...agentThread(3), ...toolStep(4, [300, 7]), human("q")];
    expect(await reportOn(messages)).toMatchObject({
      tokensBefore: 307 + 20,
      reason: "below-trigger",
    });
  });

  it("is the count of everything, with what the options state, where nothing is reported", async () => {
    const report = await reportOn(agentThread(3), {
      tools: [
        { type: "function", function: { name: "a" } },
        { type: "function", function: { name: "b" } },
      ],
      systemPrompt: "Be brief.",
      overheadTokens: 3,
    });
    expect(report.tokensBefore).toBe(80 + 20 + 10 + 3);
  });

  it("takes a system prompt that is a message", async () => {
    const report = await reportOn(agentThread(3), {
      systemPrompt: new SystemMessage("Be brief."),
    });
    expect(report.tokensBefore).toBe(90);
  });

  it("counts messages with a counting function, tools by the default counter", async () => {
    const tools = [{ type: "function", function: { name: "a" } }];
    const bare = await reportOn(agentThread(3), {
      tokenCounter: (list) => list.length,
    });
    const withTools = await reportOn(agentThread(3), {
      tokenCounter: async (list) => list.length,
      tools,
    });
    expect(bare.tokensBefore).toBe(8);
    expect(withTools.tokensBefore).toBeGreaterThan(8);
  });

  it("does not add what the options state to a report, which has it already", async () => {
    const messages = [...agentThread(3), ...toolStep(4, [300, 7])];
    const report = await reportOn(messages, {
      systemPrompt: "Be brief.",
      overheadTokens: 50,
    });
    expect(report.tokensBefore).toBe(317);
  });

  it.each<[string, Record<string, unknown> | undefined]>([
    ["zero", { input_tokens: 0, output_tokens: 0, total_tokens: 0 }],
    ["NaN", { input_tokens: Number.NaN, output_tokens: 1 }],
    ["negative", { input_tokens: -5, output_tokens: 1 }],
    ["a text", { input_tokens: "12", output_tokens: 1 }],
    ["empty", {}],
    ["none", undefined],
  ])("takes a report that is %s for none", async (_name, usage) => {
    const answer = ai("x");
    Object.assign(answer, { usage_metadata: usage });
    expect((await reportOn([human("q"), answer])).tokensBefore).toBe(20);
  });

  it("goes to an older report where the newest answer has none", async () => {
    const messages = [
      human("q"),
      ...toolStep(1, [200, 10]),
      ai("streamed without usage"),
      human("q2"),
    ];
    expect((await reportOn(messages)).tokensBefore).toBe(240);
  });

  it("takes a report without output tokens", async () => {
    const answer = ai("x");
    Object.assign(answer, { usage_metadata: { input_tokens: 77 } });
    expect((await reportOn([human("q"), answer])).tokensBefore).toBe(77);
  });

  it("does not read a usage that stands on another message", async () => {
    const fake = human("q");
    Object.assign(fake, {
      usage_metadata: { input_tokens: 900, output_tokens: 0 },
    });
    expect((await reportOn([fake])).tokensBefore).toBe(10);
  });
});

describe("the trigger", () => {
  it.each([
    [498, "below-trigger"],
    [499, "above-trigger"],
  ])("with a report of %p + 1 tokens is %p", async (input, reason) => {
    const messages = [...agentThread(30), ...toolStep(31, [input - 10, 1])];
    expect((await reportOn(messages)).reason).toBe(reason);
  });

  it("is compared in floating point, as the reference does", async () => {
    // 100 × 0.55 is 55.00000000000001.
    const at = (tokens: number) =>
      reportOn([human("q"), ai("a", [], { usage: [tokens, 0] })], {
        contextWindow: 100,
        compactAt: 0.55,
      });
    expect((await at(55)).reason).toBe("below-trigger");
    expect((await at(56)).reason).toBe("nothing-removable");
  });

  it("may be a size", async () => {
    const options = { compactAt: { turns: 3 }, compactTo: { turns: 1 } };
    expect((await reportOn(chatThread(2), options)).reason).toBe(
      "below-trigger",
    );
    expect(await reportOn(chatThread(4), options)).toMatchObject({
      reason: "above-trigger",
      removedIds: ["q1", "a1", "q2", "a2", "q3", "a3"],
    });
  });

  it("needs all keys of one size, any of several", async () => {
    const both = { compactAt: { turns: 3, messages: 100 } };
    const either = { compactAt: [{ turns: 3 }, { messages: 100 }] };
    const compactTo = { turns: 1 };
    expect((await reportOn(chatThread(4), { ...both, compactTo })).reason).toBe(
      "below-trigger",
    );
    expect(
      (await reportOn(chatThread(4), { ...either, compactTo })).reason,
    ).toBe("above-trigger");
  });

  it("may be a predicate over the whole request's sizes", async () => {
    const seen: unknown[] = [];
    await reportOn([...chatThread(3), ai("x", [], { usage: [111, 2] })], {
      compactAt: (metrics) => {
        seen.push({ ...metrics });
        return false;
      },
    });
    expect(seen).toEqual([
      expect.objectContaining({
        tokens: 113,
        messages: 7,
        turns: 3,
        steps: 4,
        groups: 7,
        toolCalls: 0,
      }),
    ]);
  });

  it("without a number takes its opposite for the target", async () => {
    expect(
      (
        await new CompactionHook({
          compactor: new SlidingWindowCompactor(),
          contextWindow: 1000,
          compactAt: { messages: 10 },
          tokenCounter: tens,
        }).compact(chatThread(6))
      ).report,
    ).toMatchObject({
      reason: "above-trigger",
      // Eight messages and the note are fewer than ten.
      removedIds: ["q1", "a1", "q2", "a2"],
    });
  });
});

describe("overhead and target", () => {
  it("take what is no message off the target", async () => {
    const messages = [...agentThread(20), ...toolStep(21, [700, 20])];
    // Estimate 730, messages 440: overhead 290, target 300 − 290.
    expect(await reportOn(messages)).toMatchObject({
      tokensBefore: 730,
      overheadTokens: 290,
      targetTokens: 10,
      overTarget: true,
      tokensAfter: 290 + 50,
      warnings: ["over-target"],
    });
  });

  it("never make the target negative", async () => {
    const messages = [...agentThread(20), ...toolStep(21, [900, 20])];
    expect((await reportOn(messages)).targetTokens).toBe(0);
  });

  it("round the target down", async () => {
    const report = await reportOn(agentThread(6), {
      contextWindow: 100,
      compactAt: 0.5,
      compactTo: 0.29,
    });
    expect(report.targetTokens).toBe(28);
  });

  it("warn where the counter says more than the provider, and raise the target", async () => {
    const messages = [...agentThread(30), ...toolStep(31, [500, 0])];
    // Estimate 510, messages 640.
    expect(await reportOn(messages)).toMatchObject({
      tokensBefore: 510,
      overheadTokens: -130,
      targetTokens: 430,
      warnings: ["counter-overestimates"],
    });
  });

  it("reach the compactor with the counter and the window", async () => {
    let told: Parameters<CompactorLike["compact"]>[1] | undefined;
    const compactor: CompactorLike = {
      compact: async (_messages, options) => {
        told = options;
        return null;
      },
    };
    const messages = [...agentThread(20), ...toolStep(21, [500, 20])];
    await reportOn(messages, { compactor });

    expect(told!.target.tokens).toBe(210);
    expect(await told!.target.holds(messages.slice(0, 21))).toBe(true);
    expect(await told!.target.holds(messages.slice(0, 22))).toBe(false);
    expect(told!.contextWindow).toBe(1000);
  });

  it("are absent where nothing was decided by them", async () => {
    const report = await reportOn(agentThread(2));
    expect(report).not.toHaveProperty("targetTokens");
    expect(report).not.toHaveProperty("overheadTokens");
    expect(report).not.toHaveProperty("firstChangedIndex");
  });
});

describe("reserveOutputTokens", () => {
  it("comes off the window", async () => {
    const options = { contextWindow: 1000, compactAt: 0.5, compactTo: 0.3 };
    const messages = agentThread(22);
    expect((await reportOn(messages, options)).reason).toBe("below-trigger");
    expect(
      await reportOn(messages, { ...options, reserveOutputTokens: 200 }),
    ).toMatchObject({ reason: "above-trigger", targetTokens: 240 });
  });

  it("gives what a fraction is a part of", async () => {
    const report = await reportOn(agentThread(22), {
      reserveOutputTokens: 200,
      compactAt: { fraction: 0.5 },
      compactTo: { fraction: 0.25 },
    });
    expect(report.targetTokens).toBe(200);
  });
});

describe("a pass that finds nothing to do", () => {
  it("says so where only what is protected is left", async () => {
    const report = await reportOn([human("q", { content: "x" })], {
      tokenCounter: () => 5000,
    });
    expect(report).toMatchObject({
      outcome: "unchanged",
      reason: "nothing-removable",
      overTarget: true,
      warnings: ["over-target"],
      tokensBefore: 5000,
      tokensAfter: 5000,
    });
  });

  it("says so where the result is no smaller", async () => {
    const compactor: CompactorLike = {
      compact: async (messages) => [...messages],
    };
    expect(await reportOn(agentThread(30), { compactor })).toMatchObject({
      outcome: "unchanged",
      reason: "not-smaller",
      tokensAfter: 620,
      removedIds: [],
    });
  });

  it("does not fire below a target that the trigger undercuts", async () => {
    const report = await reportOn(agentThread(2), {
      compactAt: { messages: 4 },
      compactTo: { tokens: 500 },
    });
    expect(report).toMatchObject({
      outcome: "unchanged",
      reason: "compactor-not-due",
    });
  });

  it.each<CompactorFields>([
    { targetTokens: 100_000 },
    { trigger: { turns: 100 }, targetTokens: 100 },
  ])("says so where the compactor goes by %j of its own", async (own) => {
    const compactor = new SlidingWindowCompactor(own);
    expect(await reportOn(agentThread(30), { compactor })).toMatchObject({
      outcome: "unchanged",
      reason: "compactor-not-due",
      overTarget: true,
    });
  });

  it("is no compaction where only a pending call stands after the task", async () => {
    const messages = [
      human("q"),
      ai("wait", ["open", "answered"]),
      tool("r", "answered"),
    ];
    expect(await reportOn(messages, { tokenCounter: () => 400 })).toMatchObject(
      { reason: "nothing-removable" },
    );
  });
});

describe("a condition that answers with a promise", () => {
  const later = (async () => true) as unknown as () => boolean;

  it.each([{ compactAt: later }, { compactTo: later }])(
    "is a failure, not true: %s",
    async (options) => {
      expect(await reportOn(agentThread(30), options)).toMatchObject({
        outcome: "failed",
        error: { message: expect.stringContaining("it returned a promise") },
      });
    },
  );
});

describe("several compactors", () => {
  it("are tiers", async () => {
    const asked: string[] = [];
    const tier = (name: string): CompactorLike => ({
      compact: async () => {
        asked.push(name);
        return null;
      },
    });
    const report = await reportOn(agentThread(30), {
      compactor: [tier("a"), new SlidingWindowCompactor(), tier("b")],
    });
    expect(asked).toEqual(["a"]);
    expect(report).toMatchObject({
      outcome: "compacted",
      compactor: "CompactorPipeline",
    });
  });
});
