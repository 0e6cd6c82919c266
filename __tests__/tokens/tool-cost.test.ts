import { describe, expect, it } from "@jest/globals";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { countToolsWith } from "../../src/tokens/tool-cost.js";

const letters = (text: string): number => text.length;
const search = tool(() => "", {
  name: "search",
  description: "Finds documents that match a query.",
  schema: z.object({ query: z.string().describe("What to look for.") }),
});
const parameters = {
  type: "object",
  properties: { query: { type: "string", description: "What to look for." } },
  required: ["query"],
};

describe("countToolsWith", () => {
  it("counts name, description and schema of a LangChain tool", () => {
    const seen: string[] = [];
    countToolsWith((text) => seen.push(text), [search]);
    expect(seen).toHaveLength(1);
    for (const part of ["search", "Finds documents", "What to look for."]) {
      expect(seen[0]).toContain(part);
    }
  });

  it("counts a tool alike with a zod schema and with the same JSON schema", () => {
    const { name, description } = search;
    const plain = { name, description, schema: parameters };
    const difference =
      countToolsWith(letters, [search]) - countToolsWith(letters, [plain]);
    // zod names the dialect and forbids more properties.
    expect(Math.abs(difference)).toBeLessThan(120);
  });

  it.each<[string, Record<string, unknown>]>([
    ["OpenAI", { type: "function", function: { name: "search", parameters } }],
    ["Responses", { type: "function", name: "search", parameters }],
    ["Anthropic", { name: "search", input_schema: parameters }],
    ["Gemini", { functionDeclarations: [{ name: "search", parameters }] }],
    [
      "provider's own",
      { type: "web_search_20250305", name: "search", for: parameters },
    ],
  ])("counts definitions as they are: %s", (_name, definition) => {
    const tokens = countToolsWith(letters, [definition]);
    expect(tokens).toBeGreaterThan(JSON.stringify(parameters).length);
    expect(tokens).toBeLessThan(JSON.stringify(parameters).length + 80);
  });

  it("adds up, and costs nothing for nothing", () => {
    expect(countToolsWith(letters, [])).toBe(0);
    expect(countToolsWith(letters, [search, search])).toBe(
      2 * countToolsWith(letters, [search]),
    );
  });

  it("throws on a schema that holds itself", () => {
    const schema: Record<string, unknown> = { type: "object" };
    schema.self = schema;
    expect(() =>
      countToolsWith(letters, [{ name: "search", input_schema: schema }]),
    ).toThrow(/circular/i);
  });
});
