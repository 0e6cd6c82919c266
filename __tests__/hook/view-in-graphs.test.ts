import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool as defineTool } from "@langchain/core/tools";
import {
  END,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { ai, human, idsOf } from "../support/make-messages.js";
import { agentThread, hookOf, reportingHook, toolStep } from "./threads.js";

const step = defineTool(async () => "done", {
  name: "look_up",
  description: "Looks something up.",
  schema: z.object({}),
});

/** A model that calls a tool so many times and then answers. */
function busyModel(calls: number): ReturnType<typeof fakeModel> {
  const llm = fakeModel();
  for (let call = 1; call <= calls; call += 1) {
    llm.respond(ai(`a${call}`, [`c${call}`]));
  }
  return llm.respond(ai("end"));
}

describe("a view as preModelHook", () => {
  it("leaves the state whole and keeps every request small", async () => {
    const llm = busyModel(20);
    const { hook, reports } = reportingHook({ mode: "view" });
    const agent = createReactAgent({
      llm,
      tools: [step],
      preModelHook: hook,
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" }, recursionLimit: 100 };
    const { messages } = await agent.invoke(
      { messages: [human("task")] },
      config,
    );

    expect(messages).toHaveLength(42);
    expect(messages.every(({ type }) => type !== "remove")).toBe(true);
    expect(llm.calls.every((call) => call.messages.length < 10)).toBe(true);
    expect(llm.calls.every((call) => call.messages[0]!.id === "task")).toBe(
      true,
    );
    expect(reports).toHaveLength(21);

    // What it showed stands in the state, in a channel of LangGraph's own.
    const { values } = await agent.getState(config);
    expect(idsOf(values.llmInputMessages)).toEqual(
      idsOf(llm.calls.at(-1)!.messages),
    );
    expect(idsOf(values.messages)).toEqual(idsOf(messages));
  });

  it("hands LangGraph a list on every call, since it would send an old one", async () => {
    const hook = hookOf({ mode: "view" });
    for (const history of [agentThread(1), agentThread(9), [human("q")]]) {
      const { llmInputMessages, messages } = await hook.invoke({
        messages: history,
      });
      expect(llmInputMessages!.length).toBeGreaterThan(0);
      expect(messages).toBeUndefined();
    }
  });

  it("does the same in a later run of the thread as in one process", async () => {
    const llm = busyModel(20);
    const whole = createReactAgent({
      llm,
      tools: [step],
      preModelHook: hookOf({ mode: "view" }),
    });
    await whole.invoke({ messages: [human("task")] }, { recursionLimit: 200 });

    const second = busyModel(20);
    const checkpointer = new MemorySaver();
    const config = { configurable: { thread_id: "1" }, recursionLimit: 4 };
    let input: unknown = { messages: [human("task")] };
    while (second.callCount < 21) {
      // Each stretch of a run is another process with a hook of its own.
      const agent = createReactAgent({
        llm: second,
        tools: [step],
        preModelHook: hookOf({ mode: "view" }),
        checkpointer,
      });
      await agent.invoke(input as null, config).catch(() => {});
      input = null;
    }
    const sent = (calls: typeof llm.calls): string[] =>
      calls.map((call) => call.messages.map((m) => m.type + m.text).join("|"));
    expect(sent(second.calls)).toEqual(sent(llm.calls));
  });

  it("streams no note and no removal", async () => {
    const agent = createReactAgent({
      llm: busyModel(12),
      tools: [step],
      preModelHook: hookOf({ mode: "view" }),
    });
    const streamed = new Set<string>();
    for await (const [message] of await agent.stream(
      { messages: [human("task")] },
      { streamMode: "messages", recursionLimit: 100 },
    )) {
      streamed.add(`${(message as BaseMessage).type} ${message.text}`);
    }
    expect([...streamed].filter((text) => text.includes("removed"))).toEqual(
      [],
    );
    expect([...streamed].some((text) => text.startsWith("human"))).toBe(false);
  });

  it("does not reach the call that makes a structured response", async () => {
    let structured: BaseMessage[] = [];
    const llm = Object.assign(busyModel(0), {
      withStructuredOutput: () =>
        RunnableLambda.from((messages: BaseMessage[]) => {
          structured = messages;
          return { sum: 4 };
        }),
    });
    const agent = createReactAgent({
      llm,
      tools: [],
      preModelHook: hookOf({ mode: "view" }),
      responseFormat: z.object({ sum: z.number() }),
    });
    const { structuredResponse } = await agent.invoke({
      messages: [...agentThread(9), human("sum?")],
    });
    expect(structuredResponse).toEqual({ sum: 4 });
    expect(llm.calls[0]!.messages.length).toBeLessThan(10);
    // All of the history, and the answer.
    expect(structured).toHaveLength(22);
  });
});

describe("a view in a node of one's own", () => {
  it("is what the node sends, and nothing that it stores", async () => {
    const view = hookOf().asView();
    const llm = busyModel(0);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }, config) => ({
        messages: [await view.pipe(llm).invoke(messages, config)],
      }))
      .addEdge(START, "model")
      .addEdge("model", END)
      .compile();
    const { messages } = await graph.invoke({
      messages: [...agentThread(8), ...toolStep(9)],
    });
    expect(messages).toHaveLength(21);
    expect(llm.calls[0]!.messages.length).toBeLessThan(10);
  });
});
