import { afterEach, describe, expect, it } from "@jest/globals";
import { CompactionError } from "langchain-compaction";
import {
  type ModelReply,
  type ModelRequest,
  type ProtocolServer,
  type ProtocolServerOptions,
  type RecordedRequest,
  startProtocolServer,
} from "langchain-compaction/testing";
import { post } from "./raw-requests.js";

let server: ProtocolServer | undefined;
afterEach(() => server?.close());

async function start(
  respond: ProtocolServerOptions["respond"],
  options?: Partial<ProtocolServerOptions>,
): Promise<ProtocolServer> {
  server = await startProtocolServer({ respond, ...options });
  return server;
}

// The same conversation in each protocol.
const schema = { type: "object", properties: { city: { type: "string" } } };
const REQUESTS = {
  openai: {
    path: "/v1/chat/completions",
    body: {
      model: "m",
      messages: [
        { role: "system", content: "Be short." },
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: "I look.",
          tool_calls: [
            {
              id: "a",
              type: "function",
              function: { name: "weather", arguments: '{"city":"Paris"}' },
            },
          ],
        },
        { role: "tool", tool_call_id: "a", content: "Rain." },
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "weather",
            description: "Says it.",
            parameters: schema,
          },
        },
      ],
    },
  },
  "openai-responses": {
    path: "/v1/responses",
    body: {
      model: "m",
      instructions: "Be short.",
      input: [
        { role: "user", content: "Weather?" },
        { role: "assistant", content: "I look." },
        {
          type: "function_call",
          call_id: "a",
          name: "weather",
          arguments: '{"city":"Paris"}',
        },
        { type: "function_call_output", call_id: "a", output: "Rain." },
      ],
      tools: [
        {
          type: "function",
          name: "weather",
          description: "Says it.",
          parameters: schema,
        },
      ],
    },
  },
  anthropic: {
    path: "/v1/messages",
    body: {
      model: "m",
      max_tokens: 100,
      system: "Be short.",
      messages: [
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            {
              type: "tool_use",
              id: "a",
              name: "weather",
              input: { city: "Paris" },
            },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "a", content: "Rain." },
          ],
        },
      ],
      tools: [
        { name: "weather", description: "Says it.", input_schema: schema },
      ],
    },
  },
};

describe("startProtocolServer", () => {
  it.each<[string, unknown]>([
    ["respond", { respond: "Hello" }],
    ["contextWindow", { respond: () => "Hello", contextWindow: 0 }],
    ["contextWindow", { respond: () => "Hello", contextWindow: 1.5 }],
    ["onRequest", { respond: () => "Hello", onRequest: "log" }],
    ["window", { respond: () => "Hello", window: 8_000 }],
    ["its options as an object", undefined],
  ])("refuses a wrong %s", async (option, options) => {
    const started = startProtocolServer(options as ProtocolServerOptions);
    const error: unknown = await started.catch((reason: unknown) => reason);
    expect(CompactionError.isInstance(error) && error.code).toBe(
      "INVALID_OPTION",
    );
    expect(String(error)).toContain(option);
  });

  it.each(Object.entries(REQUESTS))(
    "shows the model the same request in %s",
    async (protocol, { path, body }) => {
      let seen: ModelRequest | undefined;
      await start((request) => {
        seen = request;
        return "Rain.";
      });
      await post(server!, path, body);
      expect(seen).toEqual({
        protocol,
        model: "m",
        stream: false,
        system: "Be short.",
        messages: [
          { role: "user", text: "Weather?", media: 0 },
          {
            role: "assistant",
            text: "I look.",
            reasoning: "",
            toolCalls: [
              {
                id: "a",
                name: "weather",
                args: { city: "Paris" },
                argsText: '{"city":"Paris"}',
              },
            ],
          },
          { role: "tool", toolCallId: "a", text: "Rain.", media: 0 },
        ],
        tools: [
          { name: "weather", description: "Says it.", parameters: schema },
        ],
        inputTokens: 76,
        signal: expect.any(AbortSignal),
      });
    },
  );

  it("records each request and tells of it", async () => {
    const replies: ModelReply[] = ["Hello there", { status: 503 }];
    const told: RecordedRequest[] = [];
    await start(() => replies.shift()!, {
      onRequest: (request) => told.push(request),
    });
    const { path, body } = REQUESTS.openai;
    await post(server!, path, body);
    await post(server!, path, body);
    await post(server!, path, { ...body, messages: [] });
    expect(server!.requests).toEqual([
      {
        protocol: "openai",
        stream: false,
        body,
        outcome: "answered",
        status: 200,
        inputTokens: 76,
        outputTokens: 2,
      },
      expect.objectContaining({
        outcome: "failed",
        status: 503,
        inputTokens: 76,
        outputTokens: 0,
      }),
      expect.objectContaining({
        outcome: "refused",
        status: 400,
        inputTokens: 0,
        error: expect.objectContaining({ code: "empty_array" }),
      }),
    ]);
    expect(told).toEqual(server!.requests);
  });

  it("answers 404 elsewhere and 400 to what is no JSON", async () => {
    await start(() => "Hello");
    expect((await post(server!, "/v1/embeddings", {})).status).toBe(404);
    const { path } = REQUESTS.anthropic;
    expect((await post(server!, path, "{")).status).toBe(400);
    expect(server!.requests).toEqual([]);
  });

  it.each<[keyof typeof REQUESTS, number, string]>([
    ["openai", 429, "requests"],
    ["openai", 500, "server_error"],
    ["openai-responses", 401, "invalid_request_error"],
    ["anthropic", 429, "rate_limit_error"],
    ["anthropic", 529, "overloaded_error"],
    ["anthropic", 502, "api_error"],
  ])("fails as asked: %s with %i", async (protocol, status, type) => {
    await start(() => ({ status, message: "Not now." }));
    const { path, body } = REQUESTS[protocol];
    const response = await post(server!, path, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { type, message: "Not now." },
    });
  });

  it("turns an error of respond into status 500", async () => {
    await start(() => {
      throw new Error("I have no idea.");
    });
    const { path, body } = REQUESTS.openai;
    const response = await post(server!, path, body);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain("I have no idea.");
  });

  it("turns a reply that is none into status 500", async () => {
    await start(() => undefined as unknown as ModelReply);
    const { path, body } = REQUESTS.openai;
    const response = await post(server!, path, body);
    expect(response.status).toBe(500);
    expect(await response.text()).toContain("respond failed");
  });

  it("drops the connection where a listener fails", async () => {
    await start(() => "Hello", {
      onRequest: () => {
        throw new Error("I fail.");
      },
    });
    const { path, body } = REQUESTS.openai;
    await expect(post(server!, path, body)).rejects.toThrow("fetch failed");
  });

  it("stalls until the client goes away", async () => {
    const leave = new AbortController();
    let gone: Promise<unknown> | undefined;
    await start(
      ({ signal }) => {
        gone = new Promise((resolve) => {
          signal.addEventListener("abort", resolve);
        });
        return { stall: true };
      },
      { onRequest: () => leave.abort() },
    );
    const { path, body } = REQUESTS.openai;
    const request = fetch(`${server!.anthropicURL}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      signal: leave.signal,
    });
    await expect(request).rejects.toThrow("aborted");
    await gone;
    expect(server!.requests).toMatchObject([{ outcome: "stalled", status: 0 }]);
  });

  it("closes in the middle of a stalled request, and twice", async () => {
    let closed: Promise<void> | undefined;
    await start(() => ({ stall: true }), {
      onRequest: () => {
        closed = server!.close();
      },
    });
    const { path, body } = REQUESTS.openai;
    await expect(post(server!, path, body)).rejects.toThrow("fetch failed");
    await closed;
    await server!.close();
  });
});
