import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, modelRetryMiddleware, toolStrategy } from "langchain";
import {
  CompactionHook,
  SlidingWindowCompactor,
  SummarizationCompactor,
} from "langchain-compaction";
import type { CompactionMiddlewareOptions } from "langchain-compaction/middleware";
import { z } from "zod";
import { tens } from "../hook/threads.js";
import { ai, human } from "../support/make-messages.js";
import {
  breaksIn,
  busyModel,
  compaction,
  decisionOn,
  type FakeModel,
  firings,
  lookUp,
} from "./agents.js";

const task = { messages: [human("task")] };
const limits = { recursionLimit: 300 };

/** A summariser that says which of its calls it was. */
function summariser(name = "s"): FakeModel {
  const model = fakeModel();
  for (let call = 1; call <= 100; call += 1) {
    model.respond(
      ai(`${name}${call}`, [], { content: `${name} said ${call}` }),
    );
  }
  return model;
}

function summaries(
  model: FakeModel,
  more: Partial<CompactionMiddlewareOptions> = {},
): ReturnType<typeof compaction> {
  return compaction({
    compactor: new SummarizationCompactor({
      model,
      approximateSummaryTokens: 10,
    }),
    ...more,
  });
}

const texts = (messages: readonly BaseMessage[]): string[] =>
  messages.map(({ type, text }) => `${type}: ${text}`);

describe("summaries in a view", () => {
  it("are written once, and the state keeps the messages", async () => {
    const writer = summariser();
    const model = busyModel(60);
    const { middleware, reports } = summaries(writer);
    const { messages, ...others } = await createAgent({
      model,
      tools: [lookUp],
      middleware: [middleware],
    }).invoke(task, limits);
    expect(messages).toHaveLength(122);
    expect(Object.keys(others)).toEqual([]);
    expect(firings(reports)).toBeGreaterThan(3);
    expect(breaksIn(model)).toBe(firings(reports));
    expect(writer.callCount).toBeLessThanOrEqual(2 * firings(reports));
    expect(model.calls.at(-1)!.messages.some(isSummary)).toBe(true);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(122);
  });

  it.each(
    (["Ann", undefined] as const).flatMap((name) =>
      (["view", "rewrite"] as const).map((mode) => ({ name, mode })),
    ),
  )(
    "leave the agent's name on its replies: $name, $mode",
    async ({ name, mode }) => {
      const { middleware, reports } = summaries(summariser(), { mode });
      const namesWith = async (
        used: (typeof middleware)[],
      ): Promise<(string | undefined)[]> => {
        const { messages } = await createAgent({
          model: busyModel(40),
          tools: [lookUp],
          middleware: used,
          ...(name === undefined ? {} : { name }),
        }).invoke(task, limits);
        return messages.filter((m) => m.type === "ai").map((m) => m.name);
      };
      const named = await namesWith([middleware]);
      expect(firings(reports)).toBeGreaterThan(1);
      expect(new Set(named)).toEqual(new Set(await namesWith([])));
    },
  );

  it("are written where older reports are on far less than the history", async () => {
    // As trimmed requests leave them: never more than 150 tokens.
    const trimmed = Array.from({ length: 60 }, (_, turn) => [
      human(`q${turn}`),
      ai(`a${turn}`, [], { usage: [140, 10] }),
    ]).flat();
    const model = fakeModel()
      .respond(new Error("The maximum context length is 400 tokens."))
      .respond(ai("end"));
    const { middleware, reports } = summaries(summariser());
    await createAgent({
      model,
      tools: [lookUp],
      middleware: [middleware],
    }).invoke({ messages: [...trimmed, human("next")] });
    expect(reports.map(({ reason }) => reason)).toEqual([
      "above-trigger",
      "context-overflow",
    ]);
    // No counter is off by more than four times.
    const sizes = model.calls.map(({ messages }) => messages.length * 10);
    expect(sizes[0]).toBeLessThan(4 * 400);
    expect(sizes[1]).toBeLessThanOrEqual(100);
  });

  it("are the same in a later run of another process, and none is bought again", async () => {
    const checkpointer = new MemorySaver();
    const config = { configurable: { thread_id: "1" }, ...limits };
    const first = busyModel(40);
    const writer = summariser();
    await createAgent({
      model: first,
      tools: [lookUp],
      middleware: [summaries(writer).middleware],
      checkpointer,
    }).invoke(task, config);
    expect(writer.callCount).toBeGreaterThan(1);

    const another = summariser("t");
    const second = busyModel(0, "b");
    const later = summaries(another, { contextWindow: 4_000 });
    await createAgent({
      model: second,
      tools: [lookUp],
      middleware: [later.middleware],
      checkpointer,
    }).invoke({ messages: [human("and now?")] }, config);
    expect(another.callCount).toBe(0);
    expect(firings(later.reports)).toBe(0);
    const before = texts(first.calls.at(-1)!.messages);
    expect(texts(second.calls[0]!.messages).slice(0, before.length)).toEqual(
      before,
    );
  });

  it("are those of the checkpoint in a fork", async () => {
    const checkpointer = new MemorySaver();
    const config = { configurable: { thread_id: "1" }, ...limits };
    const model = busyModel(40);
    const agent = createAgent({
      model,
      tools: [lookUp],
      middleware: [summaries(summariser()).middleware],
      checkpointer,
    });
    await agent.invoke(task, config);
    const states = [];
    for await (const state of agent.graph.getStateHistory(config)) {
      states.push(state);
    }
    const early = states.find(
      ({ values, next }) =>
        values.messages?.length === 41 && next.includes("model_request"),
    )!;
    const fork = busyModel(0, "fork");
    const writer = summariser("fork");
    await createAgent({
      model: fork,
      tools: [lookUp],
      middleware: [summaries(writer, { contextWindow: 4_000 }).middleware],
      checkpointer,
    }).graph.invoke(null, early.config);
    expect(writer.callCount).toBe(0);
    // The call from that checkpoint, or what came before its own compaction.
    const then = texts(model.calls[20]!.messages);
    const shown = texts(fork.calls[0]!.messages);
    const sameStart = texts(model.calls[19]!.messages);
    expect([then, [...sameStart, ...shown.slice(-2)]]).toContainEqual(shown);
  });

  it("are not written again for a call that failed", async () => {
    const writer = summariser();
    const model = fakeModel();
    for (let call = 1; call <= 40; call += 1) {
      model
        .respond(new Error("busy"))
        .respond(new Error("busy"))
        .respond(ai(`a${call}`, [`c${call}`]));
    }
    const { middleware } = summaries(writer);
    await createAgent({
      model: model.respond(ai("end")),
      tools: [lookUp],
      middleware: [
        modelRetryMiddleware({ maxRetries: 3, initialDelayMs: 0 }),
        middleware,
      ],
    }).invoke(task, limits);
    const steady = summariser();
    await createAgent({
      model: busyModel(40),
      tools: [lookUp],
      middleware: [summaries(steady).middleware],
    }).invoke(task, limits);
    expect(writer.callCount).toBe(steady.callCount);
  });

  it("that fail leave what was shown, and the past alone", async () => {
    const writer = fakeModel();
    for (let call = 1; call <= 200; call += 1) {
      writer.respond(call % 3 === 0 ? ai(`s${call}`) : new Error("down"));
    }
    const model = busyModel(60);
    const { middleware, reports } = summaries(writer);
    const { messages } = await createAgent({
      model,
      tools: [lookUp],
      middleware: [middleware],
    }).invoke(task, limits);
    expect(messages).toHaveLength(122);
    expect(reports.some(({ outcome }) => outcome === "failed")).toBe(true);
    expect(firings(reports)).toBeGreaterThan(2);
    expect(breaksIn(model)).toBe(firings(reports));
  });

  it("stand among tiers, and beside a structured response", async () => {
    const writer = summariser();
    const responseFormat = toolStrategy(z.object({ sum: z.number() }));
    const model = fakeModel();
    for (let call = 1; call <= 20; call += 1) {
      model.respond(ai(`a${call}`, [`c${call}`]));
    }
    const format = responseFormat[0]!.name;
    const { middleware, reports } = compaction({
      contextWindow: 250,
      compactor: [
        new SummarizationCompactor({
          model: writer,
          approximateSummaryTokens: 10,
        }),
        new SlidingWindowCompactor(),
      ],
    });
    const { structuredResponse, messages } = await createAgent({
      model: model
        .respond(ai("wrong", [{ id: "x1", name: format, args: { sum: "no" } }]))
        .respond(ai("right", [{ id: "x2", name: format, args: { sum: 4 } }])),
      tools: [lookUp],
      responseFormat,
      middleware: [middleware],
    }).invoke(task, limits);
    expect(structuredResponse).toEqual({ sum: 4 });
    expect(breaksIn(model)).toBe(firings(reports));
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
    const wrong = messages.find(({ id }) => id === "wrong")!;
    expect(decisionOn(wrong)).toBeDefined();
    expect(messages[messages.indexOf(wrong) + 1]!.type).toBe("tool");
  });

  it("keep replies without ids single", async () => {
    const model = fakeModel();
    for (let call = 1; call <= 40; call += 1) {
      const reply = ai(`a${call}`, [`c${call}`]);
      delete reply.id;
      model.respond(reply);
    }
    const { middleware, reports } = summaries(summariser());
    const { messages } = await createAgent({
      model: model.respond(ai("end")),
      tools: [lookUp],
      middleware: [middleware],
    }).invoke(task, limits);
    expect(firings(reports)).toBeGreaterThan(2);
    expect(messages).toHaveLength(82);
  });

  it("are written into the state by a middleware that rewrites", async () => {
    const { middleware } = summaries(summariser(), { mode: "rewrite" });
    const { messages } = await createAgent({
      model: busyModel(40),
      tools: [lookUp],
      middleware: [middleware],
    }).invoke(task, limits);
    expect(messages.length).toBeLessThan(17);
    expect(messages.some(isSummary)).toBe(true);
  });

  it("are no affair of a hook by itself, which could not keep them", () => {
    expect(
      () =>
        new CompactionHook({
          compactor: new SummarizationCompactor({ model: summariser() }),
          contextWindow: 400,
          tokenCounter: tens,
          mode: "view",
        }),
    ).toThrow(/"compactor" writes summaries/);
  });
});

function isSummary({ text }: BaseMessage): boolean {
  return text.startsWith("[Summary of ");
}
