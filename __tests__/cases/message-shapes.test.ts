import { createRequire } from "node:module";
import { describe, expect, it } from "@jest/globals";
import type * as core from "@langchain/core/messages";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  type BaseMessageLike,
} from "@langchain/core/messages";
import { SlidingWindowCompactor } from "langchain-compaction";
import { ai, human, tool } from "../support/make-messages.js";
import { compactTo, countingBy, shown } from "../support/one-token-each.js";

const messages = (): BaseMessage[] => [
  human("h1"),
  ai("a1", ["c1"]),
  tool("t1", "c1"),
  ai("a2"),
  human("h2"),
  ai("a3", ["c3"]),
  tool("t3", "c3"),
];

/** Any form of the messages, which has to come out as `* h2 a3 t3`. */
async function compactLikes(likes: BaseMessageLike[]): Promise<BaseMessage[]> {
  return new SlidingWindowCompactor({ targetTokens: 5 }).invoke(likes, {
    tokenCounter: countingBy(),
  });
}

describe("messages", () => {
  it("of another copy of core, as a CommonJS host loads it, are the same", async () => {
    const require = createRequire(import.meta.url);
    const other = require("@langchain/core/messages") as typeof core;
    expect(other.AIMessage).not.toBe(AIMessage);
    const theirs = messages().map((message) => {
      const fields = { ...message.lc_kwargs } as never;
      switch (message.getType()) {
        case "human":
          return new other.HumanMessage(fields);
        case "ai":
          return new other.AIMessage(fields);
        default:
          return new other.ToolMessage(fields);
      }
    });
    const after = await compactTo(5, theirs);
    expect(shown(after)).toBe("* h2 a3 t3");
    expect(after[1]).toBe(theirs[4]);
  });

  it("that are chunks keep their calls", async () => {
    const chunk = (id: string, call: string): AIMessageChunk =>
      new AIMessageChunk({
        id,
        content: "",
        tool_calls: [{ id: call, name: "play", args: {}, type: "tool_call" }],
      });
    const list = [
      human("h"),
      chunk("a1", "c1"),
      tool("t1", "c1"),
      chunk("a2", "c2"),
      tool("t2", "c2"),
    ];
    expect(shown(await compactTo(4, list))).toBe("h * a2 t2");
  });

  it("of a remote graph say that they are chunks", async () => {
    const likes = [
      { type: "human", id: "h", content: "Two songs." },
      ...[1, 2].flatMap((number) => [
        {
          type: "AIMessageChunk",
          id: `a${number}`,
          content: "",
          tool_calls: [{ id: `c${number}`, name: "play", args: {} }],
        },
        {
          type: "tool",
          id: `t${number}`,
          tool_call_id: `c${number}`,
          content: "playing",
        },
      ]),
    ] as BaseMessageLike[];
    const after = await new SlidingWindowCompactor({ targetTokens: 4 }).invoke(
      likes,
      { tokenCounter: countingBy() },
    );
    expect(shown(after)).toBe("h * a2 t2");
  });

  it("by role are read, calls and all", async () => {
    const call = (id: string): object => ({
      id,
      type: "function",
      function: { name: "level", arguments: "{}" },
    });
    const likes = [
      { role: "user", id: "h1", content: "Water level?" },
      { role: "assistant", id: "a1", content: "", tool_calls: [call("c1")] },
      { role: "tool", id: "t1", tool_call_id: "c1", content: "2 m" },
      { role: "assistant", id: "a2", content: "2 m." },
      { role: "user", id: "h2", content: "And now?" },
      { role: "assistant", id: "a3", content: "", tool_calls: [call("c3")] },
      { role: "tool", id: "t3", tool_call_id: "c3", content: "3 m" },
    ] as BaseMessageLike[];
    expect(shown(await compactLikes(likes))).toBe("* h2 a3 t3");
  });

  it("that were serialized come back, calls and all", async () => {
    const stored = JSON.parse(JSON.stringify(messages())) as BaseMessageLike[];
    expect(shown(await compactLikes(stored))).toBe("* h2 a3 t3");
    const dicts = messages().map((message) => message.toDict());
    expect(shown(await compactLikes(dicts as never))).toBe("* h2 a3 t3");
  });

  it("without ids need none", async () => {
    const nameless = messages().map((message) => {
      delete message.id;
      return message;
    });
    const after = await compactTo(5, nameless);
    expect(after.slice(1)).toEqual(nameless.slice(4));
    expect(after[1]).toBe(nameless[4]);
  });

  it("that are none are refused by their place", async () => {
    const likes = [...messages(), { what: "is this" }] as never[];
    await expect(compactLikes(likes)).rejects.toThrow(/7/);
  });
});
