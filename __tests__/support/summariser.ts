import { concat } from "@langchain/core/utils/stream";
import { ChatOpenAI } from "@langchain/openai";
import type { SummarizationModel } from "../../src/index.js";
import {
  startProtocolServer,
  type ModelReply,
  type ModelRequest,
  type ProtocolServer,
} from "../../src/testing/index.js";

/** A real client whose model is a local server that answers as told. */
export interface Summariser {
  server: ProtocolServer;
  model: ChatOpenAI;
  /** What it was asked, the newest last. */
  transcripts: () => string[];
}

/** Starts a server that answers call by call; the last answer goes on. */
export async function startSummariser(
  answers: readonly (
    | ModelReply
    | ((request: ModelRequest) => ModelReply | Promise<ModelReply>)
  )[],
  { contextWindow }: { contextWindow?: number } = {},
): Promise<Summariser> {
  const transcripts: string[] = [];
  const server = await startProtocolServer({
    ...(contextWindow === undefined ? {} : { contextWindow }),
    respond: (request) => {
      const call = transcripts.push(request.messages.at(-1)!.text) - 1;
      const answer = answers[Math.min(call, answers.length - 1)]!;
      return typeof answer === "function" ? answer(request) : answer;
    },
  });
  const model = new ChatOpenAI({
    model: "gpt-4.1-mini",
    apiKey: "unused",
    maxRetries: 0,
    configuration: { baseURL: server.baseURL },
  });
  return { server, model, transcripts: () => transcripts };
}

/** The same model, its answer put together from a stream. */
export function streamed(model: ChatOpenAI): SummarizationModel {
  return {
    invoke: async (messages, options) => {
      const chunks = [];
      for await (const chunk of await model.stream(messages, options)) {
        chunks.push(chunk);
      }
      return chunks.reduce((whole, chunk) => concat(whole, chunk));
    },
  };
}
