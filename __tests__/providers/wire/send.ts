import { ChatAnthropic } from "@langchain/anthropic";
import { ChatBedrockConverse } from "@langchain/aws";
import type { BaseMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import { ChatMistralAI } from "@langchain/mistralai";
import { ChatOllama } from "@langchain/ollama";
import { ChatOpenAI } from "@langchain/openai";
import type { Json, WireProvider } from "./wire-provider.js";

/**
 * The request body that the real LangChain client sends for these messages.
 *
 * Each client is the one that users make, with a transport that keeps the
 * body and answers "ok". What the client throws before it sends comes through.
 */
export function sendWith(
  provider: WireProvider,
  messages: readonly BaseMessage[],
): Promise<Json> {
  return SENDERS[provider]([...messages]);
}

type Sender = (messages: BaseMessage[]) => Promise<Json>;

const SENDERS: Readonly<Record<WireProvider, Sender>> = {
  openai: openAISender(false, {
    id: "chatcmpl-1",
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "ok" },
        finish_reason: "stop",
      },
    ],
  }),
  "openai-responses": openAISender(true, {
    id: "resp_1",
    object: "response",
    status: "completed",
    output: [],
  }),
  anthropic: anthropicSender(),
  gemini: geminiSender(),
  mistral: mistralSender(),
  bedrock: bedrockSender(),
  ollama: ollamaSender(),
};

function openAISender(useResponsesApi: boolean, reply: Json): Sender {
  const transport = recorder(reply);
  const model = new ChatOpenAI({
    model: useResponsesApi ? "gpt-5" : "gpt-4.1",
    apiKey: "none",
    maxRetries: 0,
    useResponsesApi,
    configuration: { fetch: transport.fetch },
  });
  return sendingBy(model, transport);
}

function anthropicSender(): Sender {
  const transport = recorder({
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "ok" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  const model = new ChatAnthropic({
    model: "claude-opus-4-8",
    apiKey: "none",
    maxRetries: 0,
    clientOptions: { fetch: transport.fetch },
  });
  return sendingBy(model, transport);
}

function geminiSender(): Sender {
  const transport = recorder({
    candidates: [
      {
        content: { role: "model", parts: [{ text: "ok" }] },
        finishReason: "STOP",
      },
    ],
  });
  const model = new ChatGoogleGenerativeAI({
    model: "gemini-2.5-flash",
    apiKey: "none",
    maxRetries: 0,
  });
  const send = sendingBy(model, transport);
  return async (messages) => {
    // This client takes no transport of its own.
    const realFetch = globalThis.fetch;
    globalThis.fetch = transport.fetch;
    try {
      return await send(messages);
    } finally {
      globalThis.fetch = realFetch;
    }
  };
}

function mistralSender(): Sender {
  const transport = recorder({
    id: "1",
    object: "chat.completion",
    model: "mistral-large-latest",
    created: 0,
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "ok" },
        finish_reason: "stop",
      },
    ],
  });
  const model = new ChatMistralAI({
    model: "mistral-large-latest",
    apiKey: "none",
    maxRetries: 0,
    httpClient: {
      request: transport.fetch,
    } as unknown as ChatMistralAI["httpClient"],
  });
  return sendingBy(model, transport);
}

function bedrockSender(): Sender {
  const transport = recorder({});
  const client = {
    config: {},
    send: async (command: { input: Json }): Promise<Json> => {
      transport.keep(command.input);
      return {
        output: { message: { role: "assistant", content: [{ text: "ok" }] } },
        stopReason: "end_turn",
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        metrics: { latencyMs: 1 },
        $metadata: {},
      };
    },
  };
  const model = new ChatBedrockConverse({
    model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    region: "us-east-1",
    client: client as unknown as ChatBedrockConverse["client"],
  });
  return sendingBy(model, transport);
}

function ollamaSender(): Sender {
  const transport = recorder({
    model: "llama3",
    message: { role: "assistant", content: "ok" },
    done: true,
  });
  return sendingBy(
    new ChatOllama({ model: "llama3", fetch: transport.fetch }),
    transport,
  );
}

interface Recorder {
  fetch: typeof fetch;
  keep(body: Json): void;
  taken(): Json;
}

/** A transport that keeps the last body and answers with one fixed reply. */
function recorder(reply: Json): Recorder {
  let body: Json;
  return {
    fetch: async (input, init) => {
      const sent =
        input instanceof Request ? input : new Request(input as string, init);
      body = JSON.parse(await sent.text());
      return new Response(`${JSON.stringify(reply)}\n`, {
        headers: { "content-type": "application/json" },
      });
    },
    keep: (sent) => {
      body = sent;
    },
    taken: () => {
      const sent = body;
      body = undefined;
      return sent;
    },
  };
}

function sendingBy(
  model: { invoke(messages: BaseMessage[]): Promise<unknown> },
  transport: Recorder,
): Sender {
  return async (messages) => {
    await model.invoke(messages);
    return transport.taken();
  };
}
