import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  RemoveMessage,
} from "@langchain/core/messages";
import { messagesStateReducer } from "@langchain/langgraph";
import { type CompactOptions, Compactor } from "langchain-compaction";
import type { CompactorLike } from "langchain-compaction";
import { ai, human, idsOf, system, tool } from "../support/make-messages.js";
import { agentThread, chatThread, hookOf, toolStep } from "./threads.js";

/** Drops everything between the first two and the last two messages. */
class MiddleOut extends Compactor {
  override async compact(
    messages: readonly BaseMessage[],
    { target }: CompactOptions,
  ): Promise<BaseMessage[] | null> {
    return (await target.holds(messages))
      ? null
      : [...messages.slice(0, 2), ...messages.slice(-2)];
  }
}

const returning = (
  compact: (messages: readonly BaseMessage[]) => unknown,
): CompactorLike => ({
  compact: async (messages) => compact(messages) as BaseMessage[] | null,
});

describe("a compactor of one's own", () => {
  it("extends Compactor", async () => {
    const { messages, report } = await hookOf({
      compactor: new MiddleOut(),
    }).compact(agentThread(6));
    expect(idsOf(messages)).toEqual(["s", "task", "a6", "r6"]);
    expect(report.compactor).toBe("MiddleOut");
  });

  it("works alone, as any other", async () => {
    const compactor = new MiddleOut({
      targetTokens: 3,
      tokenCounter: (l) => l.length,
    });
    expect(idsOf(await compactor.invoke(agentThread(6)))).toEqual([
      "s",
      "task",
      "a6",
      "r6",
    ]);
    expect(await compactor.invoke("hello")).toHaveLength(1);
  });

  it("is any object with compact", async () => {
    const { messages, report } = await hookOf({
      compactor: returning((list) => list.slice(-2)),
    }).compact(chatThread(8));
    expect(idsOf(messages)).toEqual(["q8", "a8"]);
    expect(report.compactor).toBe("custom");
  });

  it("may be a class that is no Runnable, which keeps its name and its this", async () => {
    class Last implements CompactorLike {
      readonly #kept = 2;
      async compact(messages: readonly BaseMessage[]): Promise<BaseMessage[]> {
        return messages.slice(-this.#kept);
      }
    }
    const { report } = await hookOf({ compactor: new Last() }).compact(
      chatThread(8),
    );
    expect(report).toMatchObject({ outcome: "compacted", compactor: "Last" });
  });

  it("may put in messages of its own, which are not streamed as message objects", async () => {
    const summary = new HumanMessage({ id: "sum", content: "In short: x." });
    const before = chatThread(8);
    const { messages } = await hookOf({
      compactor: returning((list) => [summary, ...list.slice(-2)]),
    }).invoke({ messages: before });
    expect(messages![1]).not.toBeInstanceOf(HumanMessage);
    const after = messagesStateReducer(before, messages!);
    expect(idsOf(after)).toEqual(["sum", "q8", "a8"]);
    expect(after[0]!.content).toBe("In short: x.");
  });

  it("may put in an answer, with its calls and all", async () => {
    const before = [
      human("q"),
      ...toolStep(1),
      ...toolStep(2),
      ...toolStep(3),
      ...toolStep(4),
      ...toolStep(5),
    ];
    const answer = new AIMessage({
      id: "new",
      content: [{ type: "text", text: "calling" }],
      tool_calls: [{ id: "c5", name: "look_up", args: { deep: [1] } }],
      response_metadata: { model: "x" },
    });
    const { messages } = await hookOf({
      compactor: returning((list) => [list[0], answer, list.at(-1)]),
    }).invoke({ messages: before });
    const after = messagesStateReducer(before, messages!);
    expect(after[1]).toMatchObject({
      id: "new",
      content: [{ type: "text", text: "calling" }],
      tool_calls: [{ id: "c5", name: "look_up", args: { deep: [1] } }],
      response_metadata: { model: "x" },
    });
    expect(AIMessage.isInstance(after[1])).toBe(true);
  });

  it("may replace a message by an edited one of the same id", async () => {
    const before = agentThread(6);
    const { messages, report } = await hookOf({
      compactor: returning((list) =>
        list
          .slice(0, -2)
          .filter((m) => m.type !== "ai" && m.type !== "tool")
          .concat([list.at(-2)!, tool("r6", "c6", { content: "[cleared]" })]),
      ),
    }).compact(before);
    expect(report).toMatchObject({ outcome: "compacted" });
    expect(report.removedIds).not.toContain("r6");
    expect(messages.at(-1)!.content).toBe("[cleared]");
  });
});

describe("a result is refused and reported", () => {
  const half = (): BaseMessage[] => [
    ...agentThread(6),
    ai("batch", ["b1", "b2"]),
    tool("rb1", "b1"),
  ];
  const waiting = (): BaseMessage[] => [
    ...agentThread(6),
    ai("wait", ["open"]),
  ];

  it.each<
    [string, BaseMessage[], (list: readonly BaseMessage[]) => unknown, RegExp]
  >([
    ["no list", agentThread(6), () => "text", /list of messages or null/],
    ["undefined", agentThread(6), () => undefined, /list of messages or null/],
    [
      "a list of no messages",
      agentThread(6),
      () => [{ role: "user" }],
      /list of messages or null/,
    ],
    ["an empty list", agentThread(6), () => [], /empty list/],
    [
      "without instructions",
      agentThread(6),
      (l) => l.slice(1, 2),
      /instructions at message 0/,
    ],
    [
      "without one of two instructions",
      [system("s0"), ...agentThread(6)],
      (l) => [l[0], ...l.slice(2, 4)],
      /instructions at message 1/,
    ],
    [
      "without the task",
      agentThread(6),
      (l) => [l[0], ...l.slice(-2)],
      /task, message 1/,
    ],
    [
      "without the waiting call",
      waiting(),
      (l) => l.slice(0, 4),
      /message 14.*waits/,
    ],
    [
      "with a call that lost its result",
      agentThread(6),
      (l) => [...l.slice(0, 2), l.at(-2)],
      /"c6".*lost its result/,
    ],
    [
      "with a batch that lost one of its results",
      half(),
      (l) => [...l.slice(0, 2), l.at(-2)],
      /"b1".*lost its result/,
    ],
    [
      "with a result that lost its call",
      agentThread(6),
      (l) => [...l.slice(0, 2), l.at(-1)],
      /message 2 has lost its call/,
    ],
    [
      "with a removal in it",
      agentThread(6),
      (l) => [...l.slice(0, 2), new RemoveMessage({ id: "a1" })],
      /message 2 is a RemoveMessage/,
    ],
    [
      "with a message twice",
      agentThread(6),
      (l) => [...l.slice(0, 3), l[2], l[3]],
      /message 3 stands there twice/,
    ],
    [
      "with two of one id",
      agentThread(6),
      (l) => [...l.slice(0, 2), human("new"), human("new")],
      /message 3 stands there twice/,
    ],
    [
      "with its messages in another order",
      agentThread(6),
      (l) => [l[0], l[l.length - 2], l[l.length - 1], l[1]],
      /message 3 stood further ahead before/,
    ],
  ])("%s", async (_name, before, compact, text) => {
    const { messages, report } = await hookOf({
      compactor: returning(compact),
    }).compact(before);

    expect(messages).toHaveLength(before.length);
    expect(messages.every((m, index) => m === before[index])).toBe(true);
    expect(report).toMatchObject({
      outcome: "failed",
      reason: "invalid-result",
      tokensAfter: before.length * 10,
      removedIds: [],
      error: {
        code: "INVALID_COMPACTOR_RESULT",
        message: expect.stringMatching(text),
      },
    });
    expect(report).not.toHaveProperty("firstChangedIndex");
    await expect(
      hookOf({
        compactor: returning(compact),
        raiseOnFailure: true,
      }).compact(before),
    ).rejects.toMatchObject({ code: "INVALID_COMPACTOR_RESULT" });
  });

  it("but not for what was broken before", async () => {
    const before = [
      human("q0"),
      ai("dead", ["never"]),
      tool("orphan", "nowhere"),
      ...chatThread(8),
    ];
    const { report } = await hookOf({
      compactor: returning((list) => [...list.slice(0, 3), ...list.slice(-2)]),
    }).compact(before);
    expect(report.outcome).toBe("compacted");
  });

  it("that is as long as before is no compaction", async () => {
    const { messages, report } = await hookOf({
      compactor: returning((list) => [...list]),
    }).compact(agentThread(6));
    expect(report).toMatchObject({
      outcome: "unchanged",
      reason: "not-smaller",
    });
    expect(messages).toHaveLength(14);
  });
});

describe("a compactor that changes the caller's list", () => {
  it("has a copy in its hands", async () => {
    const before = agentThread(6);
    const { messages, report } = await hookOf({
      compactor: returning((list) => {
        (list as BaseMessage[]).length = 4;
        return list;
      }),
    }).compact(before);
    expect(before).toHaveLength(14);
    expect(messages).toHaveLength(4);
    expect(report.outcome).toBe("compacted");
  });
});
