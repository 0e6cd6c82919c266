import { describe, expect, it } from "@jest/globals";
import {
  AIMessageChunk,
  type BaseMessage,
  type BaseMessageLike,
  HumanMessage,
} from "@langchain/core/messages";
import {
  ChatPromptTemplate,
  MessagesPlaceholder,
} from "@langchain/core/prompts";
import { fakeModel } from "@langchain/core/testing";
import {
  CompactionError,
  Compactor,
  type CompactorInput,
  SlidingWindowCompactor,
} from "langchain-compaction";
import { ai, human, idsOf, system } from "../support/make-messages.js";

const perMessage = (messages: readonly BaseMessage[]) => messages.length * 10;

const compactor = new SlidingWindowCompactor({
  targetTokens: 40,
  tokenCounter: perMessage,
});

const chat = (): BaseMessage[] => [
  system("s"),
  human("q1"),
  ai("a1"),
  human("q2"),
  ai("a2"),
  human("q3"),
];

const COMPACTED = ["s", "compaction-note-q1", "q3"];

describe("in a chain", () => {
  const prompt = ChatPromptTemplate.fromMessages([
    ["system", "Be brief."],
    new MessagesPlaceholder("history"),
    ["human", "{question}"],
  ]);

  it("stands between prompt and model", async () => {
    const model = fakeModel().respond(ai("answer"));
    const chain = prompt.pipe(compactor).pipe(model);
    const answer = await chain.invoke({
      history: chat().slice(1, 5),
      question: "And now?",
    });

    expect(answer.id).toBe("answer");
    expect(model.calls[0]!.messages.map((m) => m.text)).toEqual([
      "Be brief.",
      "[4 earlier messages were removed from this conversation to free up context.]",
      "And now?",
    ]);
  });

  it("can be streamed through", async () => {
    const model = fakeModel().respond(ai("answer"));
    const chunks: unknown[] = [];
    for await (const chunk of await prompt
      .pipe(compactor)
      .pipe(model)
      .stream({ history: chat().slice(1, 5), question: "And now?" })) {
      chunks.push(chunk);
    }
    expect(chunks.length).toBeGreaterThan(0);
    expect(model.calls[0]!.messages).toHaveLength(3);
  });

  it("streams its result in one piece", async () => {
    const chunks: BaseMessage[][] = [];
    for await (const chunk of await compactor.stream(chat())) {
      chunks.push(chunk);
    }
    expect(chunks.map(idsOf)).toEqual([COMPACTED]);
  });

  it("takes many", async () => {
    const results = await compactor.batch([chat(), [human("q")], []]);
    expect(results.map(idsOf)).toEqual([COMPACTED, ["q"], []]);
  });
});

describe("input", () => {
  const likes: BaseMessageLike[] = [
    ["system", "s"],
    ["human", "q1"],
    { role: "assistant", content: "a1" },
    { role: "user", content: "q2" },
    { type: "ai", content: "a2" },
    "q3",
  ];

  it.each<[string, CompactorInput]>([
    ["messages", chat()],
    ["message-likes", likes],
    [
      "messages among message-likes",
      [...chat().slice(0, 3), ...likes.slice(3)],
    ],
    ["what toDict gives", chat().map((m) => m.toDict()) as never],
    ["what JSON gives", JSON.parse(JSON.stringify(chat())) as never],
    [
      "what toDict gives, from JSON",
      JSON.parse(JSON.stringify(chat().map((m) => m.toDict()))) as never,
    ],
    [
      "messages as Python's servers write them",
      chat().map((m) => ({
        type: `${m.type === "ai" ? "AI" : m.type === "human" ? "Human" : "System"}MessageChunk`,
        content: m.content,
        id: m.id,
      })) as never,
    ],
  ])("may be %s", async (_name, input) => {
    const result = await compactor.invoke(input);
    expect(result.map((m) => m.type)).toEqual(["system", "human", "human"]);
    expect(result[2]!.text).toMatch(/q3/);
  });

  it("may be a prompt value", async () => {
    const value = await ChatPromptTemplate.fromMessages(chat()).invoke({});
    expect(idsOf(await compactor.invoke(value))).toEqual(COMPACTED);
  });

  it("may be a string", async () => {
    const result = await compactor.invoke("hello");
    expect(result).toHaveLength(1);
    expect(HumanMessage.isInstance(result[0])).toBe(true);
    expect(result[0]!.content).toBe("hello");
  });

  it("may be chunks, whose calls are seen", async () => {
    const chunk = (index: number) =>
      new AIMessageChunk({
        id: `chunk${index}`,
        content: "",
        tool_call_chunks: [
          { id: `c${index}`, name: "look_up", args: "{}", index: 0 },
        ],
      });
    const messages = [human("q"), chunk(1), chunk(2)];
    // Both calls wait for their answers.
    expect(await compactor.invoke(messages, { targetTokens: 0 })).toHaveLength(
      3,
    );
  });

  it("comes back in a list of its own, with the same messages", async () => {
    const messages = chat();
    const result = await compactor.invoke(messages, { targetTokens: 1000 });
    expect(result).not.toBe(messages);
    expect(result.every((m, index) => m === messages[index])).toBe(true);
    expect(result).toHaveLength(6);
  });

  it.each<[string, unknown]>([
    ["a number", 7],
    ["null", null],
    ["undefined", undefined],
    ["an object", { messages: [] }],
    ["a list with a number in it", [human("q"), 7]],
    ["a list with nothing in it", [human("q"), undefined]],
    ["a role that nobody has", [{ role: "wizard", content: "x" }]],
  ])("may not be %s", async (_name, input) => {
    await expect(compactor.invoke(input as never)).rejects.toMatchObject({
      code: "INVALID_MESSAGES",
    });
    await expect(compactor.compact(input as never)).rejects.toMatchObject({
      code: "INVALID_MESSAGES",
    });
  });

  it("of compact is messages and nothing like them", async () => {
    const likes = [{ role: "user", content: "q" }];
    await expect(compactor.compact(likes as never)).rejects.toMatchObject({
      code: "INVALID_MESSAGES",
    });
  });
});

describe("options", () => {
  it("of a call beat withConfig, which beats the constructor", async () => {
    const configured = compactor.withConfig({ targetTokens: 1000 });
    expect(await compactor.invoke(chat())).toHaveLength(3);
    expect(await configured.invoke(chat())).toHaveLength(6);
    expect(await configured.invoke(chat(), { targetTokens: 50 })).toHaveLength(
      5,
    );
    expect(
      await compactor.invoke(chat(), { target: { turns: 2 } }),
    ).toHaveLength(5);
  });

  it("of a call may change what counts and when it starts", async () => {
    expect(
      await compactor.invoke(chat(), { tokenCounter: () => 1 }),
    ).toHaveLength(6);
    expect(
      await compactor.invoke(chat(), { trigger: { messages: 100 } }),
    ).toHaveLength(6);
  });

  it("without any target are an error that names what to give", async () => {
    const bare = new SlidingWindowCompactor();
    const expected = {
      code: "MISSING_TARGET",
      message: expect.stringMatching(/targetTokens.*target.*trigger/),
    };
    await expect(bare.invoke(chat())).rejects.toMatchObject(expected);
    await expect(bare.compact(chat())).rejects.toMatchObject(expected);
    expect(await bare.invoke(chat(), { targetTokens: 40 })).toHaveLength(3);
    expect(
      await bare.withConfig({ targetTokens: 40 }).invoke(chat()),
    ).toHaveLength(3);
  });

  it("of a call are checked", async () => {
    await expect(
      compactor.invoke(chat(), { targetTokens: -1 }),
    ).rejects.toThrow(/"targetTokens".*got -1/);
    await expect(compactor.invoke(chat(), { target: {} })).rejects.toThrow(
      /"target"/,
    );
  });

  it("may not be a part of a window that is not known", async () => {
    await expect(
      compactor.invoke(chat(), { target: { fraction: 0.5 } }),
    ).rejects.toThrow(/fraction.*contextWindow/);
  });
});

describe("a failure", () => {
  const failing = () => {
    throw new Error("no table");
  };

  it.each<[string, () => unknown]>([
    ["a counter that throws", failing],
    ["a counter that rejects", async () => failing()],
    ["a counter that returns NaN", () => Number.NaN],
  ])("of %s gives the messages back", async (_name, count) => {
    const messages = chat();
    const result = await compactor.invoke(messages, {
      tokenCounter: count as never,
    });
    expect(result).toHaveLength(6);
    expect(result.every((m, index) => m === messages[index])).toBe(true);
  });

  it("of a compactor of one's own gives the messages back", async () => {
    class Failing extends Compactor {
      override async compact(): Promise<never> {
        return failing();
      }
    }
    const options = { targetTokens: 10, tokenCounter: perMessage };
    expect(await new Failing(options).invoke(chat())).toHaveLength(6);
    await expect(
      new Failing({ ...options, raiseOnFailure: true }).invoke(chat()),
    ).rejects.toThrow("no table");
  });

  it("is an error with raiseOnFailure", async () => {
    const raising = new SlidingWindowCompactor({
      targetTokens: 40,
      raiseOnFailure: true,
      tokenCounter: failing,
    });
    const error: unknown = await raising
      .invoke(chat())
      .catch((thrown: unknown) => thrown);
    expect(CompactionError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      code: "COUNTER_FAILED",
      cause: new Error("no table"),
    });
  });

  it("to settle ends with the signal", async () => {
    const abort = new AbortController();
    const run = compactor.invoke(chat(), {
      tokenCounter: async () => new Promise<number>(() => {}),
      signal: abort.signal,
    });
    queueMicrotask(() => abort.abort());
    await expect(run).rejects.toThrow(/abort/i);
  });
});

it("is named after its class in a trace", () => {
  expect(compactor.getName()).toBe("SlidingWindowCompactor");
});
