import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { CompactionHook, SlidingWindowCompactor } from "langchain-compaction";
import { ai, human, system, tool } from "../support/make-messages.js";
import { compactTo, countingBy, shown } from "../support/one-token-each.js";

const step = (number: number): BaseMessage[] => [
  ai(`a${number}`, [`c${number}`]),
  tool(`t${number}`, `c${number}`),
];

const steps = (count: number): BaseMessage[] =>
  Array.from({ length: count }, (_, index) => step(index + 1)).flat();

describe("compaction again and again", () => {
  it("does nothing on its own result", async () => {
    const costs: Record<string, number> = { h: 20 };
    for (let number = 1; number <= 6; number += 1) {
      costs[`a${number}`] = 100;
      costs[`t${number}`] = 3_000;
    }
    const once = await compactTo(15_000, [human("h"), ...steps(6)], { costs });
    expect(shown(once)).toBe("h * a3 t3 a4 t4 a5 t5 a6 t6");
    expect(await compactTo(15_000, once, { costs })).toEqual(once);
  });

  it("lasts for several calls, which then only append", async () => {
    const hook = new CompactionHook({
      compactor: new SlidingWindowCompactor(),
      contextWindow: 100,
      compactAt: 1,
      compactTo: 0.7,
      tokenCounter: ([message]) => (message!.getType() === "tool" ? 10 : 2),
    });
    let messages: BaseMessage[] = [human("h")];
    const fired: number[] = [];
    for (let number = 1; number <= 30; number += 1) {
      const before = messages;
      messages.push(...step(number));
      const { messages: after, report } = await hook.compact(messages);
      if (report.outcome === "compacted") {
        fired.push(number);
      } else {
        expect(after).toEqual(before);
      }
      messages = after;
    }
    const gaps = fired.slice(1).map((at, index) => at - fired[index]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3);
  });

  it("writes the same note for the same removal, byte for byte", async () => {
    const messages = [human("h"), ...steps(5)];
    const [first, second] = [
      await compactTo(6, messages),
      await compactTo(6, messages),
    ];
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
  });
});

describe("a reported size", () => {
  it("is added to and never scaled by", async () => {
    const hook = new CompactionHook({
      compactor: new SlidingWindowCompactor(),
      contextWindow: 12_000,
      compactAt: 1,
      compactTo: 0.5,
    });
    const messages = [
      human("h1"),
      ai("a1", [], { usage: [9_950, 50] }),
      human("h2", { content: "Open the blinds." }),
    ];
    const { report } = await hook.compact(messages);
    expect(report.reason).toBe("below-trigger");
    expect(report.tokensBefore).toBeGreaterThan(10_000);
    expect(report.tokensBefore).toBeLessThan(10_050);
  });
});

describe("a budget", () => {
  it("is less by what the request has besides messages", async () => {
    const messages = [
      system("s"),
      human("h1"),
      ai("a1", ["c1"]),
      tool("t1", "c1"),
      ai("a2"),
      human("h2"),
      ai("a3", ["c3"]),
      tool("t3", "c3"),
    ];
    const costs = {
      s: 1_500,
      h1: 100,
      a1: 300,
      t1: 2_500,
      a2: 300,
      h2: 100,
      a3: 100,
      t3: 2_600,
    };
    const { messages: after, report } = await new CompactionHook({
      compactor: new SlidingWindowCompactor(),
      contextWindow: 16_000,
      compactAt: 1,
      compactTo: 0.95,
      overheadTokens: 9_500,
      tokenCounter: countingBy(costs),
    }).compact(messages);
    expect(shown(after)).toBe("s * h2 a3 t3");
    expect(report.overheadTokens).toBe(9_500);
  });

  it("is each instance's own", async () => {
    const messages = [human("h"), ...steps(2)];
    const costs = { t1: 4_000, t2: 4_000 };
    const small = new SlidingWindowCompactor({ targetTokens: 6_000 });
    const large = new SlidingWindowCompactor({ targetTokens: 160_000 });
    const tokenCounter = countingBy(costs);
    const [first, second] = await Promise.all([
      small.invoke(messages, { tokenCounter }),
      large.invoke(messages, { tokenCounter }),
    ]);
    expect(shown(first)).toBe("h * a2 t2");
    expect(shown(second)).toBe("h a1 t1 a2 t2");
  });
});

describe("a counter", () => {
  it("is handed one message at a time, each once, however long the list", async () => {
    const messages = [system("s"), human("h"), ...steps(2_000)];
    const seen = new Map<BaseMessage, number>();
    await new SlidingWindowCompactor({ targetTokens: 500 }).invoke(messages, {
      tokenCounter: (handed) => {
        expect(handed).toHaveLength(1);
        const [message] = handed;
        seen.set(message!, (seen.get(message!) ?? 0) + 1);
        return 1;
      },
    });
    expect(messages.filter((message) => seen.get(message) !== 1)).toEqual([]);
    // Besides them the note, as it is reserved and as it is written.
    expect(seen.size).toBeLessThanOrEqual(messages.length + 2);
  });
});
