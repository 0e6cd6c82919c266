import { describe, expect, it } from "@jest/globals";
import {
  type AIMessage,
  type BaseMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { CompactionHook, SlidingWindowCompactor } from "langchain-compaction";
import type { CompactionMiddlewareOptions } from "langchain-compaction/middleware";
import { ai, human, idsOf } from "../support/make-messages.js";
import { hookOf, tens, toolStep } from "../hook/threads.js";
import {
  busyModel,
  compaction,
  decisionOn,
  type FakeModel,
  firings,
  lookUp,
} from "./agents.js";

/** A thread of so many calls of the tool, recorded with the middleware. */
async function recorded(
  calls: number,
  options: Partial<CompactionMiddlewareOptions> = {},
  name?: string,
): Promise<{ messages: BaseMessage[]; model: FakeModel }> {
  const model = busyModel(calls);
  const { messages } = await createAgent({
    model,
    tools: [lookUp],
    middleware: [compaction(options).middleware],
    ...(name === undefined ? {} : { name }),
  }).invoke({ messages: [human("task")] }, { recursionLimit: 300 });
  return { messages, model };
}

/** What the model is sent when the thread goes on. */
async function next(
  history: BaseMessage[],
  options: Partial<CompactionMiddlewareOptions> = {},
  name?: string,
): Promise<{ sent: readonly BaseMessage[]; fired: number }> {
  const model = busyModel(0, "next");
  const { middleware, reports } = compaction(options);
  await createAgent({
    model,
    tools: [lookUp],
    middleware: [middleware],
    ...(name === undefined ? {} : { name }),
  }).invoke({ messages: history });
  return { sent: model.calls[0]!.messages, fired: firings(reports) };
}

/** As a store gives them back. */
function reload(messages: BaseMessage[]): BaseMessage[] {
  const stored = JSON.stringify(mapChatMessagesToStoredMessages(messages));
  return mapStoredMessagesToChatMessages(JSON.parse(stored));
}

/** Calls that were followed by one for which compaction did not fire, five of them. */
function quietCalls({ messages }: { messages: BaseMessage[] }): number[] {
  const fired = messages
    .filter(({ type }) => type === "ai")
    .map((reply) => decisionOn(reply)!["compaction"] !== undefined);
  const calls = fired.flatMap((_, call) =>
    call > 10 && fired.slice(0, call).includes(true) && fired[call] === false
      ? [call]
      : [],
  );
  expect(calls.length).toBeGreaterThan(5);
  return calls.slice(-5);
}

/** The history up to the reply of one call, and what that call was sent. */
function upTo(
  { messages, model }: { messages: BaseMessage[]; model: FakeModel },
  call: number,
): { history: BaseMessage[]; sent: string[] } {
  const reply = messages.findIndex(({ id }) => id === `a${call}`);
  return {
    history: reload(messages.slice(0, reply + 2)),
    sent: [
      ...idsOf(model.calls[call - 1]!.messages),
      ...idsOf(messages.slice(reply, reply + 2)),
    ],
  };
}

describe("a decision on a reply", () => {
  it("says what was gone by", async () => {
    const { messages } = await recorded(12);
    const replies = messages.filter(({ type }) => type === "ai");
    const decisions = replies.map(decisionOn);
    expect(decisions[0]).toEqual({
      contextWindow: 400,
      messageTokens: 10,
      removedMessages: 0,
    });
    const fired = decisions.find((decision) => decision!["compaction"]);
    expect(fired).toEqual({
      contextWindow: 400,
      messageTokens: 40,
      removedMessages: 12,
      firstKeptId: "task",
      // A tool of 10 tokens, rounded up to an eighth of the window.
      compaction: { targetTokens: 50, overheadTokens: 50 },
    });
  });

  it.each<[string, Partial<CompactionMiddlewareOptions>]>([
    ["a higher trigger", { compactAt: 0.9 }],
    ["a lower target", { compactTo: 0.1 }],
    ["a larger window", { contextWindow: 2_000 }],
    ["a trigger of another kind", { compactAt: { messages: 500 } }],
  ])("stands after %s", async (_, changed) => {
    const thread = await recorded(30);
    for (const call of quietCalls(thread)) {
      const { history, sent } = upTo(thread, call);
      const after = await next(history, changed);
      expect([call, idsOf(after.sent)]).toEqual([call, sent]);
      expect(after.fired).toBe(0);
    }
  });

  it("stands after a smaller window, which then compacts what was shown", async () => {
    const thread = await recorded(30);
    const { history, sent } = upTo(thread, quietCalls(thread).at(-1)!);
    const { sent: smaller, fired } = await next(history, {
      contextWindow: 160,
    });
    expect(fired).toBe(1);
    const kept = idsOf(smaller).filter((id) => !id.startsWith("compaction"));
    expect(kept.every((id) => sent.includes(id))).toBe(true);
    expect(kept.length).toBeLessThan(sent.length);
  });

  it("stands in a fork from an earlier checkpoint", async () => {
    const model = busyModel(30);
    const agent = createAgent({
      model,
      tools: [lookUp],
      middleware: [compaction().middleware],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" }, recursionLimit: 300 };
    await agent.invoke({ messages: [human("task")] }, config);
    const states = [];
    for await (const state of agent.graph.getStateHistory(config)) {
      states.push(state);
    }
    const early = states.find(
      ({ values, next: nodes }) =>
        values.messages?.at(-1)?.type === "tool" &&
        values.messages.length === 31 &&
        nodes.includes("model_request"),
    )!;
    const fork = busyModel(0, "fork");
    const other = createAgent({
      model: fork,
      tools: [lookUp],
      middleware: [compaction({ compactAt: 0.8 }).middleware],
    });
    await other.invoke({ messages: early.values.messages });
    // The sixteenth call saw the same, but for what its own trigger did.
    const before = idsOf(model.calls[14]!.messages);
    expect(idsOf(fork.calls[0]!.messages).slice(0, before.length)).toEqual(
      before,
    );
  });

  it("stands where the target is no number", async () => {
    const counts = { compactAt: { messages: 12 }, compactTo: { messages: 6 } };
    const thread = await recorded(30, counts);
    const { history, sent } = upTo(thread, 20);
    const after = await next(history, {
      compactAt: { messages: 100 },
      compactTo: { messages: 6 },
    });
    expect(idsOf(after.sent)).toEqual(sent);
  });

  it("of no compaction stands after one that failed", async () => {
    let fails = true;
    const window = new SlidingWindowCompactor();
    const compactor = {
      compact: async (
        ...[messages, options]: Parameters<typeof window.compact>
      ) => {
        if (fails) {
          throw new Error("no");
        }
        return window.compact(messages, options);
      },
    };
    const thread = await recorded(12, { compactor });
    fails = false;
    const { sent } = await next(reload(thread.messages.slice(0, -1)), {
      compactor,
      contextWindow: 10_000,
    });
    expect(sent).toHaveLength(thread.messages.length - 1);
  });

  it("is of no account for another agent", async () => {
    const { messages } = await recorded(30, {}, "small");
    const { sent } = await next(messages, { contextWindow: 10_000 }, "large");
    expect(sent).toHaveLength(messages.length);
    const { sent: own } = await next(
      messages,
      { contextWindow: 10_000 },
      "small",
    );
    expect(own.length).toBeLessThan(messages.length / 2);
  });

  it("makes its report one on what was shown, whatever becomes of the history", async () => {
    const model = busyModel(0, "next");
    const { middleware, reports } = compaction({ contextWindow: 1_000 });
    const decision = (messageTokens: number) => ({
      contextWindow: 1_000,
      messageTokens,
      removedMessages: 0,
    });
    // Another middleware has taken 40 messages away since.
    const kept = toolStep(21, [480, 10]).map((message) =>
      message.type === "ai"
        ? Object.assign(message, {
            response_metadata: { context_compaction: decision(420) },
          })
        : message,
    );
    await createAgent({
      model,
      tools: [lookUp],
      middleware: [middleware],
    }).invoke({
      messages: [human("task"), ...kept],
    });
    expect(reports[0]).toMatchObject({
      reason: "below-trigger",
      tokensBefore: 30 + 60,
    });
  });
});

describe("a thread that changes hands", () => {
  it("looks the same to a hook", async () => {
    const thread = await recorded(30);
    const hook = hookOf({
      mode: "view",
      contextWindow: 400,
      overheadTokens: 50,
    });
    for (const call of quietCalls(thread)) {
      const { history, sent } = upTo(thread, call);
      expect(idsOf(await hook.view(history))).toEqual(sent);
    }
  });

  it("goes on from what was rewritten before", async () => {
    const rewriting = new CompactionHook({
      compactor: new SlidingWindowCompactor(),
      contextWindow: 400,
      compactAt: 0.5,
      compactTo: 0.25,
      tokenCounter: tens,
    });
    const { messages } = await rewriting.compact([
      human("task"),
      ...Array.from({ length: 12 }, (_, step) => toolStep(step)).flat(),
    ]);
    const { sent, fired } = await next(messages);
    expect(fired).toBe(0);
    expect(idsOf(sent)).toEqual(idsOf(messages));
  });

  it("takes replies without ids as they are", async () => {
    const model = fakeModel();
    for (let call = 1; call <= 12; call += 1) {
      model.respond(nameless(ai(`a${call}`, [`c${call}`])));
    }
    const { messages } = await createAgent({
      model: model.respond(nameless(ai("end"))),
      tools: [lookUp],
      middleware: [compaction().middleware],
    }).invoke({ messages: [human("task")] }, { recursionLimit: 99 });
    expect(messages).toHaveLength(26);
    expect(new Set(idsOf(messages)).size).toBe(26);
    expect(decisionOn(messages.at(-1)!)).toBeDefined();
  });
});

function nameless(message: BaseMessage): AIMessage {
  delete message.id;
  return message as AIMessage;
}
