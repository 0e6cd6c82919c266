import { expect } from "@jest/globals";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
} from "@langchain/core/messages";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { z } from "zod";

// What the pages call "yours": a model, tools, a conversation, a prompt.

export const model = new ChatOpenAI({ model: "gpt-4.1" });

export const tools = [
  tool(async ({ query }) => `Found about ${query}: ${"text ".repeat(200)}`, {
    name: "search",
    description: "Searches the documents.",
    schema: z.object({ query: z.string() }),
  }),
];

export const messages: BaseMessage[] = Array.from({ length: 40 }, (_, turn) => [
  new HumanMessage({ id: `q${turn}`, content: `question ${turn}` }),
  new AIMessage({ id: `a${turn}`, content: `answer ${turn} `.repeat(50) }),
]).flat();

export const prompt = ChatPromptTemplate.fromMessages([
  ["system", "Be brief."],
  ["placeholder", "{history}"],
  ["human", "{question}"],
]);

/** Where the program is, for whoever reads why it failed. */
export function at(place: string): void {
  (globalThis as { snippet?: string }).snippet = place;
}

/** Holds a page to what it says an expression gives. */
export function gives(value: unknown, expected: unknown): void {
  expect(value).toEqual(expected);
}
