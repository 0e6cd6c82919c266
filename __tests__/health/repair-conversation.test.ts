import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  type BaseMessage,
  FunctionMessage,
  type HumanMessage,
  type ToolMessage,
} from "@langchain/core/messages";
import { readConversation } from "../../src/conversation/anatomy.js";
import { checkConversation } from "../../src/health/check-conversation.js";
import type { RuleSet } from "../../src/health/provider.js";
import { repairConversation } from "../../src/health/repair-conversation.js";
import { ai, human, idsOf, system, tool } from "../support/make-messages.js";

function repair(
  messages: BaseMessage[],
  provider: RuleSet = "openai",
): BaseMessage[] {
  const { messages: mended } = repairConversation(messages, { provider });
  expect(checkConversation(mended, { provider, atRest: true })).toEqual([]);
  return mended;
}

const callIdsOf = (message: BaseMessage): unknown[] =>
  (message as AIMessage).tool_calls!.map(({ id }) => id);

const answerOf = (message: BaseMessage): unknown =>
  (message as ToolMessage).tool_call_id;

describe("repairConversation", () => {
  it("answers an interrupted call with a result that says so", () => {
    const messages = [human("h1"), ai("a1", ["c1"]), human("h2")];
    const { messages: mended, mends } = repairConversation(messages, {
      provider: "openai",
    });
    expect(idsOf(mended)).toEqual(["h1", "a1", "interrupted-a1-c1", "h2"]);
    expect(mended[2]).toMatchObject({
      content: "This tool call was interrupted. It returned no result.",
      tool_call_id: "c1",
      name: "look_up",
      status: "error",
    });
    expect([mended[0], mended[1], mended[3]]).toEqual(messages);
    expect(mends).toEqual([
      {
        code: "unanswered-call",
        index: 1,
        messageId: "a1",
        callId: "c1",
        what: "answered the call: it was interrupted",
      },
    ]);
  });

  it("answers the one of two parallel calls that was rejected without a word", () => {
    const mended = repair([
      human("h1"),
      ai("a1", ["c1", "c2"]),
      tool("t1", "c1"),
      human("h2"),
    ]);
    expect(idsOf(mended)).toEqual([
      "h1",
      "a1",
      "t1",
      "interrupted-a1-c2",
      "h2",
    ]);
  });

  it("says of a call that did not parse that it did not run", () => {
    const broken = new AIMessage({
      id: "a1",
      content: "",
      invalid_tool_calls: [
        { id: "c1", name: "write", args: '{"text": "ro', error: "cut" },
      ],
    });
    broken.additional_kwargs = {
      tool_calls: [
        {
          id: "c1",
          type: "function",
          function: { name: "write", arguments: '{"text": "ro' },
        },
      ],
    };
    const [, , result] = repair([human("h1"), broken, human("h2")]);
    expect(result).toMatchObject({
      content:
        "This tool call did not run, because its arguments could not be read.",
      name: "write",
    });
  });

  it("leaves a call alone that waits for an approval", () => {
    const messages = [human("h1"), ai("a1", ["c1", "c2"]), tool("t1", "c1")];
    const { messages: mended, mends } = repairConversation(messages);
    expect(mended).toBe(messages);
    expect(mends).toEqual([]);
  });

  it("removes a result whose call is gone", () => {
    const mended = repair([human("h1"), tool("t0", "c0"), ai("a1")]);
    expect(idsOf(mended)).toEqual(["h1", "a1"]);
  });

  it("keeps the first of two results of an aborted run", () => {
    const mended = repair([
      human("h1"),
      ai("a1", ["c1"]),
      tool("t1", "c1", { content: "3 saved" }),
      tool("t2", "c1", { content: "aborted" }),
      ai("a2"),
    ]);
    expect(idsOf(mended)).toEqual(["h1", "a1", "t1", "a2"]);
    expect(mended[2]!.content).toBe("3 saved");
  });

  it("joins a result that came late to the one that said so", () => {
    const mended = repair([
      human("h1"),
      ai("a1", ["c1"]),
      tool("t1", "c1", { content: "queued" }),
      ai("a2"),
      human("h2"),
      tool("t2", "c1", { content: "brochure.pdf" }),
    ]);
    expect(idsOf(mended)).toEqual(["h1", "a1", "t1", "a2", "h2"]);
    expect(mended[2]!.content).toBe("queued\n\nbrochure.pdf");
  });

  it("moves a result before what a person said meanwhile", () => {
    const messages = [
      human("h1"),
      ai("a1", ["c1"]),
      human("h2"),
      tool("t1", "c1"),
      ai("a2"),
    ];
    const mended = repair(messages);
    expect(idsOf(mended)).toEqual(["h1", "a1", "t1", "h2", "a2"]);
    expect(new Set(mended)).toEqual(new Set(messages));
  });

  it("gives two steps that ran into each other back their own results", () => {
    const mended = repair([
      human("h1"),
      ai("a1", ["c1"]),
      ai("a2", ["c2"]),
      tool("t1", "c1"),
      tool("t2", "c2"),
    ]);
    expect(idsOf(mended)).toEqual(["h1", "a1", "t1", "a2", "t2"]);
  });

  it("answers the older copy of a step that was loaded twice", () => {
    const mended = repair([
      human("h1"),
      ai("a1", ["c1"]),
      human("h2"),
      ai("a2", ["c1"]),
      tool("t2", "c1"),
    ]);
    expect(idsOf(mended)).toEqual([
      "h1",
      "a1",
      "interrupted-a1-c1",
      "h2",
      "a2",
      "t2",
    ]);
  });

  it("gives calls and results without an id the same one", () => {
    const mended = repair([
      human("h1"),
      ai("a1", [{}, {}]),
      tool("t1"),
      tool("t2"),
    ]);
    expect(callIdsOf(mended[1]!)).toEqual(["call_repaired", "call_repaired_2"]);
    expect(mended.slice(2).map(answerOf)).toEqual([
      "call_repaired",
      "call_repaired_2",
    ]);
  });

  it("gives a result without an id that of the call that it answers", () => {
    const mended = repair([human("h1"), ai("a1", ["c1"]), tool("t1")]);
    expect(answerOf(mended[2]!)).toBe("c1");
  });

  it("tells two calls with one id apart", () => {
    const mended = repair([
      human("h1"),
      ai("a1", ["c1", "c1"]),
      tool("t1", "c1"),
      tool("t2", "c1"),
    ]);
    expect(callIdsOf(mended[1]!)).toEqual(["c1", "c1_2"]);
    expect(mended.slice(2).map(answerOf)).toEqual(["c1", "c1_2"]);
  });

  it("renames an id in every place where a message keeps it", () => {
    const long = `call_${"x".repeat(60)}`;
    const short = long.slice(-40);
    const message = new AIMessage({
      id: "a1",
      content: [{ type: "tool_use", id: long, name: "f", input: {} }],
      tool_calls: [{ id: long, name: "f", args: {}, type: "tool_call" }],
      additional_kwargs: { __openai_function_call_ids__: { [long]: "fc_1" } },
      response_metadata: {
        output: [{ type: "function_call", call_id: long, name: "f" }],
      },
    });
    const [, mended, result] = repair([human("h1"), message, tool("t1", long)]);
    expect(answerOf(result!)).toBe(short);
    expect(JSON.stringify(mended)).not.toContain(long);
    expect(mended!.additional_kwargs).toEqual({
      __openai_function_call_ids__: { [short]: "fc_1" },
    });
  });

  it("makes tool calls of the older form", () => {
    const mended = repair(
      [
        human("h1"),
        new AIMessage({
          content: "",
          additional_kwargs: {
            function_call: { name: "look_up", arguments: '{"q":1}' },
          },
        }),
        new FunctionMessage({ content: "found", name: "look_up" }),
      ],
      "anthropic",
    );
    expect((mended[1] as AIMessage).tool_calls).toMatchObject([
      { id: "call_repaired", name: "look_up", args: { q: 1 } },
    ]);
    expect(mended[2]).toMatchObject({
      type: "tool",
      content: "found",
      tool_call_id: "call_repaired",
    });
  });

  it("removes an aborted answer and lets an empty question say so", () => {
    const mended = repair(
      [
        human("h1"),
        ai("a1", [], { content: "" }),
        human("h2", { content: "" }),
      ],
      "anthropic",
    );
    expect(idsOf(mended)).toEqual(["h1", "h2"]);
    expect(mended[1]!.content).toBe("[This message is empty.]");
  });

  it.each([null, undefined])(
    "gives messages whose content is %s an empty one, or says that they are empty",
    (content) => {
      const thread = [
        system("s1"),
        human("h1"),
        ai("a1", ["call_1"]),
        tool("t1", "call_1"),
        ai("a2"),
        human("h2"),
      ];
      const bare = thread.map((message): BaseMessage =>
        Object.assign(message, { content }),
      );
      const { messages, mends } = repairConversation(bare);
      expect(messages.map(({ id, content: now }) => [id, now])).toEqual([
        ["h1", "[This message is empty.]"],
        ["a1", ""],
        ["t1", ""],
        ["no-reply-h2", "[The assistant did not reply here.]"],
        ["h2", "[This message is empty.]"],
      ]);
      expect(new Set(bare.map((message): unknown => message.content))).toEqual(
        new Set([content]),
      );
      expect(
        mends.flatMap(({ code, index }) =>
          code === "missing-content" ? [index] : [],
        ),
      ).toEqual([0, 1, 2, 3, 4, 5]);
    },
  );

  it("joins an answer that came twice, once without content", () => {
    const again = Object.assign(tool("t2", "call_1"), { content: null });
    const mended = repair(
      [human("h1"), ai("a1", ["call_1"]), tool("t1", "call_1"), again],
      "gemini",
    );
    expect(idsOf(mended)).toEqual(["h1", "a1", "t1"]);
    expect(mended[2]!.content).toBe("result t1");
  });

  it("takes out what only another provider's client can send", () => {
    const message = new AIMessage({
      id: "a1",
      content: [
        { type: "thinking", thinking: "so", signature: "c2ln" },
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "c1", name: "f", input: {} },
      ],
      tool_calls: [{ id: "c1", name: "f", args: {}, type: "tool_call" }],
    });
    const [, mended] = repair(
      [human("h1"), message, tool("t1", "c1")],
      "mistral",
    );
    expect(mended!.content).toEqual([{ type: "text", text: "Let me look." }]);
    expect(JSON.stringify(mended)).not.toContain("c2ln");
    expect(callIdsOf(mended!)).toEqual(["c1"]);
  });

  it("keeps the text of another provider's blocks", () => {
    const mended = repair(
      [
        human("h1", {
          content: [{ text: "Look." }, { inlineData: {} }] as never,
        }),
        ai("a1", [], { content: [{ type: "output_text", text: "I see." }] }),
        human("h2"),
      ],
      "openai",
    );
    expect(mended.map(({ text }) => text)).toEqual([
      'Look.[Content of the kind "(no type)" stood here and was removed.]',
      "I see.",
      "question h2",
    ]);
  });

  it("says in words what a client would leave out with the whole message", () => {
    const question = human("h1", {
      content: [{ type: "input_image", image_url: "https://x.test/1" }],
    });
    const [mended] = repair([question], "anthropic");
    expect(mended!.content).toEqual([
      {
        type: "text",
        text: '[Content of the kind "input_image" stood here and was removed.]',
      },
    ]);
    expect(repair([question], "openai-responses")).toEqual([question]);
  });

  it("replaces the oldest images beyond what a request may have", () => {
    const image = { type: "image_url", image_url: { url: "https://x.test/1" } };
    const withImages = (id: string, count: number): HumanMessage =>
      human(id, { content: Array.from({ length: count }, () => image) });
    const mended = repair(
      [withImages("h1", 5), ai("a1"), withImages("h2", 5)],
      "mistral",
    );
    const isImage = ({ type }: { type: string }): boolean =>
      type === "image_url";
    const kept = mended.map(({ content }) =>
      Array.isArray(content)
        ? content.map((block) => isImage(block as never))
        : [],
    );
    expect(kept).toEqual([
      [false, false, true, true, true],
      [],
      [true, true, true, true, true],
    ]);
  });

  it("makes one record of those that may not stand together", () => {
    const record = (id: string, collapsedMessages: number): BaseMessage =>
      human(id, {
        content: `[${id}]`,
        additional_kwargs: {
          context_compaction: {
            strategy: "tool-call-collapse",
            collapsedMessages,
          },
        },
      });
    const messages = [
      human("h1"),
      ai("a1"),
      record("r1", 2),
      record("r2", 3),
      record("r3", 2),
      human("h2"),
    ];
    expect(repair(messages, "mistral")).toBe(messages);
    const mended = repair(messages, "bedrock");
    expect(idsOf(mended)).toEqual(["h1", "a1", "r1", "no-reply-h2", "h2"]);
    expect(mended[2]!.content).toBe("[r1]\n\n[r2]\n\n[r3]");
    expect(mended[2]!.additional_kwargs["context_compaction"]).toEqual({
      strategy: "tool-call-collapse",
      collapsedMessages: 7,
    });
    expect(messages[2]!.content).toBe("[r1]");
  });

  it("joins instructions and lets a later one speak as the user, but not as a real one", () => {
    const mended = repair(
      [
        system("s1", { content: "Be brief." }),
        system("s2", { content: "Be kind." }),
        human("h1"),
        ai("a1"),
        system("s3", { content: "The shop is closed." }),
        human("h2"),
      ],
      "gemini",
    );
    expect(idsOf(mended)).toEqual(["s1", "h1", "a1", "s3", "h2"]);
    expect(mended[0]!.content).toBe("Be brief.\n\nBe kind.");
    expect(mended[3]).toMatchObject({
      type: "human",
      content: "The shop is closed.",
    });
    expect(readConversation(mended).turnStarts).toEqual([1, 4]);
  });

  it("lets roles alternate without a word put into anybody's mouth", () => {
    const mended = repair(
      [
        ai("a1"),
        human("h1"),
        human("h2"),
        ai("a2", ["c1"]),
        tool("t1", "c1"),
        human("h3"),
      ],
      "bedrock",
    );
    expect(mended.map(({ type }) => type)).toEqual([
      "human",
      "ai",
      "human",
      "ai",
      "human",
      "ai",
      "tool",
      "ai",
      "human",
    ]);
    expect(
      mended.filter(({ id }) => id?.startsWith("no-")).map((m) => m.content),
    ).toEqual([
      "[This conversation begins with the assistant.]",
      "[The assistant did not reply here.]",
      "[The assistant did not reply here.]",
    ]);
    // The person asked three times, and nobody else did.
    const { realHuman } = readConversation(mended);
    expect(realHuman.reduce((sum, one) => sum + one, 0)).toBe(3);
  });

  it("leaves no copy of what it took out in a message", () => {
    const secret = human("h1", {
      content: [
        { type: "text", text: "look" },
        {
          type: "image_url",
          image_url: {
            url: `data:image/png;base64,${"QUJD".repeat(3_000_000)}`,
          },
        },
      ],
    });
    const [mended] = repair([secret], "mistral");
    expect(JSON.stringify(mended).length).toBeLessThan(2_000);
    expect(JSON.stringify(secret).length).toBeGreaterThan(12_000_000);
    expect(mended!.id).toBe("h1");
  });
});
