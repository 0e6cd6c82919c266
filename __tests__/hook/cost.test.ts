import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import {
  chooseThresholds,
  CompactionError,
  type ThresholdCosts,
} from "langchain-compaction";
import { ai, human } from "../support/make-messages.js";
import { agentThread, chatThread, hookOf, reportingHook } from "./threads.js";

describe("the report", () => {
  it("says where the prompt cache breaks and what is billed again", async () => {
    const thread = agentThread(5);
    const { messages, report } = await hookOf().compact(thread);
    const first = report.firstChangedIndex!;
    expect(messages.slice(0, first)).toEqual(thread.slice(0, first));
    expect(messages[first]).not.toBe(thread[first]);
    expect(report.rebilledTokens).toBe((messages.length - first) * 10);
    expect(report.rebilledTokens).toBeGreaterThan(0);
  });

  it("says neither where nothing changed", async () => {
    const { report } = await hookOf().compact(agentThread(2));
    expect(report).not.toHaveProperty("rebilledTokens");
    expect(report).not.toHaveProperty("firstChangedIndex");
  });

  it("gives whole tokens whatever the counter says", async () => {
    const hook = hookOf({ tokenCounter: () => 10.3, overheadTokens: 1 });
    const { report } = await hook.compact(agentThread(5));
    expect(report.outcome).toBe("compacted");
    for (const tokens of [
      report.tokensBefore,
      report.tokensAfter,
      report.targetTokens,
      report.overheadTokens,
      report.rebilledTokens,
    ]) {
      expect(Number.isInteger(tokens)).toBe(true);
    }
  });
});

describe("minReclaimTokens", () => {
  // A window of 200: due from 100, down to 50.
  it("lets a compaction wait that sets less free", async () => {
    const thread = chatThread(6);
    const waiting = await hookOf({ minReclaimTokens: 100 }).compact(thread);
    expect(waiting.report).toMatchObject({
      outcome: "unchanged",
      reason: "not-worthwhile",
      tokensBefore: 120,
      tokensAfter: 120,
      removedIds: [],
    });
    expect(waiting.messages).toEqual(thread);

    const plain = await hookOf().compact(thread);
    const free = plain.report.tokensBefore - plain.report.tokensAfter;
    const enough = await hookOf({ minReclaimTokens: free }).compact(thread);
    expect(enough.messages).toEqual(plain.messages);
    const more = await hookOf({ minReclaimTokens: free + 1 }).compact(thread);
    expect(more.report.reason).toBe("not-worthwhile");
  });

  it("counts for nothing in a window that is nearly full", async () => {
    const options = { minReclaimTokens: 1000 };
    const below = await hookOf(options).compact(chatThread(9));
    expect(below.report).toMatchObject({
      tokensBefore: 180,
      reason: "not-worthwhile",
    });
    const full = await hookOf(options).compact([...chatThread(9), human("q")]);
    expect(full.report).toMatchObject({
      tokensBefore: 190,
      outcome: "compacted",
    });
  });

  it("gives the view that rewriting gives", async () => {
    const options = { minReclaimTokens: 90 };
    const { hook, reports } = reportingHook(options);
    let state: BaseMessage[] = [];
    const history: BaseMessage[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      const question = new HumanMessage({ id: `q${turn}`, content: "q" });
      history.push(question);
      ({ messages: state } = await hookOf(options).compact([
        ...state,
        question,
      ]));
      const view = await hook.view(history);
      expect(view.map(({ text }) => text)).toEqual(
        state.map(({ text }) => text),
      );
      const answer = ai(`a${turn}`);
      history.push(answer);
      state = [...state, answer];
    }
    const reasons = new Set(reports.map(({ reason }) => reason));
    expect(reasons).toEqual(
      new Set(["below-trigger", "not-worthwhile", "above-trigger"]),
    );
  });
});

/** What a call costs on average, by going through many of them. */
function costPerCall(
  costs: Required<ThresholdCosts>,
  compactAt: number,
): number {
  const { cachedPrice, uncachedPrice, growthPerCall, keptTokens } = costs;
  const threshold = compactAt * costs.contextWindow;
  let size = keptTokens;
  let spent = 0;
  const calls = 20_000;
  for (let call = 0; call < calls; call += 1) {
    let uncached = growthPerCall;
    size += growthPerCall;
    if (size >= threshold) {
      size = keptTokens;
      uncached = keptTokens - costs.fixedTokens;
      spent += costs.compactionPrice;
    }
    spent += uncached * uncachedPrice + (size - uncached) * cachedPrice;
  }
  return spent / calls;
}

describe("chooseThresholds", () => {
  const usual = {
    contextWindow: 200_000,
    cachedPrice: 0.3,
    uncachedPrice: 3,
    growthPerCall: 1_500,
    keptTokens: 40_000,
    fixedTokens: 8_000,
    compactionPrice: 0,
  };

  it.each([
    ["a tenth for cached tokens", {}],
    ["half for cached tokens", { cachedPrice: 1.5 }],
    ["summaries to pay", { compactionPrice: 60_000 }],
    ["much to keep", { keptTokens: 90_000, fixedTokens: 0 }],
    ["little growth", { growthPerCall: 300 }],
  ])("finds what is cheapest: %s", (_name, given) => {
    const costs = { ...usual, ...given };
    const { compactAt, compactTo } = chooseThresholds(costs);
    expect(compactTo).toBe(costs.keptTokens / costs.contextWindow);
    let cheapest = Infinity;
    for (let at = compactTo + 0.01; at <= 0.9; at += 0.01) {
      cheapest = Math.min(cheapest, costPerCall(costs, at));
    }
    expect(costPerCall(costs, compactAt)).toBeLessThan(cheapest * 1.01);
  });

  it("uses the window up where cached tokens cost nothing", () => {
    const { compactAt } = chooseThresholds({ ...usual, cachedPrice: 0 });
    expect(compactAt).toBe(0.9);
  });

  it("compacts at each call where a broken cache costs nothing", () => {
    const { compactAt } = chooseThresholds({ ...usual, cachedPrice: 3 });
    expect(compactAt).toBe(41_500 / 200_000);
  });

  it("keeps two fifths of the window unless told otherwise", () => {
    const { contextWindow, cachedPrice, uncachedPrice, growthPerCall } = usual;
    const thresholds = chooseThresholds({
      contextWindow,
      cachedPrice,
      uncachedPrice,
      growthPerCall,
    });
    expect(thresholds.compactTo).toBe(0.4);
    expect(() => hookOf({ contextWindow, ...thresholds })).not.toThrow();
  });

  it.each([
    ["cachedPrice", -1],
    ["uncachedPrice", 0.1],
    ["growthPerCall", 0],
    ["keptTokens", 190_000],
    ["fixedTokens", 50_000],
    ["contextWindow", Number.NaN],
    ["compactionPrice", "3"],
  ])("refuses %s: %s", (option, value) => {
    const call = (): unknown =>
      chooseThresholds({ ...usual, [option]: value } as never);
    expect(call).toThrow(CompactionError);
    expect(call).toThrow(`"${option}"`);
  });

  it.each<[string, object, RegExp]>([
    [
      "a window that no call fits into",
      { contextWindow: 1, growthPerCall: 1, keptTokens: undefined },
      /"contextWindow" must be at least 3 tokens.*growth of 1 fits.*0\.9 of it, got 1\./,
    ],
    [
      "a growth that leaves no room",
      { contextWindow: 2_000, growthPerCall: 2_000, keptTokens: undefined },
      /"contextWindow" must be at least 4000 tokens.*got 2000\./,
    ],
    [
      "a growth that leaves no room for what is kept",
      { contextWindow: 2_000, growthPerCall: 2_000, keptTokens: 700 },
      /"contextWindow" must be at least 3000 tokens.*got 2000\./,
    ],
    [
      "more to keep than fits",
      { contextWindow: 2_000, growthPerCall: 1_000, keptTokens: 900 },
      /"keptTokens" must be at most 800.*got 900\./,
    ],
  ])("says what would be right for %s", (_name, given, text) => {
    const call = (): unknown =>
      chooseThresholds({ ...usual, fixedTokens: 0, ...given });
    expect(call).toThrow(text);
  });

  it.each([3, 4, 10, 23])("takes a window of %i tokens", (contextWindow) => {
    const thresholds = chooseThresholds({
      contextWindow,
      cachedPrice: 1,
      uncachedPrice: 10,
      growthPerCall: 1,
    });
    expect(() => hookOf({ contextWindow, ...thresholds })).not.toThrow();
  });

  it("refuses what it does not know", () => {
    expect(() => chooseThresholds({ ...usual, price: 1 } as never)).toThrow(
      "price",
    );
  });
});

describe("a stated limit on the newest answer", () => {
  it("counts for a rewriting hook of the same window too", async () => {
    const stamp = {
      contextWindow: 100,
      configuredWindow: 200,
      removedMessages: 0,
    };
    const limited = ai("limited", [], {
      response_metadata: { context_compaction: stamp },
    });
    const thread = [...chatThread(2), human("q"), limited, human("next")];

    expect((await hookOf().compact(thread)).report).toMatchObject({
      reason: "above-trigger",
      tokensBefore: 70,
      targetTokens: 25,
    });
    const other = await hookOf({ contextWindow: 300 }).compact(thread);
    expect(other.report.reason).toBe("below-trigger");
  });
});
