import { ChatOpenAI } from "@langchain/openai";
import {
  type ModelReply,
  type ModelRequest,
  startProtocolServer,
} from "langchain-compaction/testing";
import { auditor } from "../demo/auditor.js";

/** A model for the examples: OpenAI's where a key is set, else a local stand-in behind the same client. */
export async function exampleModel(): Promise<ChatOpenAI> {
  const model = "gpt-4.1-mini";
  if (process.env.OPENAI_API_KEY) {
    return new ChatOpenAI({ model });
  }
  const { baseURL } = await startProtocolServer({ respond: standIn });
  return new ChatOpenAI({
    model,
    apiKey: "not needed here",
    configuration: { baseURL },
  });
}

function standIn(request: ModelRequest): ModelReply {
  if (request.tools.length > 0) {
    return auditor(request);
  }
  const { messages, inputTokens } = request;
  const question = messages.at(-1)?.text;
  return `I was shown ${messages.length} messages, ${inputTokens} tokens. You asked: ${question}`;
}
