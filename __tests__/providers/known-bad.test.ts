import { describe, expect, it } from "@jest/globals";
import { REFUSALS_BY } from "./wire/check-wire.js";
import type { Json, WireProvider } from "./wire/wire-provider.js";

// Each checker proves itself here, before it judges anything of ours: it takes
// a good payload, and refuses it with the provider's own error once it is broken.

const user = (content: Json = "hello"): Json => ({ role: "user", content });

const openaiCall = (...ids: string[]): Json => ({
  role: "assistant",
  content: "",
  tool_calls: ids.map((id) => ({
    id,
    type: "function",
    function: { name: "look_up", arguments: "{}" },
  })),
});
const openaiResult = (id?: string): Json => ({
  role: "tool",
  content: "r",
  tool_call_id: id,
});

const item = {
  user: { type: "message", role: "user", content: "hello" },
  call: (id: string): Json => ({
    type: "function_call",
    name: "f",
    arguments: "{}",
    call_id: id,
  }),
  output: (id: string): Json => ({
    type: "function_call_output",
    call_id: id,
    output: "r",
  }),
  reasoning: { type: "reasoning", id: "rs_1", summary: [] },
};

const use = (...ids: string[]): Json => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "f", input: {} })),
});
const toolResult = (id: string): Json => ({
  type: "tool_result",
  tool_use_id: id,
  content: "r",
});
const results = (...ids: string[]): Json => user(ids.map(toolResult));
const text = (value: string): Json => ({ type: "text", text: value });

const geminiUser: Json = { role: "user", parts: [{ text: "hello" }] };
const geminiCall = (times = 1): Json => ({
  role: "model",
  parts: Array.from({ length: times }, () => ({
    functionCall: { name: "f", args: {} },
  })),
});
const geminiResponse: Json = {
  role: "user",
  parts: [{ functionResponse: { name: "f", response: { result: "r" } } }],
};

const mistralCall = (...ids: string[]): Json => ({
  role: "assistant",
  tool_calls: ids.map((id) => ({
    id,
    function: { name: "f", arguments: "{}" },
  })),
});
const mistralResult = (id?: string): Json => ({
  role: "tool",
  content: "r",
  tool_call_id: id,
});

const bedrockUser = (content: Json[] = [{ text: "hello" }]): Json =>
  user(content);
const bedrockUse = (...ids: string[]): Json => ({
  role: "assistant",
  content: ids.map((toolUseId) => ({
    toolUse: { toolUseId, name: "f", input: {} },
  })),
});
const bedrockResults = (...ids: string[]): Json =>
  user(
    ids.map((toolUseId) => ({
      toolResult: { toolUseId, content: [{ text: "r" }] },
    })),
  );

const messages = (...list: Json[]): Json => ({ messages: list });
const input = (...list: Json[]): Json => ({ input: list });
const contents = (...list: Json[]): Json => ({ contents: list });

const GOOD: Readonly<Record<WireProvider, readonly Json[]>> = {
  openai: [
    messages(user()),
    messages({ role: "assistant", content: "hi" }, user(), user()),
    messages(
      user(),
      openaiCall("a", "b"),
      openaiResult("b"),
      openaiResult("a"),
      user(),
    ),
  ],
  "openai-responses": [
    input(item.user),
    input(item.user, item.call("a"), item.user, item.output("a")),
    input(item.user, item.reasoning, item.call("a"), item.output("a")),
    input(
      item.user,
      item.call("a"),
      item.output("a"),
      item.call("a"),
      item.output("a"),
    ),
  ],
  anthropic: [
    messages(user()),
    messages({ role: "assistant", content: "hi" }, user(), user("more")),
    messages(user(), use("a", "b"), results("b"), results("a"), user("go on")),
    messages(user(), use("a"), use("b"), results("a", "b")),
    messages(user(), use("a"), results("a"), use("a"), results("a")),
    messages(user(), use("a"), results("a"), {
      role: "system",
      content: "be brief",
    }),
  ],
  gemini: [
    contents(geminiUser),
    contents(
      geminiUser,
      geminiCall(2),
      geminiResponse,
      geminiResponse,
      geminiUser,
    ),
    contents(
      geminiUser,
      geminiCall(),
      geminiCall(),
      geminiResponse,
      geminiResponse,
    ),
  ],
  mistral: [
    messages(user()),
    messages(user(), mistralCall("abcdefghi"), mistralResult("abcdefghi")),
    messages({ role: "assistant", content: "hi" }, user(), user()),
  ],
  bedrock: [
    messages(bedrockUser()),
    messages(bedrockUser(), bedrockUse("a", "b"), bedrockResults("b", "a")),
  ],
  ollama: [messages(user(), { role: "tool", content: "r" })],
};

const BAD: readonly (readonly [WireProvider, string, Json, RegExp])[] = [
  ["openai", "no message", messages(), /empty array/],
  [
    "openai",
    "a call without its result",
    messages(user(), openaiCall("a"), user()),
    /did not have response messages: a/,
  ],
  [
    "openai",
    "one of two results",
    messages(user(), openaiCall("a", "b"), openaiResult("a")),
    /did not have response messages: b/,
  ],
  [
    "openai",
    "a user message between call and result",
    messages(user(), openaiCall("a"), user(), openaiResult("a")),
    /must be followed by tool messages/,
  ],
  [
    "openai",
    "a result without a call",
    messages(user(), openaiResult("a")),
    /must be a response to a preceeding message/,
  ],
  [
    "openai",
    "a result of another call",
    messages(user(), openaiCall("a"), openaiResult("a"), openaiResult("b")),
    /'tool_call_id' of 'b' not found/,
  ],
  [
    "openai",
    "two results for one call",
    messages(user(), openaiCall("a"), openaiResult("a"), openaiResult("a")),
    /Duplicate value for 'tool_call_id' of 'a'/,
  ],
  [
    "openai",
    "a result without an id",
    messages(user(), openaiCall("a"), openaiResult()),
    /tool_call_id/,
  ],
  [
    "openai",
    "an id of 41 characters",
    messages(user(), openaiCall("x".repeat(41)), openaiResult("x".repeat(41))),
    /maximum length 40/,
  ],
  [
    "openai",
    "an image in a tool result",
    messages(user(), openaiCall("a"), {
      ...openaiResult("a"),
      content: [{ type: "image_url", image_url: { url: "data:," } }],
    }),
    /Image URLs are only allowed/,
  ],
  [
    "openai",
    "a block of another provider",
    messages(user([{ type: "tool_result" }])),
    /Invalid value: 'tool_result'/,
  ],

  ["openai-responses", "nothing", input(), /empty array/],
  [
    "openai-responses",
    "a call without its output",
    input(item.user, item.call("a"), item.user),
    /No tool output found for function call a/,
  ],
  [
    "openai-responses",
    "an output without its call",
    input(item.user, item.output("a")),
    /No tool call found for function call output with call_id a/,
  ],
  [
    "openai-responses",
    "an output before its call",
    input(item.user, item.output("a"), item.call("a")),
    /No tool call found/,
  ],
  [
    "openai-responses",
    "two outputs for one call",
    input(item.user, item.call("a"), item.output("a"), item.output("a")),
    /No tool call found/,
  ],
  [
    "openai-responses",
    "an id of 65 characters",
    input(item.user, item.call("x".repeat(65)), item.output("x".repeat(65))),
    /maximum length 64/,
  ],
  [
    "openai-responses",
    "an empty id",
    input(item.user, item.call(""), item.output("")),
    /minimum length 1/,
  ],
  [
    "openai-responses",
    "reasoning without what followed it",
    input(item.user, item.reasoning, item.user),
    /without its required following item/,
  ],
  [
    "openai-responses",
    "one item twice",
    input(
      item.user,
      item.reasoning,
      item.call("a"),
      item.output("a"),
      item.reasoning,
      item.call("a"),
      item.output("a"),
    ),
    /Duplicate item found with id rs_1/,
  ],

  ["anthropic", "no message", messages(), /at least one message/],
  [
    "anthropic",
    "a call without its result",
    messages(user(), use("a"), user()),
    /were found without `tool_result` blocks immediately after: a/,
  ],
  [
    "anthropic",
    "text before the result",
    messages(user(), use("a"), user("wait"), results("a")),
    /were found without `tool_result`/,
  ],
  [
    "anthropic",
    "a result one turn late",
    messages(
      user(),
      use("a", "b"),
      results("a"),
      { role: "assistant", content: "so" },
      results("b"),
    ),
    /unexpected `tool_use_id`/,
  ],
  [
    "anthropic",
    "a result without a call",
    messages(results("a")),
    /unexpected `tool_use_id`/,
  ],
  [
    "anthropic",
    "two results for one call",
    messages(user(), use("a"), results("a", "a")),
    /must have a single result/,
  ],
  [
    "anthropic",
    "one id twice in a turn",
    messages(user(), use("a", "a"), results("a")),
    /ids must be unique/,
  ],
  [
    "anthropic",
    "an id with a colon",
    messages(user(), use("a:1"), results("a:1")),
    /should match pattern/i,
  ],
  [
    "anthropic",
    "an empty user message",
    messages(user("")),
    /non-empty content/,
  ],
  [
    "anthropic",
    "an empty assistant message",
    messages(user(), { role: "assistant", content: [] }, user()),
    /non-empty content/,
  ],
  [
    "anthropic",
    "an empty text block",
    messages(user([text("")])),
    /text content blocks must be non-empty/,
  ],
  [
    "anthropic",
    "a blank text block",
    messages(user([text(" \n")])),
    /non-whitespace/,
  ],
  [
    "anthropic",
    "unsigned thinking",
    messages(
      user(),
      {
        role: "assistant",
        content: [{ type: "thinking", thinking: "x" }, text("hi")],
      },
      user(),
    ),
    /signature: Field required/,
  ],
  [
    "anthropic",
    "thinking behind a call",
    messages(
      user(),
      {
        role: "assistant",
        content: [
          text("hi"),
          { type: "thinking", thinking: "x", signature: "s" },
          ...use("a").content,
        ],
      },
      results("a"),
    ),
    /Expected `thinking`/,
  ],
  [
    "anthropic",
    "the assistant last",
    messages(user(), { role: "assistant", content: "hi" }),
    /must end with a user message/,
  ],
  [
    "anthropic",
    "a system message behind the assistant",
    messages(
      user(),
      { role: "assistant", content: "hi" },
      { role: "system", content: "x" },
      user(),
    ),
    /must immediately follow a user turn/,
  ],
  [
    "anthropic",
    "101 images",
    messages(
      user(
        Array.from({ length: 101 }, () => ({
          type: "image",
          source: { type: "url", url: "https://x" },
        })),
      ),
    ),
    /Too many images/,
  ],
  [
    "anthropic",
    "an image over 5 MB",
    messages(
      user([
        {
          type: "image",
          source: {
            type: "base64",
            media_type: "image/png",
            data: "a".repeat(5 * 1024 * 1024 + 1),
          },
        },
      ]),
    ),
    /exceeds 5 MB/,
  ],

  ["gemini", "no content", contents(), /contents is not specified/],
  [
    "gemini",
    "a content without parts",
    contents(geminiUser, { role: "model", parts: [] }, geminiUser),
    /parts must not be empty/,
  ],
  [
    "gemini",
    "a call without its response",
    contents(geminiUser, geminiCall(), geminiUser),
    /number of function response parts/,
  ],
  [
    "gemini",
    "one response for two calls",
    contents(geminiUser, geminiCall(2), geminiResponse),
    /number of function response parts/,
  ],
  [
    "gemini",
    "a response without a call",
    contents(geminiUser, geminiResponse),
    /function response turn comes immediately after/,
  ],
  [
    "gemini",
    "a user turn between",
    contents(geminiUser, geminiCall(), geminiUser, geminiResponse),
    /function response turn comes immediately after/,
  ],
  [
    "gemini",
    "a call first",
    contents(geminiCall(), geminiResponse),
    /function call turn comes immediately after/,
  ],
  [
    "gemini",
    "the model last",
    contents(geminiUser, { role: "model", parts: [{ text: "hi" }] }),
    /ending with a model turn/,
  ],
  [
    "gemini",
    "a response beside text",
    contents(geminiUser, geminiCall(), {
      role: "user",
      parts: [...geminiResponse.parts, { text: "and" }],
    }),
    /function responses only/,
  ],

  ["mistral", "no message", messages(), /at least one message/],
  [
    "mistral",
    "a user message behind a result",
    messages(
      user(),
      mistralCall("abcdefghi"),
      mistralResult("abcdefghi"),
      user(),
    ),
    /Unexpected role 'user' after role 'tool'/,
  ],
  [
    "mistral",
    "a result without a call",
    messages(user(), mistralResult("abcdefghi")),
    /Unexpected role 'tool' after role 'user'/,
  ],
  [
    "mistral",
    "a system message behind the assistant",
    messages(
      user(),
      { role: "assistant", content: "hi" },
      { role: "system", content: "x" },
      user(),
    ),
    /Unexpected role 'system'/,
  ],
  [
    "mistral",
    "one of two results",
    messages(
      user(),
      mistralCall("abcdefghi", "bbcdefghi"),
      mistralResult("abcdefghi"),
    ),
    /Not the same number/,
  ],
  [
    "mistral",
    "an id of another length",
    messages(user(), mistralCall("a"), mistralResult("a")),
    /length of 9/,
  ],
  [
    "mistral",
    "an empty assistant message",
    messages(user(), { role: "assistant", content: "" }, user()),
    /but not none/,
  ],
  [
    "mistral",
    "the assistant last",
    messages(user(), { role: "assistant", content: "hi" }),
    /Expected last role/,
  ],
  [
    "mistral",
    "a result without an id",
    messages(user(), mistralCall("abcdefghi"), mistralResult()),
    /has to be defined/,
  ],

  [
    "bedrock",
    "the assistant first",
    messages({ role: "assistant", content: [{ text: "hi" }] }, bedrockUser()),
    /must start with a user message/,
  ],
  [
    "bedrock",
    "two user messages",
    messages(bedrockUser(), bedrockUser()),
    /must alternate/,
  ],
  [
    "bedrock",
    "a user message behind a result",
    messages(
      bedrockUser(),
      bedrockUse("a"),
      bedrockResults("a"),
      bedrockUser(),
    ),
    /must alternate/,
  ],
  [
    "bedrock",
    "a call without its result",
    messages(bedrockUser(), bedrockUse("a"), bedrockUser()),
    /Expected toolResult blocks/,
  ],
  [
    "bedrock",
    "a result without a call",
    messages(bedrockResults("a")),
    /exceeds the number of toolUse blocks/,
  ],
  [
    "bedrock",
    "a result too many",
    messages(bedrockUser(), bedrockUse("a"), bedrockResults("a", "a")),
    /exceeds the number/,
  ],
  ["bedrock", "an empty message", messages(bedrockUser([])), /is empty/],
  [
    "bedrock",
    "a blank text",
    messages(bedrockUser([{ text: " " }])),
    /is blank/,
  ],
  [
    "bedrock",
    "an id of 65 characters",
    messages(
      bedrockUser(),
      bedrockUse("x".repeat(65)),
      bedrockResults("x".repeat(65)),
    ),
    /length between 1 and 64/,
  ],
  [
    "bedrock",
    "the assistant last",
    messages(bedrockUser(), { role: "assistant", content: [{ text: "hi" }] }),
    /must end with a user message/,
  ],

  [
    "ollama",
    "an unknown role",
    messages({ role: "function", content: "r" }),
    /invalid role/,
  ],
  [
    "ollama",
    "arguments as text",
    messages({
      role: "assistant",
      content: "",
      tool_calls: [{ function: { name: "f", arguments: "{}" } }],
    }),
    /cannot unmarshal/,
  ],
];

describe("the checkers of the providers' rules", () => {
  it.each(BAD)("%s refuses %s", (provider, _, body, error) => {
    const said = REFUSALS_BY[provider](body).map(({ message }) => message);
    expect(said).toContainEqual(expect.stringMatching(error));
  });

  it.each(
    Object.entries(GOOD).flatMap(([provider, bodies]) =>
      bodies.map((body, n) => [provider as WireProvider, n, body] as const),
    ),
  )("%s takes good payload %i", (provider, _, body) => {
    expect(REFUSALS_BY[provider](body)).toEqual([]);
  });
});
