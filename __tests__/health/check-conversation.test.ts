import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  type BaseMessage,
  type BaseMessageLike,
  FunctionMessage,
  HumanMessage,
} from "@langchain/core/messages";
import { checkConversation } from "../../src/health/check-conversation.js";
import { repairConversation } from "../../src/health/repair-conversation.js";
import { PROVIDERS, type Provider } from "../../src/health/provider.js";
import { type ProblemCode, RULES } from "../../src/health/rules/rules.js";
import { ai, human, system, tool } from "../support/make-messages.js";

const LONG_ID = "c".repeat(41);

const image = (bytes: number): Record<string, unknown> => ({
  type: "image_url",
  image_url: { url: `data:image/png;base64,${"A".repeat(bytes)}` },
});

const say = (...content: Record<string, unknown>[]): HumanMessage =>
  new HumanMessage({ content: content as never });

const think = (...content: Record<string, unknown>[]): AIMessage =>
  new AIMessage({ content: content as never });

/** As a store hands a message back that had no content. */
const bare = (message: BaseMessage): BaseMessage =>
  Object.assign(message, { content: null });

const thought = { type: "thinking", thinking: "so", signature: "c2ln" };
const text = { type: "text", text: "hello" };
const toolUse = { type: "tool_use", id: "c1", name: "look_up", input: {} };

/** What is wrong, where, and exactly who refuses it. */
const BROKEN: readonly (readonly [
  string,
  ProblemCode,
  number,
  BaseMessage[],
  readonly Provider[],
])[] = [
  ["no message", "empty-conversation", 0, [], PROVIDERS],
  [
    "instructions alone",
    "empty-conversation",
    0,
    [system("s1")],
    ["anthropic", "gemini", "bedrock"],
  ],
  [
    "a result without an id",
    "missing-call-id",
    2,
    [human("h1"), ai("a1", ["c1"]), tool("t1")],
    ["openai", "openai-responses", "anthropic", "mistral", "bedrock"],
  ],
  [
    "two calls with one id",
    "doubled-call-id",
    1,
    [human("h1"), ai("a1", ["c1", "c1"]), tool("t1", "c1"), tool("t2", "c1")],
    ["openai", "openai-responses", "anthropic", "mistral", "bedrock"],
  ],
  [
    "an id of 41 characters",
    "call-id-form",
    1,
    [human("h1"), ai("a1", [LONG_ID]), tool("t1", LONG_ID)],
    ["openai"],
  ],
  [
    "an id with a dot and a colon",
    "call-id-form",
    1,
    [human("h1"), ai("a1", ["f.look:0"]), tool("t1", "f.look:0")],
    ["anthropic", "bedrock"],
  ],
  [
    "a function message",
    "legacy-function-call",
    1,
    [
      human("h1"),
      new AIMessage({
        content: "",
        additional_kwargs: { function_call: { name: "f", arguments: "{}" } },
      }),
      new FunctionMessage({ content: "r", name: "f" }),
    ],
    ["openai-responses", "anthropic", "gemini", "mistral", "bedrock"],
  ],
  [
    "a call only in a content block",
    "call-not-in-tool-calls",
    1,
    [human("h1"), think(toolUse), tool("t1", "c1")],
    ["openai", "openai-responses", "mistral", "bedrock"],
  ],
  [
    "a result without a call",
    "orphan-result",
    1,
    [human("h1"), tool("t1", "c1")],
    PROVIDERS,
  ],
  [
    "two results of a call",
    "repeated-result",
    3,
    [human("h1"), ai("a1", ["c1"]), tool("t1", "c1"), tool("t2", "c1")],
    PROVIDERS,
  ],
  [
    "a person between call and result",
    "misplaced-result",
    3,
    [human("h1"), ai("a1", ["c1"]), human("h2"), tool("t1", "c1")],
    ["openai", "anthropic", "gemini", "mistral", "bedrock"],
  ],
  [
    "an answer between call and result",
    "misplaced-result",
    3,
    [human("h1"), ai("a1", ["c1"]), ai("a2"), tool("t1", "c1")],
    ["openai", "mistral", "bedrock"],
  ],
  [
    "an interrupted call",
    "unanswered-call",
    1,
    [human("h1"), ai("a1", ["c1"]), human("h2")],
    ["openai", "openai-responses", "anthropic", "gemini", "bedrock"],
  ],
  [
    "a call that waits",
    "pending-call",
    1,
    [human("h1"), ai("a1", ["c1", "c2"]), tool("t1", "c1")],
    ["openai", "openai-responses", "anthropic", "gemini", "bedrock"],
  ],
  [
    "thinking without a signature",
    "unsigned-thinking",
    1,
    [
      human("h1"),
      think({ type: "thinking", thinking: "so" }, text),
      human("h2"),
    ],
    ["anthropic"],
  ],
  [
    "thinking behind a call",
    "thinking-not-first",
    1,
    [human("h1"), think(text, thought, toolUse), tool("t1", "c1")],
    ["anthropic"],
  ],
  [
    "reasoning without its output",
    "reasoning-without-follower",
    1,
    [
      human("h1"),
      new AIMessage({
        content: [],
        additional_kwargs: { reasoning: { id: "rs_1", summary: [] } },
      }),
      human("h2"),
    ],
    ["openai-responses"],
  ],
  [
    "nine images",
    "too-many-images",
    0,
    [say(text, ...Array.from({ length: 9 }, () => image(8)))],
    ["mistral"],
  ],
  [
    "an image of 4 MiB",
    "image-too-large",
    0,
    [say(text, image(4 * 1024 * 1024))],
    ["bedrock"],
  ],
  [
    "a blank text block",
    "blank-text",
    0,
    [say(text, { type: "text", text: " " })],
    ["anthropic", "bedrock"],
  ],
  [
    "an answer without any content",
    "missing-content",
    1,
    [human("h1"), bare(ai("a1", ["c1"])), tool("t1", "c1")],
    ["openai", "openai-responses", "anthropic", "mistral", "bedrock"],
  ],
  [
    "a result without any content",
    "missing-content",
    2,
    [human("h1"), ai("a1", ["c1"]), bare(tool("t1", "c1"))],
    ["openai", "mistral", "bedrock"],
  ],
  [
    "an instruction without any content",
    "missing-content",
    0,
    [bare(system("s1")), human("h1")],
    ["openai", "openai-responses", "mistral", "bedrock"],
  ],
  [
    "an empty answer",
    "empty-message",
    1,
    [human("h1"), ai("a1", [], { content: "" }), human("h2")],
    ["anthropic", "gemini", "mistral", "bedrock"],
  ],
  [
    "an empty question",
    "empty-message",
    0,
    [human("h1", { content: "" })],
    ["anthropic", "gemini", "bedrock"],
  ],
  [
    "an empty instruction behind the user",
    "empty-message",
    1,
    [human("h1"), system("s1", { content: "" })],
    ["anthropic", "bedrock"],
  ],
  [
    "an instruction behind the assistant",
    "system-message-placement",
    2,
    [human("h1"), ai("a1"), system("s1"), human("h2")],
    ["anthropic", "gemini", "mistral"],
  ],
  [
    "an instruction behind the user",
    "system-message-placement",
    1,
    [human("h1"), system("s1")],
    ["gemini"],
  ],
  [
    "a second instruction",
    "system-message-placement",
    1,
    [system("s1"), system("s2"), human("h1")],
    ["gemini"],
  ],
  ["a greeting first", "first-role", 0, [ai("a1"), human("h1")], ["bedrock"]],
  [
    "a call first",
    "first-role",
    0,
    [ai("a1", ["c1"]), tool("t1", "c1")],
    ["gemini", "bedrock"],
  ],
  [
    "a person behind a result",
    "role-order",
    3,
    [human("h1"), ai("a1", ["c1"]), tool("t1", "c1"), human("h2")],
    ["mistral", "bedrock"],
  ],
  ["two questions", "role-order", 1, [human("h1"), human("h2")], ["bedrock"]],
  [
    "two answers",
    "role-order",
    2,
    [human("h1"), ai("a1"), ai("a2"), human("h2")],
    ["bedrock"],
  ],
  [
    "an answer last",
    "last-role",
    1,
    [human("h1"), ai("a1")],
    ["anthropic", "gemini", "mistral", "bedrock"],
  ],
];

describe("checkConversation", () => {
  it.each(BROKEN)("finds %s", (_, code, index, messages, refusing) => {
    for (const provider of PROVIDERS) {
      const found = checkConversation(messages, { provider }).find(
        (problem) => problem.code === code,
      );
      expect([provider, found?.index]).toEqual([
        provider,
        refusing.includes(provider) ? index : undefined,
      ]);
    }
    const strict = checkConversation(messages).find(
      (problem) => problem.code === code,
    );
    expect(strict).toMatchObject({ index, providers: refusing });
  });

  it("has a test for every rule but the two of a client's own kind", () => {
    const tested = new Set(BROKEN.map(([, code]) => code));
    const untested = Object.keys(RULES).filter(
      (code) => !tested.has(code as ProblemCode),
    );
    expect(untested).toEqual(["unreadable-message", "foreign-block"]);
  });

  it("says what is wrong, where, what mends it, and where the rule stands", () => {
    const messages = [human("h1"), ai("a1", ["c1"]), human("h2")];
    expect(checkConversation(messages, { provider: "openai" })).toEqual([
      {
        code: "unanswered-call",
        provider: "openai",
        providers: ["openai"],
        index: 1,
        messageId: "a1",
        callId: "c1",
        message:
          'message 1 ("a1"): a tool call was never answered, and the user went on (call "c1")',
        mend: "answer it with a result that says the call was interrupted",
        error:
          "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
        source: expect.stringMatching(/^https:/),
      },
    ]);
  });

  it("takes content of another provider only where the client sends it", () => {
    const messages = [human("h1"), think(thought, text), human("h2")];
    const isForeignFor = (provider: Provider): boolean =>
      checkConversation(messages, { provider }).some(
        ({ code }) => code === "foreign-block",
      );
    expect(PROVIDERS.filter(isForeignFor)).toEqual(["mistral", "bedrock"]);
    // One thread can hold one provider's content only, so strict has no word on it.
    expect(checkConversation(messages).map(({ code }) => code)).not.toContain(
      "foreign-block",
    );
  });

  it("finds nothing in an ordinary thread", () => {
    const messages = [
      system("s1"),
      human("h1"),
      ai("a1", ["c1", "c2"]),
      tool("t2", "c2"),
      tool("t1", "c1"),
      ai("a2"),
      human("h2"),
    ];
    expect(checkConversation(messages)).toEqual([]);
  });

  it("lets an id come again in a later turn", () => {
    const messages = [
      human("h1"),
      ai("a1", ["c1"]),
      tool("t1", "c1"),
      ai("a2", ["c1"]),
      tool("t2", "c1"),
    ];
    expect(checkConversation(messages)).toEqual([]);
  });

  it("lets a thread rest that waits for a result, for the user, or for anything", () => {
    const waiting = [
      [],
      [human("h1"), ai("a1")],
      [human("h1"), ai("a1", ["c1"])],
    ];
    for (const messages of waiting) {
      expect(checkConversation(messages)).not.toEqual([]);
      expect(checkConversation(messages, { atRest: true })).toEqual([]);
    }
  });

  it("names the option and the entry that are wrong", () => {
    expect(() =>
      checkConversation([], { provider: "acme" as Provider }),
    ).toThrow(/"provider" must be one of openai, .*strict, got "acme"/);
    expect(() => checkConversation([], { atRest: "yes" as never })).toThrow(
      'Option "atRest" must be true or false, got "yes".',
    );
    expect(() => checkConversation([], { rest: true } as never)).toThrow(
      'checkConversation has no option "rest". Its options are provider, atRest.',
    );
    expect(() => checkConversation([], "openai" as never)).toThrow(
      'checkConversation takes its options as an object, got "openai".',
    );
    expect(() => repairConversation([], { atRest: true } as never)).toThrow(
      'repairConversation has no option "atRest". Its options are provider.',
    );
    expect(() => checkConversation([{ text: "hello" }] as never)).toThrow(
      /Entry 0 of the messages is no message/,
    );
  });

  it("reads message-likes, and mends them as messages", () => {
    const likes: BaseMessageLike[] = [
      { role: "user", content: "Is it raining?" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c1", name: "look", args: {} }],
      },
      ["human", "Never mind."],
    ];
    const codes = checkConversation(likes).map(({ code }) => code);
    expect(codes).toContain("unanswered-call");

    const { messages } = repairConversation(likes);
    expect(checkConversation(messages, { atRest: true })).toEqual([]);
    expect(messages.map(({ text }) => text)).toContain("Never mind.");
  });
});
