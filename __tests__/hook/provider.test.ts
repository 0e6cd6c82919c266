import { describe, expect, it } from "@jest/globals";
import { ChatBedrockConverse } from "@langchain/aws";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { ChatMistralAI } from "@langchain/mistralai";
import { ChatOpenAI } from "@langchain/openai";
import {
  checkConversation,
  CompactionHook,
  type CompactionHookOptions,
  SlidingWindowCompactor,
  ToolCallCollapseCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
} from "langchain-compaction";
import { checkWire } from "../providers/wire/check-wire.js";
import { ai, human, idsOf, system, tool } from "../support/make-messages.js";
import { tens } from "./threads.js";

/** Questions with answers; ten tokens a message. */
function questions(count: number): BaseMessage[] {
  const messages: BaseMessage[] = [system("s")];
  for (let turn = 1; turn <= count; turn += 1) {
    messages.push(human(`h${turn}`), ai(`a${turn}`));
  }
  return [...messages, human("task")];
}

/** A task with tool steps, of which the model has seen all but the newest. */
function steps(count: number): BaseMessage[] {
  const messages: BaseMessage[] = [system("s"), human("task")];
  for (let step = 1; step <= count; step += 1) {
    messages.push(ai(`a${step}`, [`c${step}`]), tool(`t${step}`, `c${step}`));
  }
  return messages;
}

/** Starts at 100 tokens, goes down to 50. */
function hookWith(options: Partial<CompactionHookOptions> = {}) {
  return new CompactionHook({
    compactor: new SlidingWindowCompactor(),
    contextWindow: 200,
    compactAt: 0.5,
    compactTo: 0.25,
    tokenCounter: tens,
    ...options,
  });
}

const bedrock = { region: "us-east-1", model: "anthropic.claude-x" };

describe("a hook that knows its provider", () => {
  it("puts a message between a note and a question where the provider wants one", async () => {
    const without = await hookWith().compact(questions(9));
    expect(await checkWire("bedrock", without.messages)).not.toEqual([]);
    const { messages, report } = await hookWith({
      provider: "bedrock",
    }).compact(questions(9));
    expect(idsOf(messages)).toEqual([
      "s",
      "compaction-note-h1",
      "no-reply-h9",
      "h9",
      "a9",
      "task",
    ]);
    expect(await checkWire("bedrock", messages)).toEqual([]);
    expect(report.outcome).toBe("compacted");
    expect(report.tokensAfter).toBe(10 * messages.length);
  });

  it("keeps every message that stays as it is, and changes nothing where all may meet", async () => {
    const before = questions(9);
    const plain = await hookWith().compact(before);
    const { messages } = await hookWith({ provider: "bedrock" }).compact(
      before,
    );
    const made = messages.filter((message) => !before.includes(message));
    expect(idsOf(made)).toEqual(["compaction-note-h1", "no-reply-h9"]);
    const openai = await hookWith({ provider: "openai" }).compact(before);
    expect(idsOf(openai.messages)).toEqual(idsOf(plain.messages));
  });

  it("leaves a conversation alone that is not due, whatever stands in it", async () => {
    const before = [human("h1"), human("h2")];
    const { messages } = await hookWith({ provider: "bedrock" }).compact(
      before,
    );
    expect(messages).toEqual(before);
    expect(await hookWith({ provider: "bedrock" }).view(before)).toEqual(
      before,
    );
  });

  it("shows a view that the provider takes and that only grows until the next compaction", async () => {
    const history = questions(10);
    const hook = hookWith({ provider: "bedrock", mode: "view" });
    const first = await hook.view(history);
    expect(await checkWire("bedrock", first)).toEqual([]);
    const later = await hook.view([...history, ai("b"), human("h10")]);
    expect(idsOf(later).slice(0, first.length)).toEqual(idsOf(first));
    const afresh = await hookWith({ provider: "bedrock" }).view([
      ...questions(10),
      ai("b"),
      human("h10"),
    ]);
    expect(idsOf(afresh)).toEqual(idsOf(later));
    expect(await checkWire("bedrock", later)).toEqual([]);
  });

  describe.each([
    ["SlidingWindowCompactor", new SlidingWindowCompactor()],
    ["TurnWindowCompactor", new TurnWindowCompactor()],
    ["TruncationCompactor", new TruncationCompactor({ minKeepGroups: 1 })],
  ])("with a %s", (_, compactor) => {
    it.each([
      ["ids", true],
      ["no ids", false],
    ])(
      "goes on from its own result with one note and what that needs: %s",
      async (__, hasIds) => {
        const hook = hookWith({ compactor, provider: "bedrock" });
        let messages: BaseMessage[] = [system("s"), human("h0")];
        let compacted = 0;
        for (let turn = 1; turn < 30; turn += 1) {
          const more = [ai(`a${turn}`), human(`h${turn}`)];
          if (!hasIds) {
            more.forEach((message) => delete message.id);
          }
          const { messages: after, report } = await hook.compact([
            ...messages,
            ...more,
          ]);
          messages = after;
          compacted += Number(report.outcome === "compacted");
          expect(report.error).toBeUndefined();
          expect(await checkWire("bedrock", messages)).toEqual([]);
        }
        expect(compacted).toBeGreaterThan(5);
        const marks = messages.flatMap(
          ({ additional_kwargs: { context_compaction: mark } }) =>
            mark === undefined ? [] : [mark],
        );
        const kept = messages.length - marks.length;
        expect(marks).toEqual([
          expect.objectContaining({ removedMessages: 60 - kept }),
          { strategy: "repair", repairedMessages: 0 },
        ]);
      },
    );
  });

  it.each(["mistral", "bedrock"] as const)(
    "makes records of folded calls that %s takes",
    async (provider) => {
      const compactor = new ToolCallCollapseCompactor({ minKeepGroups: 1 });
      const format = { compactor, provider };
      const before = [...steps(6)];
      // A step that may not be folded, since its call has a word about it.
      before.splice(5, 0, new AIMessage({ id: "said", content: "So far." }));
      const { messages, report } = await hookWith(format).compact(before);
      expect(report.outcome).toBe("compacted");
      expect(await checkWire(provider, messages)).toEqual([]);
    },
  );

  it("makes one record of several that stand together, for Bedrock", async () => {
    const compactor = new ToolCallCollapseCompactor({ minKeepGroups: 1 });
    const { messages } = await hookWith({
      compactor,
      provider: "bedrock",
      compactTo: { tokens: 1 },
    }).compact(steps(6));
    expect(idsOf(messages)).toEqual([
      "s",
      "task",
      "no-reply-compaction-record-a1",
      "compaction-record-a1",
      "a6",
      "t6",
    ]);
    expect(messages[3]!.additional_kwargs["context_compaction"]).toEqual({
      strategy: "tool-call-collapse",
      collapsedMessages: 10,
    });
    expect(messages[3]!.text.match(/Earlier tool calls/g)).toHaveLength(5);
  });

  it("begins with a person where no note does", async () => {
    const compactor = new SlidingWindowCompactor({ omissionNote: null });
    const messages = [ai("a0"), ...steps(9).slice(2), human("task")];
    for (const provider of ["gemini", "bedrock"] as const) {
      const after = await hookWith({ compactor, provider }).compact(messages);
      expect(await checkWire(provider, after.messages)).toEqual([]);
    }
  });

  it.each([
    ["ChatBedrockConverse", "bedrock", new ChatBedrockConverse(bedrock)],
    ["ChatMistralAI", "mistral", new ChatMistralAI({ apiKey: "none" })],
    ["ChatOpenAI", undefined, new ChatOpenAI({ apiKey: "none" })],
  ] as const)(
    "knows the provider of %s as its window",
    (_, provider, model) => {
      Object.defineProperty(model, "profile", {
        value: { maxInputTokens: 200 },
      });
      expect(hookWith({ contextWindow: model }).settings.provider).toBe(
        provider,
      );
      expect(
        hookWith({ contextWindow: model, provider: "gemini" }).settings
          .provider,
      ).toBe("gemini");
      const bound = model.bindTools([]) as unknown as typeof model;
      expect(hookWith({ contextWindow: bound }).settings.provider).toBe(
        provider,
      );
    },
  );

  it.each([
    ["the model that it recovers", {}, "chat_bedrock_converse", true],
    ["one bound to options", {}, "chat_bedrock_converse", true],
    ["what is stated, first", { provider: "openai" }, "mistral_ai", false],
    ["no model of another kind", {}, "openai", false],
  ] as const)(
    "knows the provider of %s",
    async (kind, options, type, isBridged) => {
      let sent: BaseMessage[] = [];
      const model = Object.assign(
        RunnableLambda.from(async (input: BaseMessage[]) => {
          sent = input;
          return new AIMessage("Fine.");
        }),
        { _llmType: () => type },
      );
      const called = kind.includes("bound") ? model.withConfig({}) : model;
      const hook = hookWith(options);
      await hook.withOverflowRecovery(called).invoke(questions(9));
      const refusals = await checkWire("bedrock", sent);
      expect(refusals.length === 0).toBe(isBridged);
    },
  );

  it("goes by its window's model where the recovered one says nothing", async () => {
    const contextWindow = new ChatBedrockConverse(bedrock);
    Object.defineProperty(contextWindow, "profile", {
      value: { maxInputTokens: 200 },
    });
    let sent: BaseMessage[] = [];
    const model = RunnableLambda.from(async (input: BaseMessage[]) => {
      sent = input;
      return new AIMessage("Fine.");
    });
    const hook = hookWith({ contextWindow });
    await hook.withOverflowRecovery(model).invoke(questions(9));
    expect(await checkWire("bedrock", sent)).toEqual([]);
  });

  it("compacts also where the recovered model cannot be asked", async () => {
    let sent: BaseMessage[] = [];
    const model = Object.assign(
      RunnableLambda.from(async (input: BaseMessage[]) => {
        sent = input;
        return new AIMessage("Fine.");
      }),
      { _getModelInstance: () => Promise.reject(new Error("no such model")) },
    );
    await hookWith().withOverflowRecovery(model).invoke(questions(9));
    expect(sent.length).toBeLessThan(questions(9).length);
  });

  it("mends by the rules of that provider, and of every one where none is named", async () => {
    const broken = [human("h1"), human("h2")];
    const named = hookWith({ repair: true, provider: "openai" });
    expect((await named.compact(broken)).report.mends).toBeUndefined();
    const unnamed = hookWith({ repair: true });
    const { messages, report } = await unnamed.compact(broken);
    expect(report.mends).toHaveLength(1);
    expect(checkConversation(messages)).toEqual([]);
    const compacted = await unnamed.compact(questions(9));
    expect(compacted.report.outcome).toBe("compacted");
    expect(checkConversation(compacted.messages)).toEqual([]);
  });

  it.each(["gemini", "strict"] as const)(
    "leaves several instructions as they are, for %s",
    async (provider) => {
      const [first, ...rest] = questions(9);
      const messages = [first!, system("s2"), ...rest];
      const { messages: after, report } = await hookWith({
        provider,
      }).compact(messages);
      expect(report.outcome).toBe("compacted");
      expect(after.slice(0, 2)).toEqual(messages.slice(0, 2));
      expect(after[0]).toBe(first);
    },
  );

  it("refuses the name of no provider", () => {
    expect(() => hookWith({ provider: "aws" as "bedrock" })).toThrow(
      /"provider".*bedrock.*"aws"/,
    );
  });
});
