import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type ModelReply,
  type ProtocolServer,
  startProtocolServer,
} from "langchain-compaction/testing";
import { post, readEvents } from "./raw-requests.js";

const PATH = "/v1/messages";

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
const use = (id: string) => ({
  type: "tool_use",
  id,
  name: "weather",
  input: { city: "Paris" },
});
const result = (id: string) => ({
  type: "tool_result",
  tool_use_id: id,
  content: "Rain.",
});
const text = (words: string) => ({ type: "text", text: words });
const assistant = (...content: unknown[]) => ({ role: "assistant", content });
const human = (...content: unknown[]) => ({ role: "user", content });
const body = (...messages: unknown[]) => ({
  model: "claude-sonnet-4-5",
  max_tokens: 100,
  messages,
});
const thinking = { thinking: { type: "enabled", budget_tokens: 1_024 } };
const thought = { type: "thinking", thinking: "Hm.", signature: "EqQB" };

describe("what messages accept", () => {
  it.each<[string, object]>([
    ["a user message", body(user)],
    ["instructions", { ...body(user), system: [text("Be short.")] }],
    ["two user messages in a row", body(user, user)],
    [
      "parallel calls answered in any order",
      body(
        user,
        assistant(use("a"), use("b")),
        human(result("b"), result("a")),
      ),
    ],
    [
      "results spread over neighbouring messages",
      body(
        user,
        assistant(use("a"), use("b")),
        human(result("a")),
        human(result("b")),
      ),
    ],
    [
      "words behind the results",
      body(user, assistant(use("a")), human(result("a"), text("And now?"))),
    ],
    ["an empty last assistant message", body(user, assistant())],
    [
      "a result without content",
      body(
        user,
        assistant(use("a")),
        human({ type: "tool_result", tool_use_id: "a" }),
      ),
    ],
    [
      "thinking before the call of the step under way",
      {
        ...body(user, assistant(thought, use("a")), human(result("a"))),
        ...thinking,
      },
    ],
    [
      "no thinking in steps that are over",
      {
        ...body(
          user,
          assistant(use("a")),
          human(result("a")),
          assistant(text("Rain.")),
          user,
        ),
        ...thinking,
      },
    ],
  ])("%s", async (_name, request) => {
    expect((await post(server, PATH, request)).status).toBe(200);
  });
});

describe("what messages refuse", () => {
  it.each<[string, object, string]>([
    ["no model", { ...body(user), model: undefined }, "model: Field required"],
    [
      "no limit",
      { ...body(user), max_tokens: undefined },
      "max_tokens: Field required",
    ],
    ["no messages", { model: "m", max_tokens: 1 }, "messages: Field required"],
    ["an empty list", body(), "messages: at least one message is required"],
    [
      "a system message in the list",
      body(user, { role: "system", content: "Be short." }),
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    ],
    [
      "a role of another provider",
      body({ role: "tool", content: "x" }),
      "messages.0.role: Input should be 'user' or 'assistant'",
    ],
    [
      "an assistant message first",
      body(assistant(text("Hello"))),
      'messages: first message must use the "user" role',
    ],
    [
      "an empty user message",
      body({ role: "user", content: "" }),
      "messages.0: user messages must have non-empty content",
    ],
    [
      "an empty assistant message",
      body(user, assistant(), user),
      "messages.1: all messages must have non-empty content except for the optional final assistant message",
    ],
    [
      "an empty text",
      body(human(text(""))),
      "messages: text content blocks must be non-empty",
    ],
    [
      "blanks alone",
      body({ role: "user", content: " \n" }),
      "messages: text content blocks must contain non-whitespace text",
    ],
    [
      "an empty text in a result",
      body(
        user,
        assistant(use("a")),
        human({ ...result("a"), content: [text("")] }),
      ),
      "messages: text content blocks must be non-empty",
    ],
    [
      "an empty system text",
      { ...body(user), system: [text("")] },
      "system: text content blocks must be non-empty",
    ],
    [
      "a last assistant message that ends in a blank",
      body(user, assistant(text("Hello "))),
      "messages: final assistant content cannot end with trailing whitespace",
    ],
    [
      "a block of another provider",
      body(human({ type: "image_url" })),
      "messages.0.content.0: Input tag 'image_url' found using 'type' does not match any of the expected tags:",
    ],
    [
      "a call of the user",
      body(human(use("a"))),
      "messages.0: `tool_use` blocks can only be in `assistant` messages",
    ],
    [
      "a result of the assistant",
      body(user, assistant(result("a"))),
      "messages.1: `tool_result` blocks can only be in `user` messages",
    ],
    [
      "a call without a result",
      body(user, assistant(use("a"))),
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "a half answered batch",
      body(user, assistant(use("a"), use("b")), human(result("a"))),
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "words before the results",
      body(user, assistant(use("a")), human(text("So?"), result("a"))),
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "a result too late",
      body(
        user,
        assistant(use("a")),
        user,
        assistant(text("Hm.")),
        human(result("a")),
      ),
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "a result without a call",
      body(human(result("a"))),
      "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ],
    [
      "a doubled result",
      body(user, assistant(use("a")), human(result("a"), result("a"))),
      "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
    ],
    [
      "a doubled call",
      body(user, assistant(use("a"), use("a")), human(result("a"))),
      "messages.1.content.1: `tool_use` ids must be unique",
    ],
    [
      "an id that recurs",
      body(
        user,
        assistant(use("a")),
        human(result("a")),
        assistant(use("a")),
        human(result("a")),
      ),
      "messages.3.content.0: `tool_use` ids must be unique",
    ],
    [
      "an id of the wrong form",
      body(user, assistant(use("a b"))),
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      "input as a text",
      body(user, assistant({ ...use("a"), input: "{}" })),
      "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ],
    [
      "thinking without a signature",
      body(user, assistant({ ...thought, signature: undefined })),
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    ],
    [
      "a step under way without its thinking",
      { ...body(user, assistant(use("a")), human(result("a"))), ...thinking },
      "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
    ],
    [
      "a tool without a schema",
      { ...body(user), tools: [{ name: "f" }] },
      "tools.0.custom.input_schema.type: Field required",
    ],
    [
      "two tools of one name",
      {
        ...body(user),
        tools: [
          { name: "f", input_schema: { type: "object" } },
          { name: "f", input_schema: { type: "object" } },
        ],
      },
      "tools: Tool names must be unique.",
    ],
    [
      "an overflow",
      body({ role: "user", content: "word ".repeat(1_100) }),
      "prompt is too long: 1108 tokens > 1000 maximum",
    ],
  ])("%s", async (_name, request, message) => {
    for (const stream of [false, true]) {
      const response = await post(server, PATH, { ...request, stream });
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        type: "error",
        error: {
          type: "invalid_request_error",
          message: expect.stringContaining(message),
        },
      });
    }
  });

  it("a thinking block of its own that was altered", async () => {
    reply = { text: "Hello", reasoning: "They greet me." };
    const first = await (await post(server, PATH, body(user))).json();
    const { content } = first as { content: { thinking: string }[] };
    const again = body(user, assistant(...content), user);
    expect((await post(server, PATH, again)).status).toBe(200);
    const altered = { ...content[0], thinking: "They shout." };
    const changed = body(user, assistant(altered, content[1]), user);
    expect(await (await post(server, PATH, changed)).json()).toMatchObject({
      error: {
        message:
          "messages.1.content.0: Invalid `signature` in `thinking` block",
      },
    });
  });
});

describe("a stream of messages", () => {
  it("starts, fills and stops each block", async () => {
    reply = {
      text: "Hello",
      toolCalls: [{ name: "weather", args: { city: "Paris" } }],
      chunks: 1,
    };
    const response = await post(server, PATH, { ...body(user), stream: true });
    const events = await readEvents(response);
    expect(events.map(({ event }) => event)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(events[0]!.data).toMatchObject({
      message: { usage: { input_tokens: 8 } },
    });
    expect(events.at(-2)!.data).toMatchObject({
      delta: { stop_reason: "tool_use" },
    });
  });
});
