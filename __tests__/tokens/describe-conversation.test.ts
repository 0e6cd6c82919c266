import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { describeConversation } from "langchain-compaction";
import {
  ai,
  collapse,
  human,
  note,
  summary,
  system,
  tool,
} from "../support/make-messages.js";

/** Ten tokens a message. */
const tokenCounter = (messages: readonly BaseMessage[]): number =>
  10 * messages.length;

const conversation: readonly BaseMessage[] = [
  system("s1"),
  note("n", 4),
  summary("sum", 3),
  ai("hello"),
  human("h1"),
  ai("a1", ["c1", "c2"]),
  system("s2"),
  tool("t1", "c1"),
  tool("t2", "c2"),
  collapse("r", 2),
  ai("a2"),
  human("h2"),
  tool("lost", "gone"),
];

describe("describeConversation", () => {
  it("shows the groups with their turns, messages and tokens", async () => {
    const { groups } = await describeConversation(conversation, {
      tokenCounter,
    });
    expect(
      groups.map(({ kind, turn, messageIds, tokens }) =>
        [kind, turn, messageIds.join("+"), tokens].join(" "),
      ),
    ).toEqual([
      "system  s1 10",
      "note 0 n 10",
      "summary 0 sum 10",
      "ai 0 hello 10",
      "human 1 h1 10",
      "tool-step 1 a1+s2+t1+t2 40",
      "summary 1 r 10",
      "ai 1 a2 10",
      "human 2 h2 10",
      "other 2 lost 10",
    ]);
    expect(groups[0]!.turn).toBeNull();
  });

  it("shows the sizes that conditions read", async () => {
    const { metrics } = await describeConversation(conversation, {
      tokenCounter,
    });
    expect(metrics).toEqual({
      tokens: 130,
      messages: 13,
      turns: 2,
      steps: 3,
      groups: 10,
      toolCalls: 2,
    });
  });

  it("is a table as a text", async () => {
    const description = await describeConversation(conversation.slice(3, 9), {
      tokenCounter,
    });
    expect(String(description)).toBe(
      [
        "group      turn  tokens  messages",
        "ai            0      10  hello",
        "human         1      10  h1",
        "tool-step     1      40  a1 s2 t1 t2",
        "tokens 60, messages 6, turns 1, steps 2, groups 3, toolCalls 2",
      ].join("\n"),
    );
  });

  it("needs neither a counter nor ids", async () => {
    const { groups, metrics } = await describeConversation([
      new HumanMessage("Which valve leaks?"),
    ]);
    expect(groups).toEqual([
      { kind: "human", turn: 1, messageIds: [null], tokens: metrics.tokens },
    ]);
    expect(metrics.tokens).toBeGreaterThan(0);
    expect(String(await describeConversation([]))).toContain("messages 0");
  });

  it("takes a counter that answers later", async () => {
    const { metrics } = await describeConversation(conversation, {
      tokenCounter: async (messages) => messages.length,
    });
    expect(metrics.tokens).toBe(13);
  });

  it("refuses what is no counter and what are no messages", async () => {
    await expect(
      describeConversation([], { tokenCounter: 4 as never }),
    ).rejects.toThrow(/^Option "tokenCounter" must be/);
    await expect(
      describeConversation([], { counter: 4 } as never),
    ).rejects.toThrow(/has no option "counter"/);
    await expect(
      describeConversation([{ text: "hello" }] as never),
    ).rejects.toMatchObject({ code: "INVALID_MESSAGES" });
  });
});

it("reads message-likes", async () => {
  const { metrics } = await describeConversation(
    [{ role: "user", content: "Is it raining?" }, ["ai", "Yes."]],
    { tokenCounter },
  );
  expect(metrics).toMatchObject({ messages: 2, turns: 1, tokens: 20 });
});
