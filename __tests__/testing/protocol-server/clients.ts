import { ChatAnthropic } from "@langchain/anthropic";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { AIMessageChunk } from "@langchain/core/messages";
import type { RunnableInterface } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import type { ProtocolServer } from "langchain-compaction/testing";
import { z } from "zod";

/** The real clients, each pointed at the local server. */
export const CLIENTS = {
  openai: (server: ProtocolServer) =>
    new ChatOpenAI({
      model: "gpt-4.1",
      apiKey: "unused",
      maxRetries: 0,
      configuration: { baseURL: server.baseURL },
    }),
  "openai-responses": (server: ProtocolServer) =>
    new ChatOpenAI({
      model: "gpt-4.1",
      apiKey: "unused",
      maxRetries: 0,
      useResponsesApi: true,
      configuration: { baseURL: server.baseURL },
    }),
  anthropic: (server: ProtocolServer) =>
    new ChatAnthropic({
      model: "claude-sonnet-4-5",
      apiKey: "unused",
      maxRetries: 0,
      anthropicApiUrl: server.anthropicURL,
    }),
} satisfies Record<string, (server: ProtocolServer) => BaseChatModel>;

export type ClientName = keyof typeof CLIENTS;

export const clientNames = Object.keys(CLIENTS) as ClientName[];

/** Ways to call a model. */
export const CALLS = {
  invoke: (model: Model, input: string | unknown[]) => model.invoke(input),
  stream: async (model: Model, input: string | unknown[]) => {
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await model.stream(input)) {
      whole = whole === undefined ? chunk : whole.concat(chunk);
    }
    return whole!;
  },
};

// Wide on purpose: bound and unbound models of both providers.
// oxlint-disable-next-line typescript/no-explicit-any
type Model = RunnableInterface<any, AIMessageChunk>;

export const weather = tool(({ city }) => `Rain in ${city}.`, {
  name: "weather",
  description: "Says what the weather is like.",
  schema: z.object({ city: z.string() }),
});
