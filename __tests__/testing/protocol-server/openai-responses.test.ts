import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type ModelReply,
  type ProtocolServer,
  startProtocolServer,
} from "langchain-compaction/testing";
import { post, readEvents } from "./raw-requests.js";

const PATH = "/v1/responses";

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
const call = (id: string) => ({
  type: "function_call",
  call_id: id,
  name: "weather",
  arguments: "{}",
});
const output = (id: string) => ({
  type: "function_call_output",
  call_id: id,
  output: "Rain.",
});
const thought = { type: "reasoning", id: "rs_1", summary: [] };
const answer = {
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: "Hello" }],
};
const body = (...input: unknown[]) => ({ model: "gpt-4.1", input });

describe("what Responses accept", () => {
  it.each<[string, object]>([
    ["a text alone", { model: "gpt-4.1", input: "Hi" }],
    [
      "messages of every role",
      body({ role: "developer", content: "Be short." }, user, answer, user),
    ],
    [
      "calls answered in any order",
      body(user, call("a"), call("b"), output("b"), output("a")),
    ],
    [
      "something between a call and its output",
      body(user, call("a"), user, answer, output("a")),
    ],
    [
      "the same call id again after its output",
      body(user, call("a"), output("a"), call("a"), output("a")),
    ],
    [
      "reasoning before an answer and before a call",
      body(
        user,
        thought,
        answer,
        { ...thought, id: "rs_2" },
        call("a"),
        output("a"),
      ),
    ],
    [
      "an item of a built-in tool",
      body(user, { type: "web_search_call", id: "ws_1" }),
    ],
  ])("%s", async (_name, request) => {
    expect((await post(server, PATH, request)).status).toBe(200);
  });
});

describe("what Responses refuse", () => {
  it.each<[string, object, string, string | null, string | null]>([
    [
      "no model",
      { input: "Hi" },
      "Missing required parameter: 'model'.",
      "model",
      "missing_required_parameter",
    ],
    [
      "no input",
      { model: "m" },
      "Missing required parameter: 'input'.",
      "input",
      "missing_required_parameter",
    ],
    [
      "an empty input",
      body(),
      "One of 'input', 'previous_response_id', 'prompt' or 'conversation' must be provided.",
      null,
      "missing_required_parameter",
    ],
    [
      "an unknown role",
      body({ role: "tool", content: "x" }),
      "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
      "input[0].role",
      "invalid_value",
    ],
    [
      "a part of chat completions",
      body({ role: "user", content: [{ type: "text", text: "Hi" }] }),
      "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
      "input[0].content[0]",
      "invalid_value",
    ],
    [
      "a call without an output",
      body(user, call("a")),
      "No tool output found for function call a.",
      "input",
      null,
    ],
    [
      "an output without a call",
      body(user, output("a")),
      "No tool call found for function call output with call_id a.",
      "input",
      null,
    ],
    [
      "an output before its call",
      body(user, output("a"), call("a")),
      "No tool call found for function call output with call_id a.",
      "input",
      null,
    ],
    [
      "a doubled output",
      body(user, call("a"), output("a"), output("a")),
      "No tool call found for function call output with call_id a.",
      "input",
      null,
    ],
    [
      "an empty call id",
      body(user, call("")),
      "Invalid 'input[1].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.",
      "input[1].call_id",
      "empty_string",
    ],
    [
      "a call id that is too long",
      body(user, call("x".repeat(65))),
      "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
      "input[1].call_id",
      "string_above_max_length",
    ],
    [
      "arguments as an object",
      body(user, { ...call("a"), arguments: {} }),
      "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
      "input[1].arguments",
      "invalid_type",
    ],
    [
      "an item id of another kind",
      body(user, { ...call("a"), id: "call_1" }),
      "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'.",
      "input[1].id",
      "invalid_value",
    ],
    [
      "an empty item id",
      body(user, { ...call("a"), id: "" }),
      "Invalid 'input[1].id': ''. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.",
      "input[1].id",
      "invalid_value",
    ],
    [
      "the same item twice",
      body(user, { ...answer, id: "msg_1" }, { ...answer, id: "msg_1" }),
      "Duplicate item found with id msg_1. Remove duplicate items from your input and try again.",
      "input",
      null,
    ],
    [
      "reasoning without what followed it",
      body(user, thought, user),
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
      "input",
      null,
    ],
    [
      "reasoning at the end",
      body(user, thought),
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
      "input",
      null,
    ],
    [
      "reasoning without a summary",
      body(user, { type: "reasoning", id: "rs_1" }, answer),
      "Missing required parameter: 'input[1].summary'.",
      "input[1].summary",
      "missing_required_parameter",
    ],
    [
      "a tool without a name",
      { ...body(user), tools: [{ type: "function" }] },
      "Missing required parameter: 'tools[0].name'.",
      "tools[0].name",
      "missing_required_parameter",
    ],
    [
      "an overflow",
      body({ role: "user", content: "word ".repeat(1_100) }),
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "input",
      "context_length_exceeded",
    ],
  ])("%s", async (_name, request, message, param, code) => {
    for (const stream of [false, true]) {
      const response = await post(server, PATH, { ...request, stream });
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        error: { message, type: "invalid_request_error", param, code },
      });
    }
  });

  it("an answer whose reasoning was taken out", async () => {
    reply = { text: "Hello", reasoning: "They greet me." };
    const first = await (await post(server, PATH, body(user))).json();
    const [reasoning, message] = (first as { output: { id: string }[] }).output;
    const again = body(user, reasoning, message, user);
    expect((await post(server, PATH, again)).status).toBe(200);
    const without = await post(server, PATH, body(user, message, user));
    expect(await without.json()).toMatchObject({
      error: {
        message: `Item '${message!.id}' of type 'message' was provided without its required 'reasoning' item: '${reasoning!.id}'.`,
      },
    });
  });
});

describe("a stream of Responses", () => {
  it("announces, fills and finishes each item in numbered events", async () => {
    reply = {
      text: "Hello",
      toolCalls: [{ name: "weather", args: {}, id: "a" }],
      chunks: 1,
    };
    const response = await post(server, PATH, { ...body(user), stream: true });
    const events = await readEvents(response);
    expect(events.map(({ event }) => event)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
    const numbers = events.map(({ data }) => Object(data).sequence_number);
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(events.at(-1)!.data).toMatchObject({
      response: { status: "completed", usage: { input_tokens: 8 } },
    });
  });
});
