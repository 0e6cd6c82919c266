import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { fakeModel } from "@langchain/core/testing";
import { tool as defineTool } from "@langchain/core/tools";
import {
  END,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import {
  CompactionHook,
  CompactorPipeline,
  ContextWindowCompactor,
  ToolCallCollapseCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
} from "langchain-compaction";
import { z } from "zod";
import { ai, human, idsOf, system, tool } from "../support/make-messages.js";

/** Ten tokens a message, one for whatever a compactor makes. */
const tokenCounter = ([message]: readonly BaseMessage[]): number =>
  message!.id?.startsWith("compaction-") ? 1 : 10;

/** 130 tokens in three turns of a tool step each. */
const conversation: readonly BaseMessage[] = [
  system("s"),
  ...[1, 2, 3].flatMap((turn) => [
    human(`h${turn}`),
    ai(`a${turn}`, [`c${turn}`]),
    tool(`t${turn}`, `c${turn}`),
    ai(`b${turn}`),
  ]),
];

const to91 = { targetTokens: 91, tokenCounter } as const;

const compactors = [
  ["TurnWindowCompactor", new TurnWindowCompactor(to91), 10],
  [
    "TruncationCompactor",
    new TruncationCompactor({ ...to91, minKeepGroups: 1 }),
    10,
  ],
  [
    "ToolCallCollapseCompactor",
    new ToolCallCollapseCompactor({ ...to91, minKeepGroups: 0 }),
    10,
  ],
  [
    "ContextWindowCompactor",
    new ContextWindowCompactor({ contextWindow: 180, tokenCounter }),
    11,
  ],
  [
    "CompactorPipeline",
    new CompactorPipeline(
      [
        new ToolCallCollapseCompactor({ minKeepGroups: 5 }),
        new TurnWindowCompactor(),
      ],
      to91,
    ),
    10,
  ],
] as const;

const lookUp = defineTool(async () => "done", {
  name: "look_up",
  description: "Looks something up.",
  schema: z.object({}),
});

describe.each(compactors)("%s", (name, compactor, left) => {
  it("is a Runnable from messages to messages, as a chat reducer is", async () => {
    const reduced = await compactor.invoke([...conversation]);
    expect(reduced).toHaveLength(left);
    expect(reduced.at(-1)).toBe(conversation.at(-1));
    // What fits already comes back as it is.
    expect(await compactor.invoke(reduced)).toEqual(reduced);
    const few = conversation.slice(0, 3);
    expect(await compactor.invoke([...few])).toEqual(few);
    expect(compactor.getName()).toBe(name);
  });

  it("stands between a prompt and a model", async () => {
    const model = fakeModel().respond(ai("reply"));
    const prompt = ChatPromptTemplate.fromMessages([
      ["placeholder", "{history}"],
    ]);
    const chain = prompt.pipe(compactor).pipe(model);
    await chain.invoke({ history: [...conversation] });
    expect(model.calls[0]!.messages).toHaveLength(left);
  });

  it("takes other sizes with withConfig", async () => {
    const bound = compactor.withConfig({ tokenCounter: () => 0 });
    expect(await bound.invoke([...conversation])).toHaveLength(13);
  });

  it("works in the hook of a prebuilt agent", async () => {
    const llm = fakeModel();
    for (let call = 1; call <= 8; call += 1) {
      llm.respond(ai(`a${call}`, [`c${call}`])).respond(ai(`b${call}`));
    }
    const outcomes: string[] = [];
    const agent = createReactAgent({
      llm,
      tools: [lookUp],
      preModelHook: new CompactionHook({
        compactor,
        contextWindow: 180,
        tokenCounter,
        onReport: ({ outcome }) => outcomes.push(outcome),
      }),
    });
    let messages: BaseMessage[] = [system("s")];
    for (let turn = 1; turn <= 8; turn += 1) {
      ({ messages } = await agent.invoke({
        messages: [...messages, human(`h${turn}`)],
      }));
      expect(messages.some(({ id }) => id === `h${turn}`)).toBe(true);
    }
    expect(outcomes).not.toContain("failed");
    expect(outcomes).toContain("compacted");
    expect(messages.length).toBeLessThan(32);
  });

  it("works in a graph of one's own, with and without the hook", async () => {
    const hook = new CompactionHook({
      compactor,
      contextWindow: 180,
      tokenCounter,
    });
    const seen: number[] = [];
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("compact", async (state, config) => hook.invoke(state, config))
      .addNode("model", async (state) => {
        const { length } = await compactor.invoke(state.messages);
        seen.push(length);
        return { messages: [ai("reply")] };
      })
      .addEdge(START, "compact")
      .addEdge("compact", "model")
      .addEdge("model", END)
      .compile();
    const { messages } = await graph.invoke({ messages: [...conversation] });
    expect(seen[0]).toBeLessThanOrEqual(left);
    expect(messages.at(-1)!.id).toBe("reply");
    expect(messages.length).toBeLessThan(conversation.length + 1);
    expect(idsOf(messages)).toContain("h3");
  });
});
