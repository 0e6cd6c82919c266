import { describe, expect, it } from "@jest/globals";
import { fakeModel } from "@langchain/core/testing";
import { MemorySaver } from "@langchain/langgraph";
import { createSupervisor } from "@langchain/langgraph-supervisor";
import { createHandoffTool, createSwarm } from "@langchain/langgraph-swarm";
import { createDeepAgent } from "deepagents";
import { createAgent } from "langchain";
import { hookOf } from "../hook/threads.js";
import { refusalsByOpenAI } from "../providers/wire/openai-rules.js";
import { sendWith } from "../providers/wire/send.js";
import { ai, human, idsOf } from "../support/make-messages.js";
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

async function refusals(model: FakeModel): Promise<unknown[]> {
  const said: unknown[] = [];
  for (const { messages } of model.calls) {
    said.push(...refusalsByOpenAI(await sendWith("openai", messages)));
  }
  return said;
}

const longest = (model: FakeModel): number =>
  Math.max(...model.calls.map((call) => call.messages.length));

describe("inside createDeepAgent", () => {
  it("compacts in the place of its own summarization", async () => {
    const model = busyModel(60);
    // Its tools and prompt count 170 tokens here.
    const { middleware, reports } = compaction({ contextWindow: 1_000 });
    const agent = createDeepAgent({
      model,
      tools: [lookUp],
      middleware: [{ ...middleware, name: "SummarizationMiddleware" }],
    });
    const { messages } = await agent.invoke(task, limits);
    expect(messages).toHaveLength(122);
    expect(firings(reports)).toBeGreaterThan(2);
    expect(breaksIn(model)).toBe(firings(reports));
    expect(longest(model)).toBeLessThan(45);
    expect(await refusals(model)).toEqual([]);
  });

  it("stands in a subagent too", async () => {
    const outer = fakeModel()
      .respond(
        ai("delegate", [
          {
            id: "d1",
            name: "task",
            args: { description: "look 40 times", subagent_type: "looker" },
          },
        ]),
      )
      .respond(ai("done"));
    const inner = busyModel(60);
    const { middleware, reports } = compaction({
      contextWindow: 1_000,
      mode: "rewrite",
    });
    const agent = createDeepAgent({
      model: outer,
      subagents: [
        {
          name: "looker",
          description: "looks things up",
          systemPrompt: "look",
          model: inner,
          tools: [lookUp],
          middleware: [{ ...middleware, name: "SummarizationMiddleware" }],
        },
      ],
    });
    const { messages } = await agent.invoke(task, limits);
    expect(messages.at(-1)!.id).toBe("done");
    expect(inner.callCount).toBe(61);
    expect(firings(reports)).toBeGreaterThan(2);
    expect(longest(inner)).toBeLessThan(45);
    expect(await refusals(inner)).toEqual([]);
  });
});

describe("in createSupervisor", () => {
  it("keeps each agent's view by its own window, and the history whole", async () => {
    const worker = busyModel(40, "w");
    const inside = compaction();
    const agent = createAgent({
      model: worker,
      tools: [lookUp],
      middleware: [inside.middleware],
      name: "worker",
    });
    const boss = fakeModel()
      .respond(ai("go", [{ id: "go1", name: "transfer_to_worker" }]))
      .respond(ai("done"));
    const seen: number[] = [];
    const graph = createSupervisor({
      agents: [agent.graph as never],
      llm: boss,
      outputMode: "full_history",
      preModelHook: hookOf({
        mode: "view",
        onReport: ({ tokensAfter }) => {
          seen.push(tokensAfter);
        },
      }),
    }).compile({ checkpointer: new MemorySaver() });
    const { messages } = await graph.invoke(task, {
      ...limits,
      configurable: { thread_id: "1" },
    });
    expect(idsOf(messages).filter((id) => /^w[a]\d+$/.test(id))).toHaveLength(
      40,
    );
    expect(messages.some(({ text }) => text.includes("were removed"))).toBe(
      false,
    );
    expect(longest(worker)).toBeLessThan(17);
    expect(breaksIn(worker)).toBe(firings(inside.reports));
    expect(seen).toHaveLength(2);
    expect(boss.calls.at(-1)!.messages.length).toBeLessThan(12);
    expect(await refusals(worker)).toEqual([]);
    expect(await refusals(boss)).toEqual([]);
  });
});

describe("in createSwarm", () => {
  it("lets agents of different windows share one history", async () => {
    const handTo = (agentName: string) => createHandoffTool({ agentName });
    const smallModel = fakeModel();
    const largeModel = fakeModel();
    for (let turn = 1; turn <= 6; turn += 1) {
      for (const [model, name, other] of [
        [smallModel, "s", "large"],
        [largeModel, "l", "small"],
      ] as const) {
        for (let call = 1; call <= 6; call += 1) {
          model.respond(
            ai(`${name}${turn}.${call}`, [`${name}${turn}.${call}`]),
          );
        }
        model.respond(
          turn === 6 && name === "l"
            ? ai("end")
            : ai(`${name}${turn}.hand`, [
                { id: `${name}${turn}.hand`, name: `transfer_to_${other}` },
              ]),
        );
      }
    }
    const small = compaction({ mode: "rewrite" });
    const large = compaction({ contextWindow: 1_200 });
    const swarm = createSwarm({
      agents: [
        createAgent({
          model: smallModel,
          tools: [lookUp, handTo("large")],
          middleware: [small.middleware],
          name: "small",
        }).graph as never,
        createAgent({
          model: largeModel,
          tools: [lookUp, handTo("small")],
          middleware: [large.middleware],
          name: "large",
        }).graph as never,
      ],
      defaultActiveAgent: "small",
    }).compile({ checkpointer: new MemorySaver() });
    const { messages } = await swarm.invoke(task, {
      ...limits,
      configurable: { thread_id: "1" },
    });

    // Nobody's compaction has left the shared history.
    expect(messages.some(({ text }) => text.includes("were removed"))).toBe(
      false,
    );
    expect(messages.at(-1)!.id).toBe("end");
    expect(new Set(idsOf(messages)).size).toBe(messages.length);
    expect(messages.length).toBeGreaterThan(160);
    // Each by its own window, whatever the other decided.
    expect(longest(smallModel)).toBeLessThan(20);
    expect(longest(largeModel)).toBeGreaterThan(40);
    expect(longest(largeModel)).toBeLessThan(60);
    expect(breaksIn(largeModel)).toBe(firings(large.reports));
    expect(firings(large.reports)).toBeLessThan(8);
    expect(decisionOn(messages.at(-1)!)).toMatchObject({ agent: "large" });
    expect(await refusals(smallModel)).toEqual([]);
    expect(await refusals(largeModel)).toEqual([]);
  });
});
