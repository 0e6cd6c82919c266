import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { fakeModel } from "@langchain/core/testing";
import { tool as defineTool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { SlidingWindowCompactor } from "langchain-compaction";
import type {
  CompactionHook,
  CompactionReport,
  CompactorLike,
} from "langchain-compaction";
import { z } from "zod";
import { ai, human } from "../support/make-messages.js";
import { agentThread, hookOf, reportingHook } from "./threads.js";

const CALLS = 12;

/** An agent that calls its tool twelve times and ends; reports are as the counter has it. */
function agentWith(hook: CompactionHook) {
  const llm = fakeModel();
  for (let call = 1; call <= CALLS; call += 1) {
    llm.respond((messages) =>
      ai(`a${call}`, [`c${call}`], { usage: [messages.length * 10, 10] }),
    );
  }
  llm.respond(ai("end"));
  return createReactAgent({
    llm,
    tools: [
      defineTool(async () => "done", {
        name: "look_up",
        description: "Looks something up.",
        schema: z.object({}),
      }),
    ],
    preModelHook: hook,
    checkpointer: new MemorySaver(),
  });
}

const config = () => ({
  configurable: { thread_id: "1" },
  recursionLimit: 100,
});
const input = () => ({ messages: [human("task")] });

describe.each([
  ["with a note", new SlidingWindowCompactor()],
  ["without a note", new SlidingWindowCompactor({ omissionNote: null })],
])("streamMode messages, %s", (_name, compactor) => {
  it("shows each message of the agent once, and nothing of the hook", async () => {
    const { hook, reports } = reportingHook({ compactor });
    const agent = agentWith(hook);

    const shown: string[] = [];
    for await (const [message, metadata] of await agent.stream(input(), {
      ...config(),
      streamMode: "messages",
    })) {
      expect(metadata.langgraph_node).not.toBe("pre_model_hook");
      shown.push(`${message.type} ${message.id ?? ""}`);
    }

    expect(
      reports.filter((r) => r.outcome === "compacted").length,
    ).toBeGreaterThan(1);
    const ofModel = shown.filter((entry) => entry.startsWith("ai "));
    expect(ofModel).toHaveLength(CALLS + 1);
    expect(new Set(ofModel).size).toBe(CALLS + 1);
    expect(shown.filter((entry) => entry.startsWith("tool"))).toHaveLength(
      CALLS,
    );
    expect(shown).toHaveLength(2 * CALLS + 1);
  });
});

describe("reports", () => {
  it("are custom events of streamEvents, with ids and counts and no content", async () => {
    const { hook, reports } = reportingHook();
    const agent = agentWith(hook);

    const events: CompactionReport[] = [];
    for await (const event of agent.streamEvents(input(), {
      ...config(),
      version: "v2",
    })) {
      if (
        event.event === "on_custom_event" &&
        event.name === "context_compaction"
      ) {
        events.push(event.data as CompactionReport);
      }
    }

    const told = reports.filter((r) => r.reason !== "below-trigger");
    expect(told.length).toBeGreaterThan(1);
    expect(events).toEqual(told);
    expect(JSON.stringify(events)).not.toMatch(/question|result r/);
  });

  it("reach streamMode custom where that is asked for", async () => {
    const { hook, reports } = reportingHook({ streamReports: true });

    const chunks: unknown[] = [];
    for await (const chunk of await agentWith(hook).stream(input(), {
      ...config(),
      streamMode: "custom",
    })) {
      chunks.push(chunk);
    }

    const told = reports.filter((r) => r.reason !== "below-trigger");
    expect(told.length).toBeGreaterThan(1);
    expect(chunks).toEqual(told.map((r) => ({ context_compaction: r })));
  });

  it("stay out of streamMode custom otherwise", async () => {
    const chunks: unknown[] = [];
    for await (const chunk of await agentWith(hookOf()).stream(input(), {
      ...config(),
      streamMode: "custom",
    })) {
      chunks.push(chunk);
    }
    expect(chunks).toEqual([]);
  });

  it("are events outside a graph too", async () => {
    const { hook, reports } = reportingHook();
    const events: unknown[] = [];
    for await (const event of hook.streamEvents(
      { messages: agentThread(5) },
      { version: "v2" },
    )) {
      if (event.event === "on_custom_event") {
        events.push(event.data);
      }
    }
    expect(reports).toHaveLength(1);
    expect(events).toEqual(reports);
  });

  it("are no trouble for a run without callbacks", async () => {
    const { hook, reports } = reportingHook({ streamReports: true });
    await hook.invoke({ messages: agentThread(5) });
    await hook.invoke({ messages: agentThread(5) }, undefined);
    await hook.invoke({ messages: agentThread(5) }, {});
    expect(reports).toHaveLength(3);
  });

  it("show an error's name, code and text, and no stack", async () => {
    const compactor: CompactorLike = {
      compact: async () => {
        throw new Error("out of order");
      },
    };
    const { hook, reports } = reportingHook({ compactor });
    const events: Record<string, unknown>[] = [];
    for await (const event of hook.streamEvents(
      { messages: agentThread(5) },
      { version: "v2" },
    )) {
      if (event.event === "on_custom_event") {
        events.push(event.data as Record<string, unknown>);
      }
    }
    expect(reports[0]!.error?.cause).toEqual(new Error("out of order"));
    expect(events[0]!["error"]).toEqual({
      name: "CompactionError",
      code: "COMPACTION_FAILED",
      message: "out of order",
    });
  });

  it("are part of the traced run's output, beside the update", async () => {
    class Trace extends BaseCallbackHandler {
      name = "trace";
      readonly runs: { name: string | undefined; output: unknown }[] = [];
      #names = new Map<string, string | undefined>();

      override handleChainStart(
        _chain: unknown,
        _inputs: unknown,
        runId: string,
        _parent?: string,
        _tags?: string[],
        _metadata?: unknown,
        _type?: string,
        name?: string,
      ): void {
        this.#names.set(runId, name);
      }

      override handleChainEnd(output: unknown, runId: string): void {
        this.runs.push({ name: this.#names.get(runId), output });
      }
    }
    const trace = new Trace();
    const { hook, reports } = reportingHook();
    await hook.invoke({ messages: agentThread(5) }, { callbacks: [trace] });

    expect(trace.runs).toEqual([
      {
        name: "CompactionHook",
        output: { update: expect.anything(), report: reports[0] },
      },
    ]);
  });
});

describe("a listener that fails", () => {
  const failing = () => {
    throw new Error("listener");
  };

  it("does not stop the run", async () => {
    const { messages } = await hookOf({ onReport: failing }).invoke({
      messages: agentThread(5),
    });
    expect(messages).toHaveLength(6);
  });

  it("that is asynchronous does not either", async () => {
    const { messages } = await hookOf({
      onReport: (async () => failing()) as () => void,
    }).invoke({ messages: agentThread(5) });
    expect(messages).toHaveLength(6);
  });

  it("is an error with raiseOnFailure", async () => {
    await expect(
      hookOf({ onReport: failing, raiseOnFailure: true }).invoke({
        messages: agentThread(5),
      }),
    ).rejects.toMatchObject({
      code: "COMPACTION_FAILED",
      cause: new Error("listener"),
    });
  });
});
