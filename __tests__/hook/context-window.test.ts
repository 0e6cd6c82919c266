import { describe, expect, it } from "@jest/globals";
import { ChatAnthropic } from "@langchain/anthropic";
import { fakeModel } from "@langchain/core/testing";
import { ChatOpenAI } from "@langchain/openai";
import { initChatModel } from "langchain";
import { CompactionHook, type ContextWindow } from "langchain-compaction";
import { human } from "../support/make-messages.js";
import { hookOf } from "./threads.js";

const openai = new ChatOpenAI({ model: "gpt-4.1", apiKey: "unused" });
const anthropic = new ChatAnthropic({
  model: "claude-sonnet-4-5",
  apiKey: "unused",
});
const tools = [
  {
    type: "function" as const,
    function: { name: "look_up", parameters: { type: "object" } },
  },
];

/** The tokens at which a hook over half of this window starts. */
async function threshold(
  contextWindow: ContextWindow,
  reserveOutputTokens?: number,
): Promise<number> {
  let tokens = 1;
  const hook = hookOf({
    contextWindow,
    compactAt: 0.5,
    tokenCounter: () => tokens,
    ...(reserveOutputTokens === undefined ? {} : { reserveOutputTokens }),
  });
  let below = 1;
  let above = 4_000_000;
  while (above - below > 1) {
    tokens = Math.floor((below + above) / 2);
    const { report } = await hook.compact([human("q")]);
    if (report.reason === "below-trigger") {
      below = tokens;
    } else {
      above = tokens;
    }
  }
  return above;
}

describe("contextWindow", () => {
  it("is a number of tokens", async () => {
    expect(await threshold(10_000)).toBe(5_000);
    expect(await threshold(10_000, 2_000)).toBe(4_000);
  });

  const { maxInputTokens, maxOutputTokens } = openai.profile as {
    maxInputTokens: number;
    maxOutputTokens: number;
  };
  const claude = anthropic.profile as {
    maxInputTokens: number;
    maxOutputTokens: number;
  };

  it.each<[string, ContextWindow, number]>([
    ["ChatOpenAI", openai, maxInputTokens - maxOutputTokens],
    [
      "ChatOpenAI with tools",
      openai.bindTools(tools) as ContextWindow,
      maxInputTokens - maxOutputTokens,
    ],
    [
      "ChatOpenAI with a configuration",
      openai.withConfig({ stop: ["x"] }) as ContextWindow,
      maxInputTokens - maxOutputTokens,
    ],
    [
      "ChatOpenAI with retries",
      openai.withRetry() as ContextWindow,
      maxInputTokens - maxOutputTokens,
    ],
    [
      "ChatAnthropic",
      anthropic,
      claude.maxInputTokens - claude.maxOutputTokens,
    ],
    [
      "ChatAnthropic with tools and a configuration",
      anthropic
        .bindTools(tools as never)
        .withConfig({ tags: ["x"] }) as ContextWindow,
      claude.maxInputTokens - claude.maxOutputTokens,
    ],
  ])("is read from the profile of %s", async (_name, model, window) => {
    expect(await threshold(model)).toBe(Math.ceil(window / 2));
  });

  it("is the whole window where nothing is reserved", async () => {
    expect(await threshold(openai, 0)).toBe(Math.ceil(maxInputTokens / 2));
  });

  it("is read behind a configurable model when it is needed", async () => {
    const model = await initChatModel("openai:gpt-4.1", { apiKey: "unused" });
    expect(await threshold(model as unknown as ContextWindow)).toBe(
      Math.ceil((maxInputTokens - maxOutputTokens) / 2),
    );
  });

  it("needs no output limit in the profile", async () => {
    expect(await threshold({ profile: { maxInputTokens: 900 } })).toBe(450);
  });

  it.each<[string, unknown]>([
    [
      "a model that its package does not know",
      new ChatOpenAI({ model: "ft:gpt-4o:me", apiKey: "unused" }),
    ],
    ["a fake model", fakeModel()],
    ["a model with fall-backs", openai.withFallbacks([anthropic])],
    ["an empty profile", { profile: {} }],
    ["a profile of zero", { profile: { maxInputTokens: 0 } }],
  ])("is an error for %s", (_name, contextWindow) => {
    expect(() =>
      hookOf({ contextWindow: contextWindow as ContextWindow }),
    ).toThrow(
      expect.objectContaining({
        code: "WINDOW_UNKNOWN",
        message: expect.stringContaining("contextWindow"),
      }),
    );
  });

  it("of a configurable model that is unknown stays harmless in a run", async () => {
    const model = await initChatModel("openai:ft:gpt-4o:me", {
      apiKey: "unused",
    });
    const hook = hookOf({ contextWindow: model as unknown as ContextWindow });
    const messages = [human("q")];
    const result = await hook.compact(messages);
    expect(result.messages).toEqual(messages);
    expect(result.report).toMatchObject({
      outcome: "failed",
      reason: "window-unknown",
    });
  });

  it("that its reserve eats up is an error", () => {
    const tiny = { profile: { maxInputTokens: 100, maxOutputTokens: 100 } };
    expect(() => hookOf({ contextWindow: tiny })).toThrow(
      /reserveOutputTokens.*100/,
    );
    expect(() =>
      hookOf({ contextWindow: 100, reserveOutputTokens: 100 }),
    ).toThrow(/reserveOutputTokens.*below the context window.*100/);
  });

  it("is optional for nobody", () => {
    expect(
      () =>
        new CompactionHook({
          compactor: { compact: async () => null },
        } as never),
    ).toThrow(/contextWindow.*undefined/);
  });
});
