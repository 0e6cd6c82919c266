import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { MemorySaver } from "@langchain/langgraph";
import {
  createAgent,
  createMiddleware,
  providerStrategy,
  toolStrategy,
} from "langchain";
import { SlidingWindowCompactor } from "langchain-compaction";
import { z } from "zod";
import { ai, human, idsOf } from "../support/make-messages.js";
import { agentThread, toolStep } from "../hook/threads.js";
import {
  breaksIn,
  busyModel,
  compaction,
  decisionOn,
  firings,
  lookUp,
} from "./agents.js";

const sum = z.object({ sum: z.number() });

/** A thread that is above the trigger. */
const long = (): BaseMessage[] => agentThread(12).slice(1);

describe.each([
  ["with a note", new SlidingWindowCompactor()],
  ["without one", new SlidingWindowCompactor({ omissionNote: null })],
])("a middleware that rewrites, %s", (_, compactor) => {
  it("keeps the state as small as what it shows, and shows what a view would", async () => {
    const model = busyModel(40);
    const { middleware, reports } = compaction({ compactor, mode: "rewrite" });
    const agent = createAgent({
      model,
      tools: [lookUp],
      middleware: [middleware],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" }, recursionLimit: 200 };
    const { messages } = await agent.invoke(
      { messages: [human("task")] },
      config,
    );
    expect(messages.length).toBeLessThan(17);
    expect(messages.at(-1)!.id).toBe("end");
    expect(new Set(idsOf(messages)).size).toBe(messages.length);
    expect(breaksIn(model)).toBe(firings(reports));

    const viewed = busyModel(40);
    const view = compaction({ compactor });
    await createAgent({
      model: viewed,
      tools: [lookUp],
      middleware: [view.middleware],
    }).invoke({ messages: [human("task")] }, { recursionLimit: 200 });
    expect(firings(view.reports)).toBe(firings(reports));
    expect(model.calls.map((call) => call.messages.map((m) => m.text))).toEqual(
      viewed.calls.map((call) => call.messages.map((m) => m.text)),
    );
  });
});

describe("writing back", () => {
  it("streams neither note nor removal", async () => {
    const agent = createAgent({
      model: busyModel(0),
      tools: [lookUp],
      middleware: [compaction({ mode: "rewrite" }).middleware],
    });
    const streamed: string[] = [];
    for await (const [message] of await agent.stream(
      { messages: long() },
      { streamMode: "messages" },
    )) {
      streamed.push((message as BaseMessage).type);
    }
    expect([...new Set(streamed)]).toEqual(["ai"]);
  });

  it("counts on over notes and runs", async () => {
    const agent = createAgent({
      model: busyModel(0).respond(ai("again")),
      tools: [lookUp],
      middleware: [compaction({ mode: "rewrite" }).middleware],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" } };
    await agent.invoke({ messages: long() }, config);
    const { messages } = await agent.invoke(
      {
        messages: Array.from({ length: 9 }, (_, i) => toolStep(20 + i)).flat(),
      },
      config,
    );
    const note = messages.find(({ id }) => id!.startsWith("compaction-note"));
    expect(note!.additional_kwargs["context_compaction"]).toMatchObject({
      // Of 25, one answer, 18 and another answer.
      removedMessages: 45 - (messages.length - 1),
    });
  });

  it.each(["rewrite", "view"] as const)(
    "keeps the structured response that a tool brings: %s",
    async (mode) => {
      const responseFormat = toolStrategy(sum);
      const { structuredResponse, messages } = await createAgent({
        model: fakeModel().respondWithTools([extract(responseFormat, 4)]),
        tools: [lookUp],
        responseFormat,
        middleware: [compaction({ mode }).middleware],
      }).invoke({ messages: long() });
      expect(structuredResponse).toEqual({ sum: 4 });
      expect(messages.slice(-3).map((m) => m.type)).toEqual([
        "ai",
        "tool",
        "ai",
      ]);
      // Only the first of the two was a model's.
      expect(messages.filter((m) => decisionOn(m) !== undefined)).toEqual([
        messages.at(-3),
      ]);
      expect(messages.filter(isNote)).toHaveLength(mode === "rewrite" ? 1 : 0);
    },
  );

  it.each(["rewrite", "view"] as const)(
    "keeps the structured response that the provider brings: %s",
    async (mode) => {
      const { structuredResponse, messages } = await createAgent({
        model: fakeModel().respond(ai("end", [], { content: '{"sum":4}' })),
        tools: [lookUp],
        responseFormat: providerStrategy(sum),
        middleware: [compaction({ mode }).middleware],
      }).invoke({ messages: long() });
      expect(structuredResponse).toEqual({ sum: 4 });
      expect(messages.at(-1)!.id).toBe("end");
      expect(decisionOn(messages.at(-1)!)).toBeDefined();
      expect(messages.filter(isNote)).toHaveLength(mode === "rewrite" ? 1 : 0);
    },
  );

  it.each(["rewrite", "view"] as const)(
    "stays away while structured output is asked for again: %s",
    async (mode) => {
      const responseFormat = toolStrategy(sum);
      const model = fakeModel()
        .respondWithTools([extract(responseFormat, "four")])
        .respondWithTools([extract(responseFormat, 4)]);
      const { structuredResponse, messages } = await createAgent({
        model,
        tools: [lookUp],
        responseFormat,
        middleware: [compaction({ mode }).middleware],
      }).invoke({ messages: long() });
      expect(structuredResponse).toEqual({ sum: 4 });
      const second = model.calls[1]!.messages;
      expect(second.slice(-2).map((m) => m.type)).toEqual(["ai", "tool"]);
      expect(second.filter((m) => m.type === "ai").length).toBe(
        second.filter((m) => m.type === "tool").length,
      );
      expect(new Set(idsOf(messages)).size).toBe(messages.length);
    },
  );

  it("stays away from a list that another middleware changed", async () => {
    const first = createMiddleware({
      name: "First",
      wrapModelCall: async (request, handler) =>
        handler({ ...request, messages: request.messages.slice(0, -1) }),
    });
    const { messages } = await createAgent({
      model: busyModel(0),
      tools: [lookUp],
      middleware: [first, compaction({ mode: "rewrite" }).middleware],
    }).invoke({ messages: [...long(), human("unseen")] });
    expect(messages).toHaveLength(27);
    expect(decisionOn(messages.at(-1)!)).toBeDefined();
  });
});

/** A call to the tool by which the agent takes structured output. */
function extract(
  [format]: ReturnType<typeof toolStrategy>,
  value: number | string,
): { name: string; args: Record<string, unknown>; id: string } {
  return { name: format!.name, args: { sum: value }, id: `x${value}` };
}

function isNote({ text }: BaseMessage): boolean {
  return /^\[\d+ earlier messages were removed/.test(text);
}
