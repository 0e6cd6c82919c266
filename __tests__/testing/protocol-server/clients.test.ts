import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import {
  type ModelReply,
  type ModelRequest,
  type ProtocolServer,
  startProtocolServer,
} from "langchain-compaction/testing";
import { CALLS, CLIENTS, clientNames, weather } from "./clients.js";

let server: ProtocolServer;
let reply: ModelReply;
let seen: ModelRequest;
let leave = new AbortController();

beforeAll(async () => {
  server = await startProtocolServer({
    contextWindow: 2_000,
    respond: (request) => {
      seen = request;
      return reply;
    },
    onRequest: ({ outcome }) => outcome === "stalled" && leave.abort(),
  });
});
afterAll(() => server.close());

const ways = clientNames.flatMap((client) =>
  (["invoke", "stream"] as const).map((way) => [client, way] as const),
);

describe.each(ways)("the real client: %s, %s", (name, way) => {
  const model = () => CLIENTS[name](server);
  const call = CALLS[way];

  it("gets a text and its usage", async () => {
    reply = "Grüße 😀 from here";
    const message = await call(model(), "Hi");
    expect(message.text).toBe("Grüße 😀 from here");
    expect(seen.protocol).toBe(name);
    expect(seen.stream).toBe(way === "stream");
    const { inputTokens, outputTokens } = server.requests.at(-1)!;
    expect(inputTokens).toBe(8);
    expect(message.usage_metadata).toMatchObject({
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    });
  });

  it("gets parallel calls, answers them and goes on", async () => {
    const cities = ["Paris", "Rome"];
    reply = {
      text: "I look.",
      reasoning: "Two cities.",
      toolCalls: cities.map((city) => ({ name: "weather", args: { city } })),
    };
    const bound = model().bindTools([weather]);
    const question = new HumanMessage("Weather?");
    const message = await call(bound, [question]);
    expect(message.tool_calls?.map(({ args }) => args.city)).toEqual(cities);
    expect(seen.tools.map((tool) => tool.name)).toEqual(["weather"]);

    reply = "It rains.";
    const results = message.tool_calls!.map(
      ({ id }) => new ToolMessage({ tool_call_id: id!, content: "Rain." }),
    );
    const last = await call(bound, [question, message, ...results]);
    expect(last.text).toBe("It rains.");
    expect(seen.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
    ]);
  });

  it("gets a refusal", async () => {
    reply = { refusal: "I must not." };
    const { text, additional_kwargs, response_metadata } = await call(
      model(),
      "Hi",
    );
    const stop = response_metadata.stop_reason ?? additional_kwargs.stop_reason;
    // Chat completions of this client drop the words of a refusal.
    const refusals = {
      openai: [text, server.requests.at(-1)!.outcome],
      "openai-responses": additional_kwargs.refusal,
      anthropic: [text, stop],
    };
    expect(refusals[name]).toEqual(
      {
        openai: ["", "answered"],
        "openai-responses": "I must not.",
        anthropic: ["I must not.", "refusal"],
      }[name],
    );
  });

  it("gets nothing at all", async () => {
    reply = {};
    const message = await call(model(), "Hi");
    expect(message.text).toBe("");
    expect(message.tool_calls).toEqual([]);
    expect(message.usage_metadata?.output_tokens).toBe(
      name === "openai" && way === "invoke" ? undefined : 0,
    );
  });

  it("recognises an overflow", async () => {
    const error = await call(model(), "word ".repeat(3_000)).catch(
      (reason: unknown) => reason,
    );
    expect(ContextOverflowError.isInstance(error)).toBe(true);
  });

  it("recognises an unanswered call as no overflow", async () => {
    const asked = new AIMessage({
      content: "I look.",
      tool_calls: [{ id: "a", name: "weather", args: {}, type: "tool_call" }],
    });
    const error = await call(model().bindTools([weather]), [
      new HumanMessage("Weather?"),
      asked,
      new HumanMessage("Well?"),
    ]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 400 });
    expect(ContextOverflowError.isInstance(error)).toBe(false);
  });

  it("passes a failure on", async () => {
    reply = { status: 503 };
    await expect(call(model(), "Hi")).rejects.toMatchObject({ status: 503 });
  });

  it("gives up on a model that stalls", async () => {
    reply = { stall: true };
    leave = new AbortController();
    const bound = model().withConfig({ signal: leave.signal });
    await expect(call(bound, "Hi")).rejects.toThrow();
    expect(server.requests.at(-1)!.outcome).toBe("stalled");
  });
});
