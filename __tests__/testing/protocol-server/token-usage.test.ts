import { describe, expect, it } from "@jest/globals";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { ModelMessage } from "../../../src/testing/protocol-server/model.js";
import type { ReadRequest } from "../../../src/testing/protocol-server/protocol.js";
import { TokenUsageCounter } from "../../../src/testing/protocol-server/token-usage.js";

function request(
  messages: ModelMessage[],
  rest?: Partial<ReadRequest>,
): ReadRequest {
  return {
    model: "m",
    system: "",
    messages,
    tools: [],
    stream: false,
    maxOutputTokens: 0,
    ...rest,
  };
}

const user = (text: string): ModelMessage => ({ role: "user", text, media: 0 });

describe("TokenUsageCounter", () => {
  it("counts the framing of OpenAI's cookbook", () => {
    const text = "The quick brown fox jumps over the lazy dog.";
    const counter = new TokenUsageCounter();
    const { messages } = counter.requestSize(request([user(text), user(text)]));
    expect(messages).toBe(3 + 2 * (4 + countTokens(text)));
  });

  it("counts instructions, calls, results, media and tools", () => {
    const size = (...parts: Parameters<typeof request>): number => {
      const counted = new TokenUsageCounter().requestSize(request(...parts));
      return counted.messages + counted.tools;
    };
    const empty = size([]);
    expect(size([], { system: "Be short." })).toBe(empty + 4 + 3);
    const call = { id: "a", name: "weather", args: {}, argsText: '{"a":1}' };
    expect(
      size([
        { role: "assistant", text: "", reasoning: "Hm.", toolCalls: [call] },
      ]),
    ).toBe(empty + 4 + countTokens("Hm.") + 3 + 1 + countTokens('{"a":1}'));
    expect(size([{ role: "user", text: "", media: 2 }])).toBe(
      empty + 4 + 2 * 765,
    );
    const tool = { name: "weather", description: "Says it.", parameters: {} };
    expect(size([], { tools: [tool] })).toBe(
      empty + 12 + 7 + 1 + countTokens("Says it.") + countTokens("{}"),
    );
  });

  it("takes a special token in a result for the text that it is", () => {
    const counter = new TokenUsageCounter();
    const { messages } = counter.requestSize(request([user("<|endoftext|>")]));
    expect(messages).toBeGreaterThan(3 + 4 + 1);
  });

  // Without the cuts these take minutes.
  it.each([
    ["spaces", " ".repeat(20_000)],
    ["one letter", "a".repeat(20_000)],
    ["signs", "=".repeat(20_000)],
    ["line ends and slashes", "/\n".repeat(10_000)],
  ])("counts a long run of %s", (_name, text) => {
    const counter = new TokenUsageCounter();
    const { messages } = counter.requestSize(request([user(text)]));
    expect(messages).toBeGreaterThan(100);
    expect(messages).toBeLessThan(20_000);
  });

  it("hardly changes a count by its cuts", () => {
    for (const run of [" ", "a", "=", "-"]) {
      const text = run.repeat(2_000);
      const counter = new TokenUsageCounter();
      const { messages } = counter.requestSize(request([user(text)]));
      const exact = countTokens(text) + 7;
      expect(Math.abs(messages - exact) / exact).toBeLessThan(0.05);
    }
  });
});
