import { describe, expect, it } from "@jest/globals";
import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import { ContextOverflowError } from "@langchain/core/errors";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
} from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { RunnableLambda } from "@langchain/core/runnables";
import { createAgent } from "langchain";
import {
  CompactionHook,
  type CompactionReport,
  isContextOverflow,
  SlidingWindowCompactor,
  SummarizationCompactor,
} from "langchain-compaction";
import { compactionMiddleware } from "langchain-compaction/middleware";
import {
  type ProtocolServer,
  startProtocolServer,
} from "langchain-compaction/testing";
import { ai, human } from "../support/make-messages.js";
import { CLIENTS, clientNames } from "../testing/protocol-server/clients.js";
import { chatThread, markOn, reportingHook } from "./threads.js";

/** What a call of a client rejects with. */
async function errorOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error("The call went well.");
}

const long = (size: number): string => "lorem ipsum ".repeat(size / 2);

describe("isContextOverflow", () => {
  it.each(clientNames)(
    "knows the refusal of a real client: %s",
    async (name) => {
      await using server = await startProtocolServer({
        respond: () => "Hello.",
        contextWindow: 5_000,
      });
      const call = CLIENTS[name](server).invoke(long(9_000));
      expect(isContextOverflow(await errorOf(call))).toBe(true);
    },
  );

  it.each<
    [string, { status: number; message: string; code?: string; type?: string }]
  >([
    [
      "Anthropic's limit with the answer",
      {
        status: 400,
        message:
          "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
      },
    ],
    [
      "a body that is too large",
      {
        status: 413,
        message: "Request exceeds the maximum size",
        type: "request_too_large",
      },
    ],
    [
      "a request beyond the rate limit",
      {
        status: 429,
        message:
          "Request too large for gpt-4.1 in organization org-x on tokens per min (TPM): Limit 30000, Requested 42000.",
        code: "rate_limit_exceeded",
      },
    ],
    [
      "llama.cpp",
      {
        status: 400,
        message:
          "the request exceeds the available context size, try increasing it",
        type: "exceed_context_size_error",
      },
    ],
    [
      "Google",
      {
        status: 400,
        message:
          "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      },
    ],
  ])("knows %s", async (_name, failure) => {
    await using server = await startProtocolServer({ respond: () => failure });
    for (const name of clientNames) {
      const call = CLIENTS[name](server).invoke("Hello.");
      expect([name, isContextOverflow(await errorOf(call))]).toEqual([
        name,
        true,
      ]);
    }
  });

  it("knows the code alone", async () => {
    const failure = {
      status: 400,
      message: "Refused.",
      code: "context_length_exceeded",
    };
    await using server = await startProtocolServer({ respond: () => failure });
    const call = CLIENTS.openai(server).invoke("Hello.");
    expect(isContextOverflow(await errorOf(call))).toBe(true);
  });

  it.each([401, 429, 500])("leaves status %d to others", async (status) => {
    await using server = await startProtocolServer({
      respond: () => ({ status }),
    });
    for (const name of clientNames) {
      const call = CLIENTS[name](server).invoke("Hello.");
      expect([name, isContextOverflow(await errorOf(call))]).toEqual([
        name,
        false,
      ]);
    }
  });

  it("looks through causes, also where they go round", () => {
    const inner = new ContextOverflowError("Too long.");
    const outer = new Error("Outer.", {
      cause: new Error("x", { cause: inner }),
    });
    expect(isContextOverflow(outer)).toBe(true);

    const round = new Error("Round.");
    round.cause = new Error("About.", { cause: round });
    expect(isContextOverflow(round)).toBe(false);
    expect([undefined, null, "too long", 7].map(isContextOverflow)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

/** A model that takes so many messages at most, and remembers what it was sent. */
function smallModel(
  most: number,
  refusal: () => Error = () => new ContextOverflowError("Too long."),
) {
  const sent: number[] = [];
  const model = RunnableLambda.from((input: BaseMessage[]) => {
    sent.push(input.length);
    if (input.length > most) {
      throw refusal();
    }
    return new AIMessage({ id: `reply${sent.length}`, content: "Fine." });
  });
  return { model, sent };
}

const stating = (limit: number) => () =>
  new Error(`This model's maximum context length is ${limit} tokens.`);

/** Refuses what is longer than so many messages, after it has said so many words of its answer. */
class LateModel extends BaseChatModel {
  readonly sent: number[] = [];
  readonly #most: number;
  readonly #words: string[];

  constructor(most: number, words: string[]) {
    super({});
    this.#most = most;
    this.#words = words;
  }

  override _llmType(): string {
    return "late";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(): Promise<never> {
    throw new Error("It only streams.");
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: unknown,
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    this.sent.push(messages.length);
    const isTooLong = messages.length > this.#most;
    const words = this.#words;
    for (const text of isTooLong ? words : ["Fine."]) {
      const message = new AIMessageChunk(text);
      const chunk = new ChatGenerationChunk({ text, message });
      await runManager?.handleLLMNewToken(
        text,
        undefined,
        undefined,
        undefined,
        undefined,
        { chunk },
      );
      yield chunk;
    }
    if (isTooLong) {
      throw new ContextOverflowError("Too long.");
    }
  }
}

describe("withOverflowRecovery", () => {
  // 30 messages of 10 tokens; nothing is due before 500.
  const thread = [...chatThread(15), human("q")];
  const wide = { contextWindow: 1000, compactAt: 0.5, compactTo: 0.4 };

  it("takes a model and nothing else", () => {
    const { hook } = reportingHook(wide);
    expect(() => hook.withOverflowRecovery("gpt-4.1" as never)).toThrow(
      'Option "model" must be a chat model, got "gpt-4.1".',
    );
  });

  it("shows less, and still less, until the model takes it", async () => {
    const { hook, reports } = reportingHook(wide);
    const { model, sent } = smallModel(10);
    const reply = await hook.withOverflowRecovery(model).invoke(thread);

    expect(reply.text).toBe("Fine.");
    expect(sent).toEqual([31, 14, 6]);
    expect(reports.map(({ reason }) => reason)).toEqual([
      "below-trigger",
      "context-overflow",
      "context-overflow",
    ]);
    expect(reports[1]).toMatchObject({
      outcome: "compacted",
      tokensBefore: 310,
      tokensAfter: 140,
      targetTokens: 155,
    });
    expect(thread).toHaveLength(31);
  });

  it.each([0, 1])("gives up after %d retries", async (maxOverflowRetries) => {
    const { hook } = reportingHook({ ...wide, maxOverflowRetries });
    const { model, sent } = smallModel(10);
    const call = hook.withOverflowRecovery(model).invoke(thread);
    await expect(call).rejects.toThrow("Too long.");
    expect(sent).toHaveLength(1 + maxOverflowRetries);
  });

  it("gives the first error where nothing more can go", async () => {
    const { hook, reports } = reportingHook({ ...wide, maxOverflowRetries: 9 });
    const errors: Error[] = [];
    const { model, sent } = smallModel(0, () => {
      errors.push(new ContextOverflowError(`Too long ${errors.length}.`));
      return errors.at(-1)!;
    });
    const error = await errorOf(
      hook.withOverflowRecovery(model).invoke(thread),
    );

    expect(error).toBe(errors[0]);
    expect(sent).toEqual([...sent].sort((a, b) => b - a));
    expect(new Set(sent).size).toBe(sent.length);
    expect(reports.at(-1)).toMatchObject({
      outcome: "unchanged",
      reason: "nothing-removable",
    });
  });

  it("leaves other errors alone", async () => {
    const { hook } = reportingHook(wide);
    const { model, sent } = smallModel(0, () => new Error("No network."));
    const call = hook.withOverflowRecovery(model).invoke(thread);
    await expect(call).rejects.toThrow("No network.");
    expect(sent).toHaveLength(1);
  });

  it("keeps to the limit that was stated, in any process", async () => {
    const { hook } = reportingHook(wide);
    const { model, sent } = smallModel(20, stating(200));
    const reply = await hook.withOverflowRecovery(model).invoke(thread);
    expect(sent).toEqual([31, 8]);
    expect(markOn(reply)).toMatchObject({
      contextWindow: 200,
      configuredWindow: 1000,
    });

    // Another hook goes by 200 tokens from then on: 8 + 2 messages are 100 of them.
    const history = [...thread, reply, human("next")];
    const other = reportingHook(wide);
    const shown = await other.hook.view(history);
    expect(shown).toHaveLength(8);
    expect(other.reports[0]).toMatchObject({
      reason: "above-trigger",
      tokensBefore: 100,
    });
    // With another window of its own it has another model.
    const wider = reportingHook({ ...wide, contextWindow: 2000 });
    expect(await wider.hook.view(history)).toHaveLength(10);
    expect(wider.reports[0]?.reason).toBe("below-trigger");
  });

  it("leaves what is reserved to the answer out of a stated limit", async () => {
    const { hook } = reportingHook({ ...wide, reserveOutputTokens: 50 });
    const { model } = smallModel(20, stating(200));
    const reply = await hook.withOverflowRecovery(model).invoke(thread);
    expect(markOn(reply)).toMatchObject({ contextWindow: 150 });
  });

  it("shows the same again from the stamped reply alone", async () => {
    const { hook } = reportingHook(wide);
    const { model } = smallModel(10);
    const shown: BaseMessage[][] = [];
    const watched = RunnableLambda.from((input: BaseMessage[]) => {
      shown.push(input);
      return model.invoke(input);
    });
    const reply = await hook.withOverflowRecovery(watched).invoke(thread);
    const other = reportingHook(wide);
    const view = await other.hook.view([...thread, reply, human("next")]);
    expect(view.slice(0, -2).map(({ text }) => text)).toEqual(
      shown.at(-1)!.map(({ text }) => text),
    );
  });

  it("is refused for a compactor that writes summaries", async () => {
    await using server = await startProtocolServer({ respond: () => "x" });
    const hook = new CompactionHook({
      compactor: new SummarizationCompactor({ model: CLIENTS.openai(server) }),
      contextWindow: 1000,
    });
    expect(() => hook.withOverflowRecovery(CLIENTS.openai(server))).toThrow(
      "writes summaries",
    );
  });

  describe("streaming", () => {
    it("begins again as long as nothing was said", async () => {
      const { hook } = reportingHook(wide);
      const model = new LateModel(20, ["", ""]);
      let whole: AIMessageChunk | undefined;
      for await (const chunk of await hook
        .withOverflowRecovery(model)
        .stream(thread)) {
        whole = whole === undefined ? chunk : whole.concat(chunk);
      }
      expect(whole!.text).toBe("Fine.");
      expect(model.sent).toEqual([31, 14]);
      expect(markOn(whole!)).toMatchObject({ removedMessages: 18 });
    });

    it("does not once tokens went out", async () => {
      const { hook } = reportingHook(wide);
      const model = new LateModel(20, ["", "one "]);
      let text = "";
      const read = async (): Promise<void> => {
        for await (const chunk of await hook
          .withOverflowRecovery(model)
          .stream(thread)) {
          text += chunk.text;
        }
      };
      await expect(read()).rejects.toThrow("Too long.");
      expect(text).toBe("one ");
      expect(model.sent).toEqual([31]);
    });
  });
});

describe("an agent that streams", () => {
  const run = async (words: string[]) => {
    const model = new LateModel(20, words);
    const agent = createAgent({
      model,
      tools: [],
      middleware: [
        compactionMiddleware({
          compactor: new SlidingWindowCompactor(),
          contextWindow: 100_000,
        }),
      ],
    });
    let text = "";
    const stream = await agent.stream(
      { messages: [...chatThread(15), human("q")] },
      { streamMode: "messages" },
    );
    const reading = async (): Promise<void> => {
      for await (const [chunk] of stream) {
        text += chunk.text;
      }
    };
    const failed = await reading().then(
      () => undefined,
      (error: unknown) => error,
    );
    return { text, failed, sent: model.sent };
  };

  it("begins again as long as nothing was said", async () => {
    const { text, failed, sent } = await run(["", ""]);
    expect(failed).toBeUndefined();
    expect(text).toBe("Fine.");
    expect(sent).toHaveLength(2);
  });

  it("does not once tokens went out", async () => {
    const { text, failed, sent } = await run(["", "one "]);
    expect(isContextOverflow(failed)).toBe(true);
    expect(text).toBe("one ");
    expect(sent).toEqual([31]);
  });
});

describe.each(clientNames)(
  "an agent whose window is smaller than thought: %s",
  (name) => {
    const history = Array.from({ length: 50 }, (_, turn) => [
      new HumanMessage({ id: `q${turn}`, content: `${turn}: ${long(200)}` }),
      ai(`a${turn}`),
    ]).flat();

    const run = async (
      server: ProtocolServer,
      options: { maxOverflowRetries?: number; mode?: "view" | "rewrite" } = {},
    ) => {
      const reports: CompactionReport[] = [];
      const agent = createAgent({
        model: CLIENTS[name](server),
        tools: [],
        middleware: [
          compactionMiddleware({
            compactor: new SlidingWindowCompactor(),
            contextWindow: 100_000,
            onReport: (report) => reports.push(report),
            ...options,
          }),
        ],
      });
      const ask = (messages: BaseMessage[]) => agent.invoke({ messages });
      return { ask, reports };
    };
    const serve = () =>
      startProtocolServer({ respond: () => "Fine.", contextWindow: 8_000 });

    it.each(["view", "rewrite"] as const)(
      "comes through, and knows it from then on: %s",
      async (mode) => {
        await using server = await serve();
        const first = await run(server, { mode });
        const { messages } = await first.ask([...history, human("now")]);
        expect(messages.at(-1)!.text).toBe("Fine.");
        const outcomes = server.requests.map(({ outcome }) => outcome);
        expect(outcomes.slice(0, -1)).not.toContain("answered");
        expect(outcomes.at(-1)).toBe("answered");

        // Another process, a longer thread: no call above the window any more.
        const again = await run(server, { mode });
        const before = server.requests.length;
        let thread: BaseMessage[] = messages;
        for (let turn = 0; turn < 12; turn += 1) {
          const question = new HumanMessage({
            id: `n${turn}`,
            content: `${turn}: ${long(400)}`,
          });
          ({ messages: thread } = await again.ask([...thread, question]));
        }
        const after = server.requests.slice(before);
        const statesLimit = name !== "openai-responses";
        if (statesLimit) {
          expect(after.map(({ outcome }) => outcome)).toEqual(
            Array.from({ length: 12 }, () => "answered"),
          );
        }
        expect(thread.at(-1)!.text).toBe("Fine.");
      },
    );

    it("fails with the provider's own error where it may not try again", async () => {
      await using server = await serve();
      const { ask } = await run(server, { maxOverflowRetries: 0 });
      const error = await errorOf(ask([...history, human("now")]));
      expect(isContextOverflow(error)).toBe(true);
      expect(server.requests).toHaveLength(1);
    });
  },
);
