import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type ModelReply,
  type ProtocolServer,
  startProtocolServer,
} from "langchain-compaction/testing";
import { post, readEvents } from "./raw-requests.js";

const PATH = "/v1/chat/completions";

let server: ProtocolServer;
let reply: ModelReply = "Hello";

beforeAll(async () => {
  server = await startProtocolServer({
    respond: () => reply,
    contextWindow: 1_000,
  });
});
afterAll(() => server.close());

const user = { role: "user", content: "Hi" };
const call = (id: string, name = "weather") => ({
  id,
  type: "function",
  function: { name, arguments: '{"city":"Paris"}' },
});
const calls = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => call(id)),
});
const result = (id: string) => ({
  role: "tool",
  tool_call_id: id,
  content: "Rain.",
});
const body = (...messages: unknown[]) => ({ model: "gpt-4.1", messages });

describe("what chat completions accept", () => {
  it.each<[string, object]>([
    ["a user message", body(user)],
    [
      "instructions, also in the middle",
      body({ role: "developer", content: "Be short." }, user, {
        role: "system",
        content: "Shorter.",
      }),
    ],
    [
      "parallel calls answered in any order",
      body(user, calls("a", "b"), result("b"), result("a")),
    ],
    [
      "the same id again in a later turn",
      body(user, calls("a"), result("a"), user, calls("a"), result("a")),
    ],
    [
      "an assistant message first and last",
      body({ role: "assistant", content: "Hello" }),
    ],
    ["an empty text", body({ role: "user", content: "" })],
    ["an empty list of parts", body({ role: "assistant", content: [] }, user)],
    [
      "parts of every kind",
      body({
        role: "user",
        content: [
          { type: "text", text: "See" },
          { type: "image_url", image_url: { url: "data:," } },
        ],
      }),
    ],
    [
      "arguments that are no JSON",
      body(
        user,
        {
          ...calls("a"),
          tool_calls: [
            { ...call("a"), function: { name: "f", arguments: "{" } },
          ],
        },
        result("a"),
      ),
    ],
  ])("%s", async (_name, request) => {
    expect((await post(server, PATH, request)).status).toBe(200);
  });
});

describe("what chat completions refuse", () => {
  it.each<[string, object, string, string | null, string | null]>([
    [
      "no model",
      { messages: [user] },
      "you must provide a model parameter",
      null,
      null,
    ],
    [
      "no messages",
      { model: "m" },
      "Missing required parameter: 'messages'.",
      "messages",
      "missing_required_parameter",
    ],
    [
      "an empty list",
      body(),
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      "messages",
      "empty_array",
    ],
    [
      "an unknown role",
      body({ role: "human", content: "Hi" }),
      "Invalid value: 'human'. Supported values are: 'system', 'developer', 'user', 'assistant', 'tool', and 'function'.",
      "messages[0].role",
      "invalid_value",
    ],
    [
      "no content",
      body({ role: "user", content: null }),
      "Invalid value for 'content': expected a string, got null.",
      "messages.[0].content",
      null,
    ],
    [
      "an assistant message without anything",
      body(user, { role: "assistant" }),
      "Invalid value for 'content': expected a string, got null.",
      "messages.[1].content",
      null,
    ],
    [
      "content that is a number",
      body({ role: "user", content: 1 }),
      "Invalid type for 'messages[0].content': expected one of a string or array of objects, but got an integer instead.",
      "messages[0].content",
      "invalid_type",
    ],
    [
      "a part of another provider",
      body({ role: "assistant", content: [{ type: "tool_use" }] }),
      "Invalid value: 'tool_use'. Supported values are: 'text' and 'refusal'.",
      "messages[0].content[0]",
      "invalid_value",
    ],
    [
      "no call behind a result",
      body(user, result("a")),
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      "messages.[1].role",
      null,
    ],
    [
      "a result that a human message cut off",
      body(user, calls("a"), user, result("a")),
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a",
      "messages.[2].role",
      null,
    ],
    [
      "a half answered batch",
      body(user, calls("a", "b"), result("a")),
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b",
      "messages.[3].role",
      null,
    ],
    [
      "a result of another call",
      body(user, calls("a"), result("a"), result("c")),
      "Invalid parameter: 'tool_call_id' of 'c' not found in 'tool_calls' of previous message.",
      "messages.[3].tool_call_id",
      null,
    ],
    [
      "a doubled result",
      body(user, calls("a"), result("a"), result("a")),
      "Invalid parameter: Duplicate value for 'tool_call_id' of 'a', in messages[2] and messages[3].",
      "messages.[3].tool_call_id",
      null,
    ],
    [
      "a result without an id",
      body(user, calls("a"), { role: "tool", content: "x" }),
      "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
      "messages.[2].tool_call_id",
      null,
    ],
    [
      "an empty list of calls",
      body(user, { role: "assistant", content: "x", tool_calls: [] }),
      "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      "messages[1].tool_calls",
      "empty_array",
    ],
    [
      "a call without an id",
      body(user, {
        role: "assistant",
        tool_calls: [{ ...call("a"), id: undefined }],
      }),
      "Missing required parameter: 'messages[1].tool_calls[0].id'.",
      "messages[1].tool_calls[0].id",
      "missing_required_parameter",
    ],
    [
      "an empty id",
      body(user, calls("")),
      "Invalid 'messages[1].tool_calls[0].id': empty string. Expected a string with minimum length 1, but got an empty string instead.",
      "messages[1].tool_calls[0].id",
      "empty_string",
    ],
    [
      "an id that is too long",
      body(user, calls("x".repeat(41))),
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
      "messages[1].tool_calls[0].id",
      "string_above_max_length",
    ],
    [
      "arguments as an object",
      body(user, {
        role: "assistant",
        tool_calls: [{ ...call("a"), function: { name: "f", arguments: {} } }],
      }),
      "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
      "messages[1].tool_calls[0].function.arguments",
      "invalid_type",
    ],
    [
      "a function's name with a space",
      body(user, { role: "assistant", tool_calls: [call("a", "the weather")] }),
      "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      "messages[1].tool_calls[0].function.name",
      "invalid_value",
    ],
    [
      "a speaker's name with a space",
      body({ ...user, name: "the user" }),
      "Invalid 'messages[0].name': string does not match pattern. Expected a string that matches the pattern '^[^\\s<|\\\\/>]+$'.",
      "messages[0].name",
      "invalid_value",
    ],
    [
      "an empty list of tools",
      { ...body(user), tools: [] },
      "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      "tools",
      "empty_array",
    ],
    [
      "a tool whose schema is no object",
      {
        ...body(user),
        tools: [{ type: "function", function: { name: "f", parameters: {} } }],
      },
      "Invalid schema for function 'f': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.",
      "tools[0].function.parameters",
      "invalid_function_parameters",
    ],
    [
      "stream options without a stream",
      { ...body(user), stream_options: { include_usage: true } },
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      "stream_options",
      null,
    ],
    [
      "an overflow",
      body({ role: "user", content: "word ".repeat(1_100) }),
      "This model's maximum context length is 1000 tokens. However, your messages resulted in 1108 tokens. Please reduce the length of the messages.",
      "messages",
      "context_length_exceeded",
    ],
    [
      "an overflow with the reply",
      {
        ...body({ role: "user", content: "word ".repeat(900) }),
        max_completion_tokens: 500,
      },
      "This model's maximum context length is 1000 tokens. However, you requested 1408 tokens (908 in the messages, 500 in the completion). Please reduce the length of the messages or completion.",
      "messages",
      "context_length_exceeded",
    ],
    [
      "an overflow with tools",
      {
        ...body({ role: "user", content: "word ".repeat(1_100) }),
        tools: [{ type: "function", function: { name: "f" } }],
      },
      "This model's maximum context length is 1000 tokens. However, your messages resulted in 1129 tokens (1108 in the messages, 21 in the functions). Please reduce the length of the messages or functions.",
      "messages",
      "context_length_exceeded",
    ],
  ])("%s", async (_name, request, message, param, code) => {
    for (const stream of [false, true]) {
      const isStreamed = stream && !("stream_options" in request);
      const sent = isStreamed ? { ...request, stream } : request;
      const response = await post(server, PATH, sent);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        error: { message, type: "invalid_request_error", param, code },
      });
    }
  });
});

describe("a stream of chat completions", () => {
  const streamed = { ...body(user), stream: true };

  it("comes in as many pieces as the reply says and ends with [DONE]", async () => {
    reply = { text: "abcdef", chunks: 2 };
    const events = await readEvents(await post(server, PATH, streamed));
    const texts = events.map(({ data }) => contentOf(data));
    expect(texts).toEqual(["", "abc", "def", undefined, undefined]);
    expect(events.at(-1)).toEqual({ data: "[DONE]" });
  });

  it("never cuts a character in two", async () => {
    reply = { text: "😀😀😀", chunks: 6 };
    const events = await readEvents(await post(server, PATH, streamed));
    const texts = events.map(({ data }) => contentOf(data)).filter(Boolean);
    expect(texts).toEqual(["😀", "😀", "😀"]);
  });

  it("reports usage only where it was asked to", async () => {
    reply = "Hello";
    const usages = async (request: object) =>
      (await readEvents(await post(server, PATH, request)))
        .map(({ data }) => (typeof data === "string" ? null : data.usage))
        .filter(Boolean);
    expect(await usages(streamed)).toEqual([]);
    const asked = { ...streamed, stream_options: { include_usage: true } };
    expect(await usages(asked)).toEqual([
      expect.objectContaining({ prompt_tokens: 8, completion_tokens: 1 }),
    ]);
  });
});

function contentOf(data: unknown): string | undefined {
  const { choices } = data as {
    choices?: { delta: { content?: string } }[];
  };
  return choices?.[0]?.delta.content;
}
