import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { CompactionError, SlidingWindowCompactor } from "langchain-compaction";
import type { SlidingWindowCompactorFields } from "langchain-compaction";
import {
  ai,
  collapse,
  human,
  idsOf,
  note,
  summary,
  system,
  tool,
} from "../support/make-messages.js";

const perMessage = (messages: readonly BaseMessage[]) => messages.length * 10;

/** What stays of a list at so many messages; every message costs the same, notes too. */
async function kept(
  messages: readonly BaseMessage[],
  size: number,
  fields: SlidingWindowCompactorFields = {},
): Promise<string[] | null> {
  const result = await compacted(messages, size, fields);
  return result === null ? null : idsOf(result);
}

async function compacted(
  messages: readonly BaseMessage[],
  size: number,
  fields: SlidingWindowCompactorFields = {},
): Promise<BaseMessage[] | null> {
  return new SlidingWindowCompactor({
    targetTokens: size * 10,
    tokenCounter: perMessage,
    ...fields,
  }).compact(messages);
}

const free = { omissionNote: null };

const result = (id: string) => ({
  type: "tool_result",
  tool_use_id: id,
  content: "x",
});

const chat = (): BaseMessage[] => [
  system("s"),
  human("q1"),
  ai("a1"),
  human("q2"),
  ai("a2"),
  human("q3"),
  ai("a3"),
];

const work = (): BaseMessage[] => [
  system("s"),
  human("q1"),
  ai("a1"),
  human("task"),
  ai("b1", ["c1"]),
  tool("r1", "c1"),
  ai("b2", ["c2", "c3"]),
  tool("r2", "c2"),
  tool("r3", "c3"),
  ai("b3", ["c4"]),
  tool("r4", "c4"),
];

describe("what goes", () => {
  it("is nothing where the messages fit", async () => {
    expect(await kept(chat(), 7)).toBeNull();
    expect(await kept(chat(), 100)).toBeNull();
  });

  it("is the oldest turns, as few as will do", async () => {
    expect(await kept(chat(), 6, free)).toEqual(["s", "q2", "a2", "q3", "a3"]);
    expect(await kept(chat(), 5, free)).toEqual(["s", "q2", "a2", "q3", "a3"]);
    expect(await kept(chat(), 4, free)).toEqual(["s", "q3", "a3"]);
  });

  it("makes room for the note as well", async () => {
    expect(await kept(chat(), 6)).toEqual([
      "s",
      "compaction-note-q1",
      "q2",
      "a2",
      "q3",
      "a3",
    ]);
    expect(await kept(chat(), 5)).toEqual([
      "s",
      "compaction-note-q1",
      "q3",
      "a3",
    ]);
  });

  it("is the task's oldest steps once every turn is gone", async () => {
    expect(await kept(work(), 9, free)).toEqual([
      "s",
      "task",
      "b1",
      "r1",
      "b2",
      "r2",
      "r3",
      "b3",
      "r4",
    ]);
    expect(await kept(work(), 8, free)).toEqual([
      "s",
      "task",
      "b2",
      "r2",
      "r3",
      "b3",
      "r4",
    ]);
    expect(await kept(work(), 6, free)).toEqual(["s", "task", "b3", "r4"]);
  });

  it("is never the newest step, unless it may be", async () => {
    expect(await kept(work(), 0, free)).toEqual(["s", "task", "b3", "r4"]);
    expect(await kept(work(), 0, { ...free, minKeepSteps: 2 })).toEqual([
      "s",
      "task",
      "b2",
      "r2",
      "r3",
      "b3",
      "r4",
    ]);
    expect(await kept(work(), 0, { ...free, minKeepSteps: 0 })).toEqual([
      "s",
      "task",
    ]);
    expect(await kept(work(), 0, { ...free, minKeepSteps: 99 })).toHaveLength(
      9,
    );
  });

  it("is a turn as a whole even where a part of it would do", async () => {
    const counter = ([message]: BaseMessage[]) =>
      message!.id === "a1" ? 1000 : 10;
    expect(await kept(chat(), 6, { ...free, tokenCounter: counter })).toEqual([
      "s",
      "q2",
      "a2",
      "q3",
      "a3",
    ]);
  });
});

describe("pin", () => {
  it("keeps a message, and the note says what went besides", async () => {
    const result = await compacted(chat(), 4, {
      pin: ({ id }) => id === "a1",
    });
    expect(idsOf(result!)).toEqual([
      "s",
      "compaction-note-q1",
      "a1",
      "q3",
      "a3",
    ]);
    expect(result![1]!.content).toContain("[3 earlier messages");
  });

  it("keeps the whole step of a message", async () => {
    expect(
      await kept(work(), 0, { ...free, pin: ({ id }) => id === "r3" }),
    ).toEqual(["s", "task", "b2", "r2", "r3", "b3", "r4"]);
  });

  it("does not keep what is dead", async () => {
    const messages = [human("q"), tool("orphan", "nowhere"), ...chat()];
    expect(
      await kept(messages, 4, { ...free, pin: ({ id }) => id === "orphan" }),
    ).not.toContain("orphan");
  });

  it.each<[string, () => unknown, string]>([
    [
      "throws",
      () => {
        throw new Error("oops");
      },
      'Option "pin" threw.',
    ],
    [
      "gives a promise, which is no answer",
      async () => false,
      'Option "pin" must return true or false, it returned a promise.',
    ],
  ])("that %s is named", async (_name, pin, message) => {
    await expect(compacted(chat(), 1, { pin: pin as never })).rejects.toThrow(
      message,
    );
  });

  it("of everything leaves nothing to do", async () => {
    expect(await kept(chat(), 1, { pin: () => true })).toBeNull();
  });
});

describe("the note", () => {
  it("is a human message with text, id and mark", async () => {
    const result = (await compacted(chat(), 5))!;
    const found = result[1]!;
    expect(HumanMessage.isInstance(found)).toBe(true);
    expect(found.content).toBe(
      "[4 earlier messages were removed from this conversation to free up context.]",
    );
    expect(found.id).toBe("compaction-note-q1");
    expect(found.additional_kwargs).toEqual({
      context_compaction: {
        strategy: "sliding-window",
        removedMessages: 4,
        keptMessages: 3,
      },
    });
  });

  it("has the text that is asked for, whatever stands in it", async () => {
    const text = async (omissionNote: string) =>
      (await compacted(chat(), 5, { omissionNote }))![1]!.content;
    expect(await text("Gone: {num_removed} of {num_removed}.")).toBe(
      "Gone: 4 of 4.",
    );
    expect(await text("History was cut.")).toBe("History was cut.");
    expect(await text("$& $1 {other} {num_removed}")).toBe("$& $1 {other} 4");
  });

  it("is left out where its text is empty", async () => {
    expect(await kept(chat(), 5, { omissionNote: "" })).toEqual([
      "s",
      "q2",
      "a2",
      "q3",
      "a3",
    ]);
  });

  it("stands after the task where one of its steps went", async () => {
    expect(await kept(work(), 8)).toEqual([
      "s",
      "task",
      "compaction-note-q1",
      "b2",
      "r2",
      "r3",
      "b3",
      "r4",
    ]);
  });

  it("stands behind the instructions where only turns went", async () => {
    expect(await kept(work(), 10)).toEqual([
      "s",
      "compaction-note-q1",
      "task",
      "b1",
      "r1",
      "b2",
      "r2",
      "r3",
      "b3",
      "r4",
    ]);
  });

  it("replaces an earlier one and goes on with its count", async () => {
    const messages = [
      system("s"),
      note("n", 40),
      human("q1"),
      ai("a1"),
      human("q2"),
      ai("a2"),
    ];
    const result = (await compacted(messages, 4))!;
    expect(idsOf(result)).toEqual(["s", "compaction-note-q1", "q2", "a2"]);
    expect(result[1]!.content).toContain("[42 earlier messages");
  });

  it("stays a note whatever number an earlier one was given", async () => {
    const messages = [
      note("n", Number.MAX_SAFE_INTEGER),
      ...chat().slice(1),
      ai("x"),
    ];
    const once = (await compacted(messages, 4))!;
    expect(idsOf(once)).toEqual(["compaction-note-q1", "q3", "a3", "x"]);
    const again = (await compacted([...once, ai("y")], 4))!;
    expect(idsOf(again)).toEqual(["q3", "compaction-note-a3", "x", "y"]);
  });

  it("is the same for the same messages", async () => {
    const one = (await compacted(chat(), 5))!.map((m) => m.toDict());
    const two = (await compacted(chat(), 5))!.map((m) => m.toDict());
    expect(one).toEqual(two);
  });

  it("has a constant id where the removed messages have none", async () => {
    const bare = chat().map((message) => {
      message.id = undefined as never;
      return message;
    });
    expect((await compacted(bare, 5))![1]!.id).toBe("compaction-note");
  });

  it("counts what a summary or a record stands for", async () => {
    const messages = [
      system("s"),
      summary("sum", 20),
      human("q1"),
      collapse("rec", 5),
      ai("a1"),
      human("q2"),
      ai("a2"),
    ];
    const result = (await compacted(messages, 4))!;
    expect(idsOf(result)).toEqual(["s", "compaction-note-sum", "q2", "a2"]);
    expect(result[1]!.content).toContain("[27 earlier messages");
  });

  it("is no reason to compact where it costs more than goes", async () => {
    const counter = ([message]: BaseMessage[]) =>
      message!.id?.startsWith("compaction-note") ? 1_000 : 10;
    expect(await kept(chat(), 3, { tokenCounter: counter })).toBeNull();
  });
});

describe("calls without an answer", () => {
  it("stay where nobody spoke since", async () => {
    const messages = [...chat(), ai("ask", ["open"]), ai("x"), ai("y")];
    expect(await kept(messages, 0, free)).toEqual(["s", "q3", "ask"]);
    expect(await kept(messages, 0, { ...free, minKeepSteps: 2 })).toEqual([
      "s",
      "q3",
      "ask",
      "y",
    ]);
  });

  it("go first where somebody did", async () => {
    const messages = [human("q1"), ai("dead", ["open"]), human("q2"), ai("a2")];
    expect(await kept(messages, 3, free)).toEqual(["q1", "q2", "a2"]);
    expect(await kept(messages, 4, free)).toBeNull();
  });

  it("stay where the first words of the task stand beside their results", async () => {
    const spoken = human("spoken", {
      content: [result("c1"), { type: "text", text: "Take the blue one." }],
    });
    const messages = [
      human("q1"),
      ai("a1"),
      ai("half", ["c1", "c2"]),
      spoken,
      human("go on"),
      ai("a2"),
    ];
    const left = ["half", "spoken", "go on", "a2"];
    expect(await kept(messages, 4, free)).toEqual(left);
  });
});

describe("a message of nothing but results", () => {
  it("goes first where no call is theirs", async () => {
    const messages = [
      human("q1"),
      ai("a1"),
      human("lost", { content: [result("nobody's")] }),
      human("q2"),
      ai("a2"),
    ];
    expect(await kept(messages, 4, free)).toEqual(["q1", "a1", "q2", "a2"]);
  });

  it("stays where nothing else would be left", async () => {
    const lost = human("lost", { content: [result("nobody's")] });
    expect(await kept([lost, tool("r", "c")], 0, free)).toBeNull();
  });

  it("stays where one of them has its call", async () => {
    const messages = [
      human("q1"),
      ai("a1"),
      human("q2"),
      ai("b1", ["c1"]),
      human("both", { content: [result("c1"), result("nobody's")] }),
    ];
    expect(await kept(messages, 4, free)).toEqual(["q2", "b1", "both"]);
  });
});

describe("a target that is no number", () => {
  it.each<[string, SlidingWindowCompactorFields, string[] | null]>([
    ["turns", { target: { turns: 1 } }, ["s", "q3", "a3"]],
    ["messages", { target: { messages: 5 } }, ["s", "q2", "a2", "q3", "a3"]],
    ["steps", { target: { steps: 2 } }, ["s", "q2", "a2", "q3", "a3"]],
    ["groups", { target: { groups: 3 } }, ["s", "q3", "a3"]],
    [
      "a predicate",
      { target: ({ turns }) => turns < 3 },
      ["s", "q2", "a2", "q3", "a3"],
    ],
    [
      "any of several",
      { target: [{ turns: 1 }, { messages: 5 }] },
      ["s", "q2", "a2", "q3", "a3"],
    ],
    ["all of one", { target: { turns: 2, messages: 4 } }, ["s", "q3", "a3"]],
    [
      "the trigger's opposite",
      { trigger: { turns: 3 } },
      ["s", "q2", "a2", "q3", "a3"],
    ],
    [
      "a trigger that does not hold",
      { trigger: { turns: 4 }, target: { turns: 1 } },
      null,
    ],
    [
      "a trigger that holds",
      { trigger: { turns: 3 }, target: { turns: 1 } },
      ["s", "q3", "a3"],
    ],
  ])("%s", async (_name, conditions, expected) => {
    const result = await new SlidingWindowCompactor({
      ...free,
      ...conditions,
    }).compact(chat());
    expect(result === null ? null : idsOf(result)).toEqual(expected);
  });

  it("is a part of the window where compact is told it", async () => {
    const result = await new SlidingWindowCompactor({
      ...free,
      target: { fraction: 0.5 },
      tokenCounter: perMessage,
    }).compact(chat(), { contextWindow: 100 });
    expect(idsOf(result!)).toEqual(["s", "q2", "a2", "q3", "a3"]);
  });
});

describe("options of one call", () => {
  it("beat those of the constructor", async () => {
    const compactor = new SlidingWindowCompactor({
      ...free,
      targetTokens: 1000,
      tokenCounter: perMessage,
    });
    expect(await compactor.compact(chat())).toBeNull();
    expect(await compactor.compact(chat(), { targetTokens: 40 })).toHaveLength(
      3,
    );
    expect(
      await compactor.compact(chat(), { target: { turns: 1 } }),
    ).toHaveLength(3);
    expect(
      await compactor.compact(chat(), { tokenCounter: () => 200 }),
    ).toHaveLength(5);
  });
});

describe("the caller's messages", () => {
  it("are not changed and stay the same objects", async () => {
    const messages = Object.freeze(work().map((m) => Object.freeze(m)));
    const result = (await compacted(messages, 8))!;
    for (const message of result.filter(
      ({ id }) => id !== "compaction-note-q1",
    )) {
      expect(messages).toContain(message);
    }
  });
});

describe("a wrong option", () => {
  it.each<[Record<string, unknown>, RegExp]>([
    [{ minKeepSteps: -1 }, /"minKeepSteps".*steps, 0 or more, got -1/],
    [{ minKeepSteps: 1.5 }, /"minKeepSteps".*got 1\.5/],
    [{ minKeepSteps: Number.NaN }, /"minKeepSteps".*got NaN/],
    [{ minKeepSteps: "1" }, /"minKeepSteps".*got "1"/],
    [{ omissionNote: 5 }, /"omissionNote".*\{num_removed\}.*got 5/],
    [{ pin: "all" }, /"pin".*function of a message, got "all"/],
    [{ targetTokens: -1 }, /"targetTokens".*0 or more, got -1/],
    [{ targetTokens: 10.5 }, /"targetTokens".*got 10\.5/],
    [{ targetTokens: 5, target: { tokens: 5 } }, /"targetTokens".*left out/],
    [{ target: "half" }, /"target".*got "half"/],
    [{ target: { token: 1 } }, /"target" has no size "token"/],
    [{ trigger: [] }, /"trigger".*array of 0/],
    [{ tokenCounter: {} }, /"tokenCounter"/],
    [{ raiseOnFailure: "no" }, /"raiseOnFailure".*true or false, got "no"/],
    [{ minKeepStep: 1 }, /no option "minKeepStep".*minKeepSteps/],
  ])("%p says what is right", (fields, text) => {
    let error: unknown;
    try {
      new SlidingWindowCompactor(fields as SlidingWindowCompactorFields);
    } catch (thrown) {
      error = thrown;
    }
    expect(CompactionError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringMatching(text),
    });
  });
});
