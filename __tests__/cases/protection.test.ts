import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { CompactionHook, SlidingWindowCompactor } from "langchain-compaction";
import type { CompactionReport } from "langchain-compaction";
import { ai, human, system, tool } from "../support/make-messages.js";
import { compactTo, countingBy, shown } from "../support/one-token-each.js";

const loop = (steps: number): BaseMessage[] => [
  system("s"),
  human("h"),
  ...Array.from({ length: steps }, (_, index) => [
    ai(`a${index + 1}`, [`c${index + 1}`]),
    tool(`t${index + 1}`, `c${index + 1}`),
  ]).flat(),
];

/** What a hook says of these messages, whose window is far too small. */
async function reportOn(
  messages: readonly BaseMessage[],
  costs: Record<string, number>,
): Promise<{ messages: BaseMessage[]; report: CompactionReport }> {
  return new CompactionHook({
    compactor: new SlidingWindowCompactor(),
    contextWindow: 200,
    tokenCounter: countingBy(costs),
  }).compact(messages);
}

describe("what never goes", () => {
  it("is anything, in a list that fits", async () => {
    const messages = loop(1);
    const after = await compactTo(100, messages);
    expect(after.every((message, index) => message === messages[index])).toBe(
      true,
    );
    expect(after).toHaveLength(4);
  });

  it("is the task of a long loop, though it is the oldest message", async () => {
    expect(shown(await compactTo(8, loop(6)))).toBe("s h * a5 t5 a6 t6");
  });

  it("is the question and the newest result, however large", async () => {
    const messages = loop(1);
    const { messages: after, report } = await reportOn(messages, { t1: 5_000 });
    expect(after).toEqual(messages);
    expect(report).toMatchObject({ outcome: "unchanged", overTarget: true });
  });

  it("is the newest result where older steps go", async () => {
    const { messages, report } = await reportOn(loop(2), { t2: 9_000 });
    expect(shown(messages)).toBe("s h * a2 t2");
    expect(report).toMatchObject({ outcome: "compacted", overTarget: true });
    expect(report.warnings).toContain("over-target");
  });

  it("is a message that would be the only one left", async () => {
    const { messages, report } = await reportOn([human("h")], { h: 5_000 });
    expect(shown(messages)).toBe("h");
    expect(report.overTarget).toBe(true);
  });

  it("is the instructions, also alone, and nothing of nothing", async () => {
    expect(shown(await compactTo(0, [system("s")]))).toBe("s");
    expect(await compactTo(0, [])).toEqual([]);
  });

  it("is a newer step for the sake of small old talk", async () => {
    const messages = [
      system("s"),
      human("h1"),
      ai("a1"),
      human("h2"),
      ai("a2", ["c2"]),
      tool("t2", "c2"),
    ];
    const costs = { s: 10, h1: 30, a1: 40, h2: 20, a2: 30, t2: 300 };
    expect(shown(await compactTo(380, messages, { costs }))).toBe(
      "s * h2 a2 t2",
    );
  });

  it("are several human messages in a row: they are one task", async () => {
    const messages = [
      human("h0"),
      ai("a0"),
      human("h1"),
      human("h2"),
      ai("a2"),
    ];
    expect(shown(await compactTo(4, messages))).toBe("* h1 h2 a2");
    expect(shown(await compactTo(1, messages))).toBe("* h2 a2");
  });

  it("is what is pinned, with its step", async () => {
    const pin = (message: BaseMessage): boolean => message.id === "t2";
    expect(shown(await compactTo(4, loop(4), { pin }))).toBe(
      "s h * a2 t2 a4 t4",
    );
  });
});

describe("a system message in the middle", () => {
  it("goes with its turn, and is not moved to the front", async () => {
    const messages = [
      system("s"),
      human("h1"),
      ai("a1"),
      system("context"),
      human("h2"),
      ai("a2"),
      human("h3"),
    ];
    expect(shown(await compactTo(5, messages))).toBe("s * h2 a2 h3");
  });

  it("stays where it stands by itself in the task", async () => {
    const messages = [...loop(2), system("context"), ...loop(4).slice(6)];
    expect(shown(await compactTo(6, messages))).toBe("s h * context a4 t4");
  });
});

describe("a message that stays", () => {
  it("is the very object, with reasoning, signatures and arguments", async () => {
    const reasoning = new AIMessage({
      id: "a2",
      content: [{ type: "reasoning", id: "rs_2", summary: [] }],
      tool_calls: [
        {
          id: "c2",
          name: "write",
          args: { text: "x".repeat(9_000) },
          type: "tool_call",
        },
      ],
      additional_kwargs: { reasoning: { id: "rs_2", type: "reasoning" } },
    });
    const thinking = new AIMessage({
      id: "a1",
      content: [
        { type: "thinking", thinking: "two of them", signature: "sig" },
        { type: "tool_use", id: "c1", name: "look_up", input: {} },
      ],
      tool_calls: [{ id: "c1", name: "look_up", args: {}, type: "tool_call" }],
    });
    const messages = [
      human("h"),
      thinking,
      tool("t1", "c1"),
      reasoning,
      tool("t2", "c2"),
    ];
    const after = await compactTo(4, messages);
    expect(shown(after)).toBe("h * a2 t2");
    expect(after[2]).toBe(reasoning);
  });

  it("ends the list that it ended before", async () => {
    for (let target = 0; target < 9; target += 1) {
      const after = await compactTo(target, loop(3));
      expect(after.at(-1)!.id).toBe("t3");
    }
  });
});
