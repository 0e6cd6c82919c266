import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { Command, MemorySaver } from "@langchain/langgraph";
import {
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createAgent,
  humanInTheLoopMiddleware,
  modelFallbackMiddleware,
  modelRetryMiddleware,
  summarizationMiddleware,
  todoListMiddleware,
} from "langchain";
import { agentThread } from "../hook/threads.js";
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
  withProfile,
} from "./agents.js";

const task = { messages: [human("task")] };
const limits = { recursionLimit: 300 };

/** What OpenAI would say to the requests of a model. */
async function refusals(model: FakeModel): Promise<unknown[]> {
  const said: unknown[] = [];
  for (const { messages } of model.calls) {
    said.push(...refusalsByOpenAI(await sendWith("openai", messages)));
  }
  return said;
}

describe("beside summarizationMiddleware", () => {
  it("shows what that leaves, and fires on no report of before", async () => {
    const model = fakeModel();
    // The provider reports what it was sent, and 100 tokens more.
    for (let call = 1; call <= 40; call += 1) {
      model.respond((messages) =>
        ai(`a${call}`, [`c${call}`], {
          usage: [messages.length * 10 + 100, 10],
        }),
      );
    }
    const summarizer = fakeModel();
    for (let call = 1; call <= 20; call += 1) {
      summarizer.respond(ai(`s${call}`, [], { content: "so far, so good" }));
    }
    const { middleware, reports } = compaction({ contextWindow: 1_000 });
    const { messages } = await createAgent({
      model: model.respond(ai("end")),
      tools: [lookUp],
      middleware: [
        summarizationMiddleware({
          model: summarizer,
          trigger: { messages: 38 },
          keep: { messages: 20 },
        }),
        middleware,
      ],
    }).invoke(task, limits);
    // It starts at 500 tokens, and the summaries keep the list below 400.
    expect(summarizer.callCount).toBeGreaterThan(2);
    expect(firings(reports)).toBe(0);
    expect(messages.length).toBeLessThan(40);
    expect(await refusals(model)).toEqual([]);
  });

  it("compacts what that leaves, the summary among it", async () => {
    const summarizer = fakeModel();
    for (let call = 1; call <= 20; call += 1) {
      summarizer.respond(ai(`s${call}`, [], { content: "so far, so good" }));
    }
    const model = busyModel(60);
    const { middleware, reports } = compaction();
    await createAgent({
      model,
      tools: [lookUp],
      middleware: [
        middleware,
        summarizationMiddleware({
          model: summarizer,
          trigger: { messages: 40 },
          keep: { messages: 20 },
        }),
      ],
    }).invoke(task, limits);
    expect(summarizer.callCount).toBeGreaterThan(1);
    expect(firings(reports)).toBeGreaterThan(5);
    // A summary is another history, which may break the prefix once more.
    expect(breaksIn(model)).toBeLessThanOrEqual(
      firings(reports) + summarizer.callCount,
    );
    expect(Math.max(...model.calls.map((c) => c.messages.length))).toBeLessThan(
      17,
    );
    expect(await refusals(model)).toEqual([]);
  });
});

describe("beside contextEditingMiddleware", () => {
  const editing = (): ReturnType<typeof contextEditingMiddleware> =>
    contextEditingMiddleware({
      edits: [
        new ClearToolUsesEdit({
          trigger: { messages: 8 },
          keep: { messages: 2 },
        }),
      ],
    });

  it("standing before it, keeps the state whole", async () => {
    const model = busyModel(40);
    const { messages } = await createAgent({
      model,
      tools: [lookUp],
      middleware: [compaction().middleware, editing()],
    }).invoke(task, limits);
    expect(messages).toHaveLength(82);
    expect(messages.some(({ text }) => text === "[cleared]")).toBe(false);
    expect(
      model.calls.some((c) => c.messages.some((m) => m.text === "[cleared]")),
    ).toBe(true);
    expect(await refusals(model)).toEqual([]);
  });

  it("standing behind it, shows what it left", async () => {
    const model = busyModel(40);
    const { middleware, reports } = compaction();
    await createAgent({
      model,
      tools: [lookUp],
      middleware: [editing(), middleware],
    }).invoke(task, limits);
    expect(Math.max(...model.calls.map((c) => c.messages.length))).toBeLessThan(
      17,
    );
    expect(firings(reports)).toBeGreaterThan(3);
    expect(await refusals(model)).toEqual([]);
  });
});

describe("beside humanInTheLoopMiddleware", () => {
  it.each(["approve", "reject"] as const)(
    "keeps a call that waits, and goes on after: %s",
    async (type) => {
      const model = fakeModel()
        .respond(ai("ask", ["waits"]))
        .respond(ai("end"));
      const agent = createAgent({
        model,
        tools: [lookUp],
        middleware: [
          humanInTheLoopMiddleware({ interruptOn: { look_up: true } }),
          compaction().middleware,
        ],
        checkpointer: new MemorySaver(),
      });
      const config = { configurable: { thread_id: "1" } };
      await agent.invoke(
        { messages: [...agentThread(14).slice(1), human("now")] },
        config,
      );
      const decision =
        type === "approve" ? { type } : { type, message: "rather not" };
      const { messages } = await agent.invoke(
        new Command({ resume: { decisions: [decision] } }),
        config,
      );
      expect(messages.at(-1)!.id).toBe("end");
      expect(messages).toHaveLength(33);
      expect(model.callCount).toBe(2);
      expect(breaksIn(model)).toBe(0);
      expect(await refusals(model)).toEqual([]);
    },
  );
});

describe("beside todoListMiddleware", () => {
  it("counts its tool and its prompt, and keeps its calls paired", async () => {
    const model = fakeModel();
    for (let call = 1; call <= 30; call += 1) {
      model.respond(
        ai(`a${call}`, [
          {
            id: `t${call}`,
            name: "write_todos",
            args: { todos: [{ content: "go on", status: "in_progress" }] },
          },
        ]),
      );
    }
    const { middleware, reports } = compaction();
    const { todos, messages } = await createAgent({
      model: model.respond(ai("end")),
      tools: [lookUp],
      middleware: [todoListMiddleware(), middleware],
    }).invoke(task, limits);
    expect(todos).toEqual([{ content: "go on", status: "in_progress" }]);
    expect(messages).toHaveLength(62);
    // Two tools and the system prompt: 30 tokens, rounded up.
    expect(reports[0]!.tokensBefore).toBe(50 + 10);
    expect(firings(reports)).toBeGreaterThan(3);
    expect(await refusals(model)).toEqual([]);
  });
});

describe("beside modelFallbackMiddleware", () => {
  it("standing behind it, measures against the model that takes over", async () => {
    const broken = withProfile(fakeModel(), { maxInputTokens: 4_000 });
    for (let call = 1; call <= 41; call += 1) {
      broken.respond(new Error("down"));
    }
    const small = withProfile(busyModel(40), { maxInputTokens: 400 });
    const { middleware } = compaction({ contextWindow: "auto" });
    const { messages } = await createAgent({
      model: broken,
      tools: [lookUp],
      middleware: [modelFallbackMiddleware(small), middleware],
    }).invoke(task, limits);
    expect(messages).toHaveLength(82);
    expect(broken.calls.at(-1)!.messages.length).toBeGreaterThan(
      small.calls.at(-1)!.messages.length - 1,
    );
    expect(Math.max(...small.calls.map((c) => c.messages.length))).toBeLessThan(
      17,
    );
    expect(decisionOn(messages.at(-1)!)).toMatchObject({ contextWindow: 400 });
  });
});

describe("beside modelRetryMiddleware", () => {
  it("shows a call that is made again the same", async () => {
    const model = fakeModel();
    for (let call = 1; call <= 30; call += 1) {
      model.respond(new Error("busy")).respond(ai(`a${call}`, [`c${call}`]));
    }
    const { middleware } = compaction();
    await createAgent({
      model: model.respond(ai("end")),
      tools: [lookUp],
      middleware: [
        modelRetryMiddleware({ maxRetries: 2, initialDelayMs: 0 }),
        middleware,
      ],
    }).invoke(task, limits);
    for (let call = 0; call < 60; call += 2) {
      expect(texts(model.calls[call + 1]!.messages)).toEqual(
        texts(model.calls[call]!.messages),
      );
    }
  });
});

function texts(messages: readonly BaseMessage[]): string[] {
  return [...idsOf(messages), ...messages.map(({ text }) => text)];
}
