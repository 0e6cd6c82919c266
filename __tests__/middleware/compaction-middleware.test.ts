import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, SystemMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware, initChatModel } from "langchain";
import {
  CompactionError,
  type CompactionHook,
  SlidingWindowCompactor,
} from "langchain-compaction";
import { compactionMiddleware } from "langchain-compaction/middleware";
import { agentThread, hookOf, tens } from "../hook/threads.js";
import { ai, human, idsOf } from "../support/make-messages.js";
import {
  breaksIn,
  busyModel,
  compaction,
  decisionOn,
  firings,
  lookUp,
  withProfile,
} from "./agents.js";

const task = { messages: [human("task")] };

/** The error behind the one in which createAgent wraps it. */
async function failure(run: Promise<unknown>): Promise<unknown> {
  const error = (await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as { cause?: unknown } | undefined;
  return CompactionError.isInstance(error) ? error : error?.cause;
}

describe("the middleware", () => {
  it("shows the model a compacted view and leaves the state whole", async () => {
    const model = busyModel(40);
    const { middleware, reports } = compaction();
    const agent = createAgent({
      model,
      tools: [lookUp],
      middleware: [middleware],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "1" }, recursionLimit: 200 };
    const { messages } = await agent.invoke(task, config);

    expect(messages).toHaveLength(82);
    expect(messages.some(({ text }) => text.includes("removed"))).toBe(false);
    expect(model.calls.every((call) => call.messages.length < 17)).toBe(true);
    expect(reports).toHaveLength(41);
    expect(firings(reports)).toBeGreaterThan(5);
    expect(breaksIn(model)).toBe(firings(reports));
    const { values } = await agent.graph.getState(config);
    expect(idsOf(values["messages"])).toEqual(idsOf(messages));
  });

  it("takes no step of the graph and shows nothing in the stream", async () => {
    const model = busyModel(19);
    const agent = createAgent({
      model,
      tools: [lookUp],
      middleware: [compaction().middleware],
    });
    const streamed = new Map<string, number>();
    // Twenty model calls and nineteen of the tool; one step more starts the run.
    for await (const [message] of await agent.stream(task, {
      streamMode: "messages",
      recursionLimit: 40,
    })) {
      const { type, id } = message as BaseMessage;
      const key = `${type} ${type === "ai" ? id : ""}`;
      streamed.set(key, (streamed.get(key) ?? 0) + 1);
    }
    expect(model.callCount).toBe(20);
    expect(streamed.has("human ")).toBe(false);
    expect(streamed.has("remove ")).toBe(false);
    for (let call = 1; call <= 19; call += 1) {
      expect(streamed.get(`ai a${call}`)).toBe(1);
    }
  });

  it("measures what is sent: system prompt, tools and messages", async () => {
    const { middleware, reports } = compaction({ overheadTokens: 31 });
    await createAgent({
      model: fakeModel().respond(ai("end")),
      tools: [lookUp],
      systemPrompt: "be brief",
      middleware: [middleware],
    }).invoke(task);
    // 51 tokens, rounded up to the next eighth of 400.
    expect(reports[0]!.tokensBefore).toBe(100 + 10);
  });

  it.each(["view", "rewrite"] as const)(
    "measures the current prompt also where no report ever came: %s",
    async (mode) => {
      const model = busyModel(30);
      const counted = ({ text }: BaseMessage): number =>
        text === "long" ? 100 : 10;
      const { middleware, reports } = compaction({
        mode,
        tokenCounter: { ...tens, countMessage: counted },
      });
      const growing = createMiddleware({
        name: "GrowingPrompt",
        wrapModelCall: (request, handler) =>
          handler({
            ...request,
            systemMessage: new SystemMessage(
              firings(reports) === 0 ? "short" : "long",
            ),
          }),
      });
      await createAgent({
        model,
        tools: [lookUp],
        middleware: [growing, middleware],
      }).invoke(task, { recursionLimit: 100 });
      const sizes = model.calls.map(
        ({ messages }) =>
          10 + messages.reduce((sum, message) => sum + counted(message), 0),
      );
      expect(firings(reports)).toBeGreaterThan(2);
      expect(Math.max(...sizes)).toBeLessThan(200);
    },
  );

  it("rounds by the window that an error stated, once one did", async () => {
    const model = fakeModel().respond(
      new Error("This model's maximum context length is 400 tokens."),
    );
    for (let call = 1; call <= 30; call += 1) {
      model.respond(ai(`b${call}`, [`d${call}`]));
    }
    const { middleware, reports } = compaction({
      contextWindow: 4_000,
      compactAt: 0.7,
      compactTo: 0.4,
    });
    await createAgent({
      model: model.respond(ai("end")),
      tools: [lookUp],
      middleware: [middleware],
    }).invoke({ messages: agentThread(60) }, { recursionLimit: 100 });
    const [refused, ...later] = reports.filter(
      ({ outcome }) => outcome === "compacted",
    );
    expect(refused!.reason).toBe("context-overflow");
    expect(new Set(later.map(({ overheadTokens }) => overheadTokens))).toEqual(
      new Set([50]),
    );
    expect(later.length).toBeLessThan(8);
  });

  it("never touches the list in the state", async () => {
    const model = busyModel(12);
    const lists: (readonly BaseMessage[])[] = [];
    const outside = createMiddleware({
      name: "Outside",
      wrapModelCall: async (request, handler) => {
        const before = [...request.messages];
        const answer = await handler(request);
        expect(request.messages).toHaveLength(before.length);
        expect(request.messages.every((m, i) => m === before[i])).toBe(true);
        lists.push(request.messages);
        return answer;
      },
    });
    const inside = createMiddleware({
      name: "Inside",
      wrapModelCall: async (request, handler) => {
        request.messages.splice(0, 1, human("instead"));
        return handler(request);
      },
    });
    const { messages } = await createAgent({
      model,
      tools: [lookUp],
      middleware: [outside, compaction().middleware, inside],
    }).invoke(task, { recursionLimit: 200 });
    expect(lists).toHaveLength(13);
    expect(messages[0]!.id).toBe("task");
  });

  it("tells of each pass: to onReport, as an event, and where asked in the custom stream", async () => {
    const { middleware, reports } = compaction({ streamReports: true });
    const agent = createAgent({
      model: busyModel(16),
      tools: [lookUp],
      middleware: [middleware],
    });
    const custom: unknown[] = [];
    for await (const chunk of await agent.stream(task, {
      streamMode: "custom",
      recursionLimit: 50,
    })) {
      custom.push(chunk);
    }
    expect(custom).toHaveLength(firings(reports));
    expect(custom[0]).toMatchObject({
      context_compaction: { outcome: "compacted" },
    });

    const events: string[] = [];
    const again = createAgent({
      model: busyModel(16),
      tools: [lookUp],
      middleware: [compaction().middleware],
    });
    for await (const { event, name } of again.streamEvents(task, {
      version: "v2",
      recursionLimit: 50,
    })) {
      if (event === "on_custom_event") {
        events.push(name);
      }
    }
    expect(events).toEqual(custom.map(() => "context_compaction"));
  });

  it("leaves a run alone whose counter or listener fails", async () => {
    const { middleware } = compaction({
      tokenCounter: () => {
        throw new Error("no");
      },
      onReport: () => {
        throw new Error("no");
      },
    });
    const model = busyModel(3);
    const { messages } = await createAgent({
      model,
      tools: [lookUp],
      middleware: [middleware],
    }).invoke(task);
    expect(messages).toHaveLength(8);
    expect(model.calls.at(-1)!.messages).toHaveLength(7);
  });

  it("throws what fails where that is wanted", async () => {
    const { middleware } = compaction({
      tokenCounter: () => {
        throw new Error("no");
      },
      raiseOnFailure: true,
    });
    const agent = createAgent({
      model: busyModel(1),
      tools: [],
      middleware: [middleware],
    });
    expect(await failure(agent.invoke(task))).toMatchObject({
      code: "COUNTER_FAILED",
    });
  });

  it("stops with the run", async () => {
    const controller = new AbortController();
    const { middleware } = compaction({
      tokenCounter: async () => {
        controller.abort(new Error("enough"));
        return new Promise<number>(() => {});
      },
    });
    const agent = createAgent({
      model: busyModel(1),
      tools: [],
      middleware: [middleware],
    });
    await expect(
      agent.invoke(task, { signal: controller.signal }),
    ).rejects.toThrow();
  });
});

describe("the window", () => {
  it("is that of the model which is called, by default", async () => {
    const seen: number[] = [];
    const small = withProfile(busyModel(40, "s"), { maxInputTokens: 400 });
    const large = withProfile(busyModel(40, "l"), {
      maxInputTokens: 800,
      maxOutputTokens: 40,
    });
    for (const model of [small, large]) {
      const { middleware } = compaction({ contextWindow: "auto" });
      const { messages } = await createAgent({
        model,
        tools: [lookUp],
        middleware: [middleware],
      }).invoke(task, { recursionLimit: 200 });
      seen.push(decisionOn(messages.at(-1)!)!["contextWindow"] as number);
    }
    expect(seen).toEqual([400, 760]);
    expect(
      Math.max(...large.calls.map((c) => c.messages.length)),
    ).toBeGreaterThan(Math.max(...small.calls.map((c) => c.messages.length)));
  });

  it("is found behind a configurable model", async () => {
    const model = await initChatModel("openai:gpt-4o", { apiKey: "none" });
    const { middleware, reports } = compaction({ contextWindow: "auto" });
    const answers = createMiddleware({
      name: "Answers",
      wrapModelCall: async () => ai("end"),
    });
    const { messages } = await createAgent({
      model,
      tools: [],
      middleware: [middleware, answers],
    }).invoke(task);
    expect(decisionOn(messages.at(-1)!)!["contextWindow"]).toBe(
      128_000 - 16_384,
    );
    expect(reports).toHaveLength(1);
  });

  it("has to be stated for a model without a profile", async () => {
    const { middleware } = compaction({ contextWindow: "auto" });
    const agent = createAgent({
      model: busyModel(1),
      tools: [],
      middleware: [middleware],
    });
    expect(await failure(agent.invoke(task))).toMatchObject({
      code: "WINDOW_UNKNOWN",
      message: expect.stringMatching(/maxInputTokens.*contextWindow: 200_000/),
    });
  });

  it("may not be all left to the answer", async () => {
    const { middleware } = compaction({ contextWindow: "auto" });
    const agent = createAgent({
      model: withProfile(busyModel(1), {
        maxInputTokens: 8_192,
        maxOutputTokens: 8_192,
      }),
      tools: [],
      middleware: [middleware],
    });
    expect(await failure(agent.invoke(task))).toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringMatching(/"reserveOutputTokens".*8192/),
    });
  });

  it("may be set by a run, with the thresholds", async () => {
    const model = busyModel(40);
    const { middleware, reports } = compaction();
    await createAgent({
      model,
      tools: [lookUp],
      middleware: [middleware],
    }).invoke(task, {
      recursionLimit: 200,
      context: { compaction: { contextWindow: 2_000, compactAt: 0.9 } },
    });
    expect(firings(reports)).toBe(0);
    expect(model.calls.at(-1)!.messages).toHaveLength(81);
  });

  it.each([
    [{ compactAt: 70 }, /"compactAt"/],
    [{ tokenCounter: tens }, /"tokenCounter"/],
    ["much", /context\.compaction.*"much"/],
  ])("names what is wrong in a run's own options: %j", async (own, said) => {
    const { middleware } = compaction();
    const agent = createAgent({
      model: busyModel(1),
      tools: [],
      middleware: [middleware],
    });
    expect(
      await failure(agent.invoke(task, { context: { compaction: own } })),
    ).toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringMatching(said),
    });
  });
});

describe("what it is made of", () => {
  it("may be a hook, of any copy of the package", async () => {
    const model = busyModel(40);
    const hook = hookOf();
    await createAgent({
      model,
      tools: [lookUp],
      middleware: [compactionMiddleware(hook)],
    }).invoke(task, { recursionLimit: 200 });
    expect(Math.max(...model.calls.map((c) => c.messages.length))).toBe(7);

    const other = busyModel(40);
    // Another copy's class is another one, with the same methods.
    const stranger: CompactionHook = Object.create(
      { ...methodsOf(hook) },
      Object.getOwnPropertyDescriptors(hook),
    );
    await createAgent({
      model: other,
      tools: [lookUp],
      middleware: [compactionMiddleware(stranger)],
    }).invoke(task, { recursionLimit: 200 });
    expect(other.calls.map((c) => c.messages.length)).toEqual(
      model.calls.map((c) => c.messages.length),
    );
  });

  it.each([
    [undefined, /options as an object/],
    [{ compactor: new SlidingWindowCompactor(), tools: [] }, /"tools"/],
    [{}, /"compactor"/],
    [{ compactor: new SlidingWindowCompactor(), compactAt: 0 }, /"compactAt"/],
    [{ compactor: new SlidingWindowCompactor(), mode: "both" }, /"mode"/],
  ])("is checked when it is made: %#", (options, said) => {
    expect(() => compactionMiddleware(options as never)).toThrow(said);
  });
});

/** The methods of a hook, each bound to it. */
function methodsOf(hook: CompactionHook): Record<string, unknown> {
  return Object.fromEntries(
    (["viewRequest", "tell"] as const).map((name) => [
      name,
      hook[name].bind(hook),
    ]),
  );
}
