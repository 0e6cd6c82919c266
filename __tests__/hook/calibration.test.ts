import { describe, expect, it } from "@jest/globals";
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import fc from "fast-check";
import {
  CompactionHook,
  type CompactionHookOptions,
  type CompactionReport,
  type CompactorLike,
  SlidingWindowCompactor,
  type TokenCounter,
  TruncationCompactor,
} from "langchain-compaction";
import { ai, human, idsOf, summary, tool } from "../support/make-messages.js";
import { markOn } from "./threads.js";

// The provider takes a character for a token, and has 500 tokens besides the
// messages. A step is 300 tokens; due from 7,000 of 10,000, down to 4,000.
const OVERHEAD = 500;
const ANSWER = 40;
const RESULT = 260;

/** A counter that says so many times what the provider says. */
function countingAs(times: number): TokenCounter {
  return {
    countMessage: ({ text }) => times * text.length,
    countTools: () => 0,
  };
}

function hookOf(
  times: number,
  options: Partial<CompactionHookOptions> = {},
): CompactionHook {
  return new CompactionHook({
    compactor: new SlidingWindowCompactor({ omissionNote: "." }),
    contextWindow: 10_000,
    compactAt: 0.7,
    compactTo: 0.4,
    tokenCounter: countingAs(times),
    ...options,
  });
}

/** What stands on the answer of a step; `undefined` is no usage. */
type Usage = (
  input: number,
  step: number,
) => { input: number; output?: number; model?: string } | undefined;

const honest: Usage = (input) => ({ input });

/** A task of 100 tokens and steps, each answer with what the provider reports. */
function thread(
  steps: number,
  usage: Usage = honest,
  result = RESULT,
): BaseMessage[] {
  const messages: BaseMessage[] = [human("task", { content: "t".repeat(100) })];
  for (let step = 1; step <= steps; step += 1) {
    messages.push(...stepAfter(messages, step, usage, result));
  }
  return messages;
}

function stepAfter(
  sent: readonly BaseMessage[],
  step: number,
  usage: Usage = honest,
  result = RESULT,
): BaseMessage[] {
  const said = usage(trueSize(sent), step);
  return [
    ai(`a${step}`, [`c${step}`], {
      content: "a".repeat(ANSWER),
      ...(said === undefined
        ? {}
        : { usage: [said.input, said.output ?? ANSWER] }),
      ...(said?.model === undefined
        ? {}
        : { response_metadata: { model_name: said.model } }),
    }),
    tool(`r${step}`, `c${step}`, { content: "r".repeat(result) }),
  ];
}

function trueSize(messages: readonly BaseMessage[]): number {
  return messages.reduce((sum, { text }) => sum + text.length, OVERHEAD);
}

async function reportOn(
  messages: readonly BaseMessage[],
  times: number,
  options: Partial<CompactionHookOptions> = {},
): Promise<CompactionReport> {
  return (await hookOf(times, options).compact(messages)).report;
}

/** How often what was shown did not only grow at its end. */
function breaksIn(views: readonly BaseMessage[][]): number {
  return views.filter((view, call) =>
    (views[call - 1] ?? []).some(
      (message, index) => message.id !== view[index]?.id,
    ),
  ).length;
}

/** The factor that a list gives, with a counter that says half. */
async function factorOf(messages: readonly BaseMessage[]): Promise<number> {
  const always = { compactAt: () => true, compactTo: { tokens: 1 } };
  return (await reportOn(messages, 0.5, always)).counterFactor!;
}

describe("a counter whose error reports agree on", () => {
  it.each([
    [0.25, 4],
    [0.5, 2],
    [1, 1],
    [2, 0.5],
    [4, 0.25],
  ])(
    "that says %d times as much is corrected by %d",
    async (times, counterFactor) => {
      const messages = thread(24);
      const report = await reportOn(messages, times);
      expect(report).toMatchObject({
        tokensBefore: OVERHEAD + 100 + 24 * 300,
        counterFactor,
        overheadTokens: OVERHEAD,
        targetTokens: 3_500 / counterFactor,
        tokensAfter: OVERHEAD + 100 + 11 * 300 + 1,
        warnings: [],
      });
      const { messages: kept } = await hookOf(times).compact(messages);
      expect(trueSize(kept)).toBe(report.tokensAfter);
    },
  );

  it("is corrected by three decimals", async () => {
    const report = await reportOn(thread(24), 0.6);
    expect(report.counterFactor).toBe(1.667);
    expect(report.tokensBefore).toBe(OVERHEAD + 100 + 24 * 300);
    expect(report.removedIds).toHaveLength(2 * 13);
  });

  it("does not wait longer or come sooner than the trigger says", async () => {
    // Due at the 22nd step, whose result is not reported yet.
    for (const times of [0.5, 2]) {
      const late = await reportOn(thread(22), times);
      const early = await reportOn(thread(21), times);
      expect(late.reason).toBe("above-trigger");
      expect(early.reason).toBe("below-trigger");
    }
  });

  it("counts a large result that nothing reports yet", async () => {
    const messages = [
      ...thread(10),
      ...stepAfter(thread(10), 11, honest, 3_400),
    ];
    expect((await reportOn(messages, 0.5)).tokensBefore).toBe(
      trueSize(messages),
    );
    // By the counter alone it would be 1,700 tokens, and not due.
    const { usage_metadata: usage } = messages.at(-2) as AIMessage;
    expect(usage!.total_tokens + 1_700).toBeLessThan(7_000);
  });

  it("is told of in its own tokens", async () => {
    let told: Parameters<CompactorLike["compact"]>[1] | undefined;
    const compactor: CompactorLike = {
      compact: async (_messages, options) => {
        told = options;
        return null;
      },
    };
    const messages = thread(24);
    await reportOn(messages, 0.5, { compactor });
    expect(told!.target.tokens).toBe(1_750);
    // A task and 11 steps are 1,700 by the counter.
    expect(await told!.target.holds(messages.slice(0, 23))).toBe(true);
    expect(await told!.target.holds(messages.slice(0, 25))).toBe(false);
  });

  it("is corrected for a predicate, and for a tier's own target", async () => {
    const predicate = await reportOn(thread(24), 0.5, {
      compactTo: ({ tokens }) => tokens <= 4_000,
    });
    const tier = await reportOn(thread(24), 0.5, {
      compactor: [
        new TruncationCompactor({
          target: { tokens: 4_000 },
          minKeepGroups: 1,
          omissionNote: ".",
        }),
      ],
    });
    expect(predicate.tokensAfter).toBe(OVERHEAD + 100 + 11 * 300 + 1);
    expect(tier.tokensAfter).toBe(OVERHEAD + 100 + 11 * 300 + 1);
  });

  it("leaves the mark of an overhead that fits its bare count", async () => {
    const hook = hookOf(0.5);
    const { messages, report } = await hook.compact(thread(24));
    const note = messages.find(({ text }) => text === ".")!;
    const counted = 0.5 * (trueSize(messages) - OVERHEAD);
    expect(markOn(note)!["overheadTokens"]).toBe(report.tokensAfter - counted);
    // In another process, too, the next pass sees the size that is left.
    const { report: again } = await hookOf(0.5).compact(messages);
    expect(again).toMatchObject({
      reason: "below-trigger",
      tokensBefore: report.tokensAfter,
    });
  });

  it("bills and reclaims true tokens", async () => {
    const full = await reportOn(thread(24), 0.5);
    expect(full.rebilledTokens).toBe(full.tokensAfter - OVERHEAD - 100);
    const freed = full.tokensBefore - full.tokensAfter;
    const enough = { minReclaimTokens: freed };
    const tooMuch = { minReclaimTokens: freed + 1 };
    expect((await reportOn(thread(24), 0.5, enough)).reason).toBe(
      "above-trigger",
    );
    expect((await reportOn(thread(24), 0.5, tooMuch)).reason).toBe(
      "not-worthwhile",
    );
  });
});

describe("one wild report", () => {
  const WILD: [string, (input: number) => number][] = [
    ["ten times as much", (input) => 10 * input],
    ["a tenth", (input) => Math.ceil(input / 10)],
    ["a window more", (input) => input + 10_000],
    ["next to nothing", () => 1],
  ];

  it.each(WILD)(
    "of %s changes nothing but by being the newest",
    async (_, lie) => {
      const expected = await hookOf(0.5).compact(thread(24));
      for (let wild = 1; wild < 24; wild += 1) {
        const messages = thread(24, (input, step) => ({
          input: step === wild ? lie(input) : input,
        }));
        const { messages: kept, report } = await hookOf(0.5).compact(messages);
        expect({ ...report, durationMs: 0 }).toEqual({
          ...expected.report,
          durationMs: 0,
        });
        expect(idsOf(kept)).toEqual(idsOf(expected.messages));
      }
    },
  );

  it.each(WILD)(
    "of %s that is the newest changes no factor",
    async (_, lie) => {
      const messages = thread(24, (input, step) => ({
        input: step === 24 ? lie(input) : input,
      }));
      expect(await factorOf(messages)).toBe(2);
    },
  );
});

describe("reports that say nothing of the counter", () => {
  let billed = 0;

  it.each<[string, Usage]>([
    ["only two", (input, step) => (step > 28 ? { input } : undefined)],
    ["none", () => undefined],
    [
      "cumulative ones",
      (input, step) => {
        billed = step === 1 ? input : billed + input;
        return { input: billed };
      },
    ],
    [
      "ones that a stream has summed up",
      (input, step) => ({ input: input * (1 + ((step * 7) % 5)) }),
    ],
    ["only what no cache had", () => ({ input: 300 })],
    [
      "what no cache had, and at times everything",
      (input, step) => ({ input: step % 3 === 0 ? input : 300 }),
    ],
    ["of the same size each time", () => ({ input: 5_000 })],
    ["ever smaller ones", (input) => ({ input: 20_000 - input })],
    ["five times as much as was counted", (input) => ({ input: 2.5 * input })],
    ["a fifth of what was counted", (input) => ({ input: 0.1 * input })],
    [
      "ones that do not agree",
      (input, step) => ({ input: input + 90 * ((step * step) % 7) }),
    ],
    [
      "each of another model",
      (input, step) => ({ input, model: `model-${step}` }),
    ],
    [
      "another model's, but for the newest",
      (input, step) => ({ input, model: step === 30 ? "new" : "old" }),
    ],
  ])("leave it as it is: %s", async (_, usage) => {
    expect(await factorOf(thread(30, usage))).toBe(1);
  });

  it("are those of requests that hardly differ", async () => {
    // 40 tokens and 2, by the counter 21, over 15 pairs: one has 100.
    expect(await factorOf(thread(6, honest, 2))).toBe(1);
  });

  it("are those before a compaction", async () => {
    const { messages } = await hookOf(0.5).compact(thread(24));
    const list = [...messages];
    const factors: number[] = [];
    for (let step = 25; step < 31; step += 1) {
      list.push(...stepAfter(list, step));
      // Stale ones and too few new ones, until there are three.
      factors.push(await factorOf(list));
    }
    expect(factors).toEqual([1, 1, 2, 2, 2, 2]);
  });

  it("are those on both sides of a message of ours", async () => {
    const more: Usage = (input) => ({ input: input + 9_000 });
    const list = [...thread(2), summary("s", 8)];
    list.push(...stepAfter(list, 3, more));
    expect(await factorOf(list)).toBe(1);
    // A pair on each side is two.
    list.push(...stepAfter(list, 4, more));
    expect(await factorOf(list)).toBe(2);
  });
});

describe("reports among others", () => {
  it("tell, where some are missing", async () => {
    const some = thread(30, (input, step) =>
      step % 3 === 0 ? { input } : undefined,
    );
    expect(await factorOf(some)).toBe(2);
  });

  it("tell, where another model answers in between", async () => {
    const mixed = thread(30, (input, step) =>
      step % 2 === 0
        ? { input, model: "mine" }
        : { input: 3 * input + 777, model: "another" },
    );
    expect(await factorOf(mixed)).toBe(2);
  });

  it("tell, where a prompt cache is at work", async () => {
    const list = thread(30);
    for (const message of list) {
      const { usage_metadata: usage } = message as AIMessage;
      if (usage !== undefined) {
        usage.input_token_details = { cache_read: usage.input_tokens - 300 };
      }
    }
    expect(await factorOf(list)).toBe(2);
  });

  it("tell of the input, whatever reasoning was billed for the answer", async () => {
    const thinking = thread(30, (input, step) => ({
      input,
      output: ANSWER + ((step * 997) % 1_500),
    }));
    expect(await factorOf(thinking)).toBe(2);
  });

  it("tell, where tools were added in the middle", async () => {
    const more = thread(30, (input, step) => ({
      input: step > 24 ? input + 2_000 : input,
    }));
    expect(await factorOf(more)).toBe(2);
  });
});

describe("without reports to go by", () => {
  // Any two reports are too few; sizes and reports are what they may be.
  const anyThread = fc.array(
    fc.record({
      size: fc.integer({ min: 0, max: 900 }),
      input: fc.option(fc.integer({ min: 1, max: 9_000 })),
    }),
    { minLength: 5, maxLength: 25 },
  );

  it("the arithmetic is the plain one", async () => {
    let decided = 0;
    await fc.assert(
      fc.asyncProperty(
        anyThread,
        fc.integer({ min: 0, max: 500 }),
        async (steps, overheadTokens) => {
          const messages: BaseMessage[] = [human("task")];
          let reports = 0;
          let newest: { total: number; at: number } | undefined;
          for (const [index, { size, input }] of steps.entries()) {
            const isReported = input !== null && reports < 2;
            reports += isReported ? 1 : 0;
            messages.push(
              ...stepAfter(
                messages,
                index,
                () => (isReported ? { input } : undefined),
                size,
              ),
            );
            if (isReported) {
              newest = { total: input + ANSWER, at: messages.length - 1 };
            }
          }
          const count = (list: readonly BaseMessage[]) =>
            list.reduce((sum, { text }) => sum + 2 * text.length, 0);
          const estimate =
            newest === undefined
              ? count(messages) + overheadTokens
              : newest.total + count(messages.slice(newest.at));
          const overhead = estimate - count(messages);
          const report = await reportOn(messages, 2, {
            contextWindow: 4_000,
            overheadTokens,
          });
          expect(report.tokensBefore).toBe(estimate);
          expect(report.reason === "below-trigger").toBe(estimate < 2_800);
          if (estimate >= 2_800) {
            decided += 1;
            expect(report).toMatchObject({
              counterFactor: 1,
              overheadTokens: overhead,
              targetTokens: Math.max(1_600 - overhead, 0),
            });
          }
        },
      ),
    );
    expect(decided).toBeGreaterThan(10);
  });
});

describe.each([0.5, 0.6, 1, 2])(
  "a view by a counter that says %d times as much",
  (times) => {
    it("is what a rewriting hook leaves, call by call", async () => {
      const viewing = hookOf(times, { mode: "view" });
      let history: BaseMessage[] = thread(0);
      let state = history;
      const views: BaseMessage[][] = [];
      let fired = 0;
      for (let step = 1; step <= 150; step += 1) {
        const view = await viewing.view(history);
        const { messages: rewritten, report } =
          await hookOf(times).compact(state);
        expect(idsOf(view)).toEqual(idsOf(rewritten));
        if (step % 10 === 0) {
          const other = await hookOf(times, { mode: "view" }).view(history);
          expect(idsOf(other)).toEqual(idsOf(view));
        }
        if (report.outcome === "compacted") {
          fired += 1;
          expect(trueSize(view)).toBeLessThanOrEqual(4_001);
          expect(trueSize(view)).toBeGreaterThan(4_000 - 300);
        }
        const said = stepAfter(view, step);
        history = [...history, ...said];
        state = [...rewritten, ...said];
        views.push(view);
      }
      expect(fired).toBe(12);
      expect(breaksIn(views)).toBe(fired);
    });

    it("writes down what it went by, and goes by that", async () => {
      const hook = hookOf(times);
      const shown: BaseMessage[][] = [];
      let step = 0;
      const model = RunnableLambda.from(
        async (messages: BaseMessage[]): Promise<AIMessage> => {
          shown.push(messages);
          step += 1;
          return stepAfter(messages, step)[0] as AIMessage;
        },
      );
      const history = thread(0);
      const decisions: Record<string, unknown>[] = [];
      for (let call = 1; call <= 60; call += 1) {
        const another = hookOf(times, { compactTo: 0.3 });
        const answer = await hook
          .withOverflowRecovery(model as never)
          .invoke(history);
        history.push(answer, stepAfter([], call)[1]!);
        const { compaction } = markOn(answer) as { compaction?: never };
        if (compaction !== undefined) {
          decisions.push(compaction);
          // By other options, the past stays what it was.
          const later = await another.view(history);
          expect(idsOf(later).slice(0, -2)).toEqual(idsOf(shown.at(-1)!));
        }
      }
      const factor = Math.round(1_000 / times) / 1_000;
      expect(decisions.length).toBeGreaterThan(2);
      expect(decisions).toEqual(
        decisions.map(() =>
          expect.objectContaining(
            factor === 1 ? {} : { counterFactor: factor },
          ),
        ),
      );
    });
  },
);
