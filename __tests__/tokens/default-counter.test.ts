import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { defaultTokenCounter } from "../../src/tokens/default-counter.js";
import { estimateTextTokens } from "../../src/tokens/estimate-text.js";

describe("defaultTokenCounter", () => {
  it("counts a text by the estimate, and the message around it", () => {
    const text = "The quick brown fox jumps over the lazy dog.";
    expect(defaultTokenCounter.countMessage(new HumanMessage(text))).toBe(
      estimateTextTokens(text) + 4,
    );
  });

  it("counts tools", () => {
    const tokens = defaultTokenCounter.countTools([
      { name: "search", description: "Finds documents.", input_schema: {} },
    ]);
    expect(tokens).toBeGreaterThan(10);
    expect(tokens).toBeLessThan(30);
  });

  it("cannot be changed", () => {
    expect(Object.isFrozen(defaultTokenCounter)).toBe(true);
  });

  it("works when its methods are taken off it", () => {
    const { countMessage } = defaultTokenCounter;
    expect(countMessage(new AIMessage("one"))).toBe(5);
  });

  it("grows in proportion to a message", () => {
    const of = (content: string): number =>
      defaultTokenCounter.countMessage(new HumanMessage(content)) - 4;
    const paragraph = "Lines of a log, one after the other. 2024-03-01\n";
    expect(of(paragraph.repeat(1_000)) / of(paragraph)).toBeCloseTo(1_000, -2);
  });
});
