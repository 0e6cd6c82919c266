import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { fakeModel } from "@langchain/core/testing";
import { tool as defineTool } from "@langchain/core/tools";
import {
  Annotation,
  END,
  MemorySaver,
  MessagesAnnotation,
  messagesStateReducer,
  MessagesValue,
  MessagesZodMeta,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { withLangGraph } from "@langchain/langgraph/zod";
import { CompactionError, type CompactionHook } from "langchain-compaction";
import { z } from "zod";
import { ai, human, idsOf, tool } from "../support/make-messages.js";
import { agentThread, hookOf, reportingHook } from "./threads.js";

const COMPACTED = ["s", "task", "compaction-note-a1", "a5", "r5"];

const step = defineTool(async () => "done", {
  name: "look_up",
  description: "Looks something up.",
  schema: z.object({}),
});

describe("as preModelHook of createReactAgent", () => {
  it("keeps the state and every request inside the window", async () => {
    const llm = fakeModel();
    for (let call = 1; call <= 20; call += 1) {
      llm.respondWithTools([{ name: "look_up", args: {}, id: `c${call}` }]);
    }
    llm.respond(ai("end"));
    const { hook, reports } = reportingHook();
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

    expect(llm.callCount).toBe(21);
    for (const call of llm.calls) {
      expect(call.messages.length * 10).toBeLessThan(100);
      expect(call.messages[0]!.id).toBe("task");
    }
    expect(messages.length).toBeLessThan(11);
    expect(messages.at(-1)!.id).toBe("end");
    const compactions = reports.filter((r) => r.outcome === "compacted");
    expect(reports).toHaveLength(21);
    expect(compactions.length).toBeGreaterThan(3);
    expect(compactions.length).toBeLessThan(8);
    const state = await agent.getState(config);
    expect(idsOf(state.values.messages)).toEqual(idsOf(messages));
  });

  it("goes on with the count of removed messages in the next run of a thread", async () => {
    const llm = fakeModel();
    for (let call = 1; call <= 40; call += 1) {
      llm.respond((messages) =>
        (messages.at(-1) as BaseMessage).type === "human" && call < 40
          ? ai(`a${call}`, [`c${call}`])
          : ai(`a${call}`),
      );
    }
    const { hook, reports } = reportingHook();
    const agent = createReactAgent({
      llm,
      tools: [step],
      preModelHook: hook,
      checkpointer: new MemorySaver(),
    });

    const config = { configurable: { thread_id: "1" } };
    let sent = 0;
    let last: BaseMessage[] = [];
    for (let run = 1; run <= 12; run += 1) {
      ({ messages: last } = await agent.invoke(
        { messages: [human(`q${run}`)] },
        config,
      ));
      sent += 4;
    }

    const removed = reports.reduce((sum, r) => sum + r.removedIds.length, 0);
    const notes = last.filter(
      ({ additional_kwargs }) => "context_compaction" in additional_kwargs,
    );
    expect(notes).toHaveLength(1);
    // Earlier notes are among the ids that went, and are not originals.
    const goneNotes = reports
      .flatMap((r) => r.removedIds)
      .filter((id) => id.startsWith("compaction-note")).length;
    expect(notes[0]!.additional_kwargs["context_compaction"]).toMatchObject({
      removedMessages: removed - goneNotes,
    });
    expect(last.length - 1 + removed - goneNotes).toBe(sent);
  });
});

describe("the recursion limit", () => {
  it.each([
    ["without a hook", undefined, 13],
    ["with one, which is a step", hookOf(), 8],
  ])(
    "of 25 steps is so many model calls %s: %#",
    async (_name, hook, calls) => {
      const llm = fakeModel();
      for (let call = 1; call <= 30; call += 1) {
        llm.respondWithTools([{ name: "look_up", args: {}, id: `c${call}` }]);
      }
      const agent = createReactAgent({
        llm,
        tools: [step],
        ...(hook === undefined ? {} : { preModelHook: hook }),
      });
      await expect(agent.invoke({ messages: [human("task")] })).rejects.toThrow(
        /Recursion limit of 25/,
      );
      expect(llm.callCount).toBe(calls);
    },
  );
});

describe("as a node of a graph", () => {
  const Zod = z.object({
    messages: withLangGraph(z.custom<BaseMessage[]>(), MessagesZodMeta),
  });
  const Reduced = Annotation.Root({
    messages: Annotation<BaseMessage[]>({
      reducer: messagesStateReducer,
      default: () => [],
    }),
  });
  const Schema = new StateSchema({ messages: MessagesValue });

  it.each([
    ["MessagesAnnotation", MessagesAnnotation],
    ["a zod state", Zod],
    ["an annotation with the messages reducer", Reduced],
    ["a StateSchema", Schema],
  ])("rewrites %s, in order, keeping objects", async (_name, state) => {
    const before = agentThread(5);
    let after: BaseMessage[] = [];
    const graph = new StateGraph(state as typeof MessagesAnnotation)
      .addNode("compact", hookOf())
      .addNode("look", ({ messages }) => {
        after = messages;
        return {};
      })
      .addEdge(START, "compact")
      .addEdge("compact", "look")
      .addEdge("look", END)
      .compile();

    const { messages } = await graph.invoke({ messages: before });

    expect(idsOf(messages)).toEqual(COMPACTED);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after[3]).toBe(before.at(-2));
    expect(after[4]).toBe(before.at(-1));
    expect(after[2]!.type).toBe("human");
    expect(HumanMessage.isInstance(after[2])).toBe(true);
    expect(after[2]!.content).toBe(
      "[8 earlier messages were removed from this conversation to free up context.]",
    );
    expect(after[2]!.additional_kwargs["context_compaction"]).toMatchObject({
      strategy: "sliding-window",
      removedMessages: 8,
      keptMessages: 4,
    });
  });

  it("rewrites a key of another name", async () => {
    const State = Annotation.Root({
      messages: Annotation<BaseMessage[]>({ reducer: messagesStateReducer }),
      scratch: Annotation<BaseMessage[]>({ reducer: messagesStateReducer }),
    });
    const graph = new StateGraph(State)
      .addNode("compact", hookOf({ messagesKey: "scratch" }))
      .addEdge(START, "compact")
      .addEdge("compact", END)
      .compile();

    const state = await graph.invoke({
      messages: agentThread(5),
      scratch: agentThread(5),
    });

    expect(state.messages).toHaveLength(12);
    expect(idsOf(state.scratch)).toEqual(COMPACTED);
  });

  it("updates nothing below the trigger", async () => {
    const hook = hookOf();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("compact", hook)
      .addEdge(START, "compact")
      .addEdge("compact", END)
      .compile();

    const updates = [];
    for await (const update of await graph.stream(
      { messages: agentThread(2) },
      { streamMode: "updates" },
    )) {
      updates.push(update);
    }

    expect(await hook.invoke({ messages: agentThread(2) })).toEqual({});
    expect(updates.map((u) => Object.values(u)[0] ?? {})).toEqual([{}]);
  });

  it("keeps messages that the checkpoint gave back", async () => {
    const checkpointer = new MemorySaver();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("compact", hookOf())
      .addEdge(START, "compact")
      .addEdge("compact", END)
      .compile({ checkpointer });
    const config = { configurable: { thread_id: "1" } };

    await graph.invoke({ messages: agentThread(5) }, config);
    await graph.invoke({ messages: [human("next")] }, config);
    const { messages } = await graph.invoke({ messages: [ai("x")] }, config);

    expect(idsOf(messages)).toEqual([...COMPACTED, "next", "x"]);
  });

  it("works with messages that came without ids", async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("compact", hookOf())
      .addEdge(START, "compact")
      .addEdge("compact", END)
      .compile();
    const bare = agentThread(5).map((message) => {
      message.id = undefined as never;
      return message;
    });

    const { messages } = await graph.invoke({ messages: bare });

    expect(messages.map((m) => m.type)).toEqual([
      "system",
      "human",
      "human",
      "ai",
      "tool",
    ]);
    expect(new Set(idsOf(messages)).size).toBe(5);
  });
});

describe("a state that does not fit", () => {
  async function failure(
    state: unknown,
    hook: CompactionHook<string>,
    input: Record<string, unknown>,
  ): Promise<unknown> {
    const graph = new StateGraph(state as typeof MessagesAnnotation)
      .addNode("compact", hook as CompactionHook)
      .addEdge(START, "compact")
      .addEdge("compact", END)
      .compile();
    return graph.invoke(input as never).catch((error: unknown) => error);
  }

  it("names the state's keys where the key is not there", async () => {
    const error = await failure(
      Annotation.Root({
        history: Annotation<BaseMessage[]>({ reducer: messagesStateReducer }),
        topic: Annotation<string>(),
      }),
      hookOf(),
      { history: agentThread(5), topic: "x" },
    );

    expect(CompactionError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      code: "INVALID_STATE",
      message: expect.stringMatching(/"messages".*history, topic/),
    });
  });

  it.each<
    [string, (left: BaseMessage[], right: BaseMessage[]) => BaseMessage[]]
  >([
    ["concatenates", (left, right) => [...left, ...right]],
    [
      "leaves out what is no message",
      (left, right) => [
        ...left,
        ...right.filter((message) => "content" in message),
      ],
    ],
    [
      "fails on a removal",
      (left, right) => [
        ...left,
        ...right.filter((message) => message.getType() !== "remove"),
      ],
    ],
  ])("names the state's keys where the reducer %s", async (_name, reducer) => {
    const error = await failure(
      Annotation.Root({
        messages: Annotation<BaseMessage[]>({ reducer, default: () => [] }),
        topic: Annotation<string>(),
      }),
      hookOf(),
      { messages: agentThread(5), topic: "x" },
    );

    expect(error).toMatchObject({
      code: "INVALID_STATE",
      message: expect.stringMatching(/removals.*messages, topic/),
    });
  });

  it("looks at each graph, where one hook serves several", async () => {
    const hook = hookOf();
    const messages = agentThread(5);
    await hook.invoke({ messages });
    const error = await failure(
      Annotation.Root({
        messages: Annotation<BaseMessage[]>({
          reducer: (left, right) => [...left, ...right],
          default: () => [],
        }),
      }),
      hook,
      { messages },
    );

    expect(error).toMatchObject({ code: "INVALID_STATE" });
  });

  it("takes a channel without a reducer for what it is", async () => {
    const error = await failure(
      Annotation.Root({ messages: Annotation<BaseMessage[]>() }),
      hookOf(),
      { messages: agentThread(5) },
    );

    expect(error).toMatchObject({
      code: "INVALID_STATE",
      message: expect.stringContaining("removals"),
    });
  });

  it("says so outside a graph once the removal stands in the list", async () => {
    await expect(
      hookOf().invoke({
        messages: [{ role: "remove", id: "__remove_all__" }, ...agentThread(8)],
        topic: "x",
      }),
    ).rejects.toMatchObject({
      code: "INVALID_STATE",
      message: expect.stringMatching(/removals.*messages, topic/),
    });
  });

  it.each([[undefined], [null], ["text"], [{ 0: human("q") }]])(
    "does not take %p for messages",
    async (messages) => {
      await expect(
        hookOf().invoke({ messages, topic: "x" }),
      ).rejects.toMatchObject({
        code: "INVALID_STATE",
        message: expect.stringMatching(/"messages".*topic/),
      });
    },
  );

  it.each([[undefined], [null]])(
    "does not take %p for a state",
    async (state) => {
      await expect(hookOf().invoke(state as never)).rejects.toMatchObject({
        code: "INVALID_STATE",
      });
    },
  );
});

describe("inside a node of one's own", () => {
  const State = Annotation.Root({
    ...MessagesAnnotation.spec,
    seen: Annotation<boolean>(),
  });

  it("adds its update to the node's", async () => {
    const hook = hookOf();
    const graph = new StateGraph(State)
      .addNode("own", async (state, config) => ({
        ...(await hook.invoke(state, config)),
        seen: true,
      }))
      .addEdge(START, "own")
      .addEdge("own", END)
      .compile();

    const { messages, seen } = await graph.invoke({ messages: agentThread(5) });

    expect(seen).toBe(true);
    expect(idsOf(messages)).toEqual(COMPACTED);
  });

  it.each([
    ["with the config", true],
    ["without", false],
  ])("finds a reducer that takes no removals, %s", async (_name, hands) => {
    const hook = hookOf();
    const graph = new StateGraph(
      Annotation.Root({
        messages: Annotation<BaseMessage[]>({
          reducer: (left, right) => [...left, ...right],
          default: () => [],
        }),
      }),
    )
      .addNode("own", async (state, config: RunnableConfig) =>
        hook.invoke(state, hands ? config : undefined),
      )
      .addEdge(START, "own")
      .addEdge("own", END)
      .compile();

    await expect(
      graph.invoke({ messages: agentThread(5) }),
    ).rejects.toMatchObject({ code: "INVALID_STATE" });
  });

  it("works without a config and outside any graph", async () => {
    const { messages } = await hookOf().invoke({ messages: agentThread(5) });

    const merged = messagesStateReducer(agentThread(5), messages!);
    expect(idsOf(merged)).toEqual(COMPACTED);
  });

  it("takes message-likes for messages", async () => {
    const before = [
      { role: "system", content: "be brief" },
      ...Array.from({ length: 12 }, (_, turn) => [
        { role: "user", content: `question ${turn}` },
        { role: "assistant", content: `answer ${turn}` },
      ]).flat(),
    ];

    const { messages } = await hookOf().invoke({ messages: before });

    const merged = messagesStateReducer([], messages!);
    expect(merged.map((m) => m.type)).toEqual([
      "system",
      "human",
      "human",
      "ai",
    ]);
    expect(merged.at(-1)!.content).toBe("answer 11");
  });
});

describe("compact", () => {
  it("gives messages and report and changes nothing", async () => {
    const before = agentThread(5);
    const copy = structuredClone(before.map((m) => m.toDict()));
    const { messages, report } = await hookOf().compact(before);

    expect(idsOf(messages)).toEqual(COMPACTED);
    expect(before).toHaveLength(12);
    expect(before.map((m) => m.toDict())).toEqual(copy);
    expect(report).toMatchObject({
      outcome: "compacted",
      reason: "above-trigger",
      compactor: "SlidingWindowCompactor",
      tokensBefore: 120,
      tokensAfter: 50,
      targetTokens: 50,
      overTarget: false,
      overheadTokens: 0,
      removedIds: ["a1", "r1", "a2", "r2", "a3", "r3", "a4", "r4"],
      firstChangedIndex: 2,
      warnings: [],
    });
    expect(report.durationMs).toBeGreaterThanOrEqual(0);
  });

  it("tells nobody", async () => {
    const { hook, reports } = reportingHook();
    await hook.compact(agentThread(5));
    expect(reports).toEqual([]);
  });

  it("hands back a list of its own below the trigger, with the same messages", async () => {
    const before = agentThread(2);
    const { messages, report } = await hookOf().compact(before);
    expect(messages).not.toBe(before);
    expect(messages).toEqual(before);
    expect(messages.every((message, index) => message === before[index])).toBe(
      true,
    );
    expect(report.outcome).toBe("unchanged");
  });

  it("does nothing on its own result", async () => {
    const hook = hookOf();
    const { messages } = await hook.compact(agentThread(5));
    const { report } = await hook.compact(messages);
    expect(report).toMatchObject({
      outcome: "unchanged",
      reason: "below-trigger",
    });
  });

  it("marks the pending call's step as protected", async () => {
    const before = [...agentThread(8), ai("wait", ["open"]), tool("x", "gone")];
    const { messages } = await hookOf().compact(before);
    expect(idsOf(messages)).toContain("wait");
  });
});
