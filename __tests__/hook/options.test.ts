import { describe, expect, it } from "@jest/globals";
import {
  CompactionError,
  CompactionHook,
  SlidingWindowCompactor,
} from "langchain-compaction";
import { ChatOpenAI } from "@langchain/openai";
import { agentThread, hookOf } from "./threads.js";

const model = new ChatOpenAI({ model: "gpt-4.1", apiKey: "unused" });

describe("a wrong option is an error that names it, its value and what is right", () => {
  it.each<[string, unknown, RegExp]>([
    ["contextWindow", 0, /a whole number of tokens, 1 or more, got 0/],
    ["contextWindow", -5, /1 or more, got -5/],
    ["contextWindow", 10.5, /1 or more, got 10\.5/],
    ["contextWindow", Number.NaN, /1 or more, got NaN/],
    ["contextWindow", Infinity, /1 or more, got Infinity/],
    ["contextWindow", "200k", /tokens, such as.*a chat model.*got "200k"/],
    ["contextWindow", null, /tokens, such as.*a chat model.*got null/],
    [
      "contextWindow",
      undefined,
      /tokens, such as.*a chat model.*got undefined/,
    ],
    ["compactAt", 0, /above 0 and at most 1.*got 0/],
    ["compactAt", 1.5, /above 0 and at most 1.*got 1\.5/],
    ["compactAt", 70, /above 0 and at most 1.*got 70/],
    ["compactAt", Number.NaN, /above 0 and at most 1.*got NaN/],
    ["contextWindow", { tokens: 5 }, /tokens, such as.*with the keys tokens/],
    ["compactAt", "0.7", /such as 0\.7, a size such as.*got "0\.7"/],
    ["compactAt", null, /a size such as.*got null/],
    ["compactAt", {}, /a size such as.*no keys|\(none\)/],
    ["compactAt", [], /a size such as.*array of 0/],
    ["compactAt", { token: 5 }, /"compactAt" has no size "token"/],
    ["compactAt", { tokens: -1 }, /compactAt\.tokens.*0 or more, got -1/],
    ["compactAt", { fraction: 2 }, /compactAt\.fraction.*at most 1, got 2/],
    ["compactAt", [{ tokens: 1.5 }], /compactAt\[0\]\.tokens.*got 1\.5/],
    ["compactTo", 0.5, /below "compactAt" \(0\.5\).*got 0\.5/],
    ["compactTo", 0.9, /below "compactAt" \(0\.5\).*got 0\.9/],
    ["compactTo", { fraction: 0.8 }, /below "compactAt" \(0\.5\).*got 0\.8/],
    ["compactTo", { tokens: 150 }, /below "compactAt" \(100 tokens\).*got 150/],
    ["compactTo", -0.1, /above 0 and at most 1.*got -0\.1/],
    ["compactTo", null, /a size such as.*got null/],
    ["reserveOutputTokens", -1, /0 or more, got -1/],
    ["reserveOutputTokens", 1.5, /0 or more, got 1\.5/],
    [
      "reserveOutputTokens",
      200,
      /below the context window \(200 tokens\), got 200/,
    ],
    ["overheadTokens", -1, /0 or more, got -1/],
    ["overheadTokens", "9", /0 or more, got "9"/],
    ["tokenCounter", 5, /a function of messages or an object with.*got 5/],
    [
      "tokenCounter",
      { countMessage: () => 1 },
      /a function of messages or an object with/,
    ],
    ["tokenCounter", model, /a chat model counts over the network/],
    [
      "compactor",
      undefined,
      /a compactor such as.*with a method compact.*got undefined/,
    ],
    ["compactor", "sliding", /a compactor.*got "sliding"/],
    ["compactor", [], /a compactor.*an array of 0/],
    ["compactor", [5], /"compactor\[0\]" must be.*got 5/],
    ["compactor", SlidingWindowCompactor, /got the class SlidingWindow/],
    ["tokenCounter", class Exact {}, /got the class Exact/],
    ["tools", "search", /an array of tools, got "search"/],
    ["tools", [null], /"tools\[0\]" must be a LangChain tool.*got null/],
    ["tools", [{ name: "a" }, undefined], /"tools\[1\]".*got undefined/],
    // oxlint-disable-next-line no-sparse-arrays -- a hole is no tool either
    ["tools", [, { name: "a" }], /"tools\[0\]".*got undefined/],
    ["tools", ["search"], /"tools\[0\]".*got "search"/],
    ["tools", [[{ name: "a" }]], /"tools\[0\]".*got an array of 1/],
    ["tools", [() => 1], /"tools\[0\]".*got a function/],
    ["systemPrompt", 7, /a text or a message, got 7/],
    ["messagesKey", "", /a key of the state, got ""/],
    ["messagesKey", 3, /a key of the state, got 3/],
    ["onReport", "log", /a function, got "log"/],
    ["streamReports", "yes", /true or false, got "yes"/],
    ["repair", "false", /true or false, got "false"/],
    ["raiseOnFailure", 1, /true or false, got 1/],
  ])("%s: %p", (option, value, text) => {
    let error: unknown;
    try {
      hookOf({ [option]: value } as never);
    } catch (thrown) {
      error = thrown;
    }
    expect(CompactionError.isInstance(error)).toBe(true);
    const { code, message } = error as CompactionError;
    expect(code).toBe("INVALID_OPTION");
    expect(message).toMatch(text);
    expect(message).toContain(option === "compactor" ? "" : option);
  });

  it.each([
    [{ messages: 4 }, { messages: 9 }, 9],
    [{ turns: 4, messages: 20 }, { messages: 20 }, 20],
  ])("a start at %p to go down to %p", (compactAt, compactTo, end) => {
    expect(() => hookOf({ compactAt, compactTo })).toThrow(
      new RegExp(`below "compactAt" .*got ${end}`),
    );
  });

  it("a start below the default end, which has to be set too", () => {
    expect(
      () =>
        new CompactionHook({
          compactor: new SlidingWindowCompactor(),
          contextWindow: 1_000,
          compactAt: 0.3,
        }),
    ).toThrow(/"compactTo" .*\(its default is 0\.4: set both\), got 0\.4/);
  });

  it("a model without a profile, by its name", () => {
    const contextWindow = new ChatOpenAI({ model: "mine", apiKey: "unused" });
    expect(() => hookOf({ contextWindow })).toThrow(
      /a model \("mine"\) whose profile states no maxInputTokens/,
    );
  });

  it("an unknown option, with those that there are", () => {
    expect(() => hookOf({ compactat: 0.5 } as never)).toThrow(
      /no option "compactat".*compactAt/,
    );
  });

  it("a compactor in place of the options", () => {
    expect(
      () => new CompactionHook(new SlidingWindowCompactor() as never),
    ).toThrow(/as an object.*got an instance of SlidingWindowCompactor/);
  });

  it.each([[undefined], [null], ["x"]])("%p for all options", (options) => {
    expect(() => new CompactionHook(options as never)).toThrow(
      /takes its options as an object/,
    );
  });
});

describe("the wrong thing in a run is an error that says what to call", () => {
  it("a list of messages for the state", async () => {
    await expect(hookOf().invoke(agentThread(1) as never)).rejects.toThrow(
      /takes the state, such as \{ messages: .*use compact\(messages\)/,
    );
  });

  it("the state for a list of messages", async () => {
    const compactor = new SlidingWindowCompactor({ targetTokens: 10 });
    await expect(
      compactor.invoke({ messages: agentThread(1) } as never),
    ).rejects.toThrow(/with the keys messages\. As a node.*CompactionHook/);
  });
});

describe("what is right", () => {
  it.each<[string, Record<string, unknown>]>([
    ["an edge of the window", { compactAt: 1, compactTo: 0.999 }],
    [
      "sizes and predicates",
      { compactAt: { tokens: 100 }, compactTo: () => true },
    ],
    [
      "sizes of which one gets lower",
      {
        compactAt: { tokens: 100, messages: 20 },
        compactTo: { tokens: 50, messages: 20 },
      },
    ],
    [
      "nothing beyond what is needed",
      { compactAt: undefined, compactTo: undefined },
    ],
    [
      "undefined where a default stands",
      {
        tools: undefined,
        onReport: undefined,
        overheadTokens: undefined,
        messagesKey: undefined,
      },
    ],
  ])("%s", async (_name, options) => {
    const { report } = await hookOf(options as never).compact(agentThread(1));
    expect(report.outcome).toBe("unchanged");
  });

  it("starts at 0.7 and goes to 0.4 unless told otherwise", async () => {
    const hook = hookOf({
      contextWindow: 100,
      compactAt: undefined as never,
      compactTo: undefined as never,
    });
    expect((await hook.compact(agentThread(2))).report.reason).toBe(
      "below-trigger",
    );
    expect((await hook.compact(agentThread(3))).report).toMatchObject({
      outcome: "compacted",
      targetTokens: 40,
    });
  });
});
