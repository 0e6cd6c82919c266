import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import {
  CompactionHook,
  type CompactOptions,
  type CompactorLike,
  CompactorPipeline,
  ToolCallCollapseCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
} from "langchain-compaction";
import { toCompactor } from "../../src/compactors/compactor-pipeline.js";
import { ai, human, idsOf, system, tool } from "../support/make-messages.js";

/** Ten tokens a message, one for whatever a compactor makes. */
const tokenCounter = ([message]: readonly BaseMessage[]): number =>
  message!.id?.startsWith("compaction-") ? 1 : 10;

/** 130 tokens in three turns of a tool step each. */
const conversation: readonly BaseMessage[] = [
  system("s"),
  ...[1, 2, 3].flatMap((turn) => [
    human(`h${turn}`),
    ai(`a${turn}`, [`c${turn}`]),
    tool(`t${turn}`, `c${turn}`),
    ai(`b${turn}`),
  ]),
];

const fold = new ToolCallCollapseCompactor({ minKeepGroups: 2 });
const turns = new TurnWindowCompactor({ omissionNote: null });
const truncate = new TruncationCompactor({
  minKeepGroups: 1,
  omissionNote: null,
});

/** A tier of one's own that drops the first turn's question, and what it was asked. */
function dropFirst(
  asked: CompactOptions[] = [],
): CompactorLike & { asked: CompactOptions[] } {
  return {
    asked,
    async compact(messages, options) {
      asked.push(options);
      return messages.filter(({ id }) => id !== "h1");
    },
  };
}

const failing: CompactorLike = {
  async compact() {
    throw new Error("no summariser today");
  },
};

describe("CompactorPipeline", () => {
  it.each([
    [100, ["s", "h1", "compaction-record-a1", "b1", "h2"]],
    [40, ["s", "h3", "compaction-record-a3", "b3"]],
  ])("asks a tier only while %d tokens do not hold", async (target, first) => {
    const tail = new ToolCallCollapseCompactor({ minKeepGroups: 0 });
    const pipeline = new CompactorPipeline([tail, turns, truncate], {
      targetTokens: target,
      tokenCounter,
    });
    const after = await pipeline.compact(conversation);
    expect(idsOf(after!).slice(0, first.length)).toEqual(first);
  });

  it("asks a tier with a trigger of its own by that trigger", async () => {
    const pipeline = new CompactorPipeline(
      [
        new ToolCallCollapseCompactor({
          minKeepGroups: 0,
          trigger: { toolCalls: 3 },
          target: () => false,
        }),
        new TurnWindowCompactor({
          trigger: { turns: 4 },
          target: { turns: 1 },
        }),
      ],
      { tokenCounter },
    );
    expect(idsOf((await pipeline.compact(conversation))!)).toEqual([
      "s",
      ...["h1", "compaction-record-a1", "b1"],
      ...["h2", "compaction-record-a2", "b2"],
      ...["h3", "compaction-record-a3", "b3"],
    ]);
    expect(await pipeline.compact(conversation.slice(0, 5))).toBeNull();
  });

  it("takes a tier's own target before its own", async () => {
    const pipeline = new CompactorPipeline(
      [
        new TurnWindowCompactor({ target: { turns: 2 }, omissionNote: null }),
        truncate,
      ],
      { targetTokens: 60, tokenCounter },
    );
    const after = await pipeline.compact(conversation);
    expect(idsOf(after!)).toEqual(["s", "b2", "h3", "a3", "t3", "b3"]);
  });

  it("takes sizes anew after each tier and counts no message twice", async () => {
    const counted: string[] = [];
    const tier = dropFirst();
    const pipeline = new CompactorPipeline([fold, tier, truncate], {
      targetTokens: 50,
      tokenCounter: (list) => {
        counted.push(list[0]!.id!);
        return tokenCounter(list);
      },
    });
    const after = await pipeline.compact(conversation);
    expect(after).not.toBeNull();
    expect(tier.asked[0]!.target.tokens).toBe(50);
    const originals = counted.filter((id) => !id.startsWith("compaction-"));
    expect(originals.toSorted()).toEqual(idsOf(conversation).toSorted());
  });

  it("hands its target to a tier of one's own, as a question too", async () => {
    const tier = dropFirst();
    await new CompactorPipeline([tier], {
      target: { turns: 2 },
      tokenCounter,
    }).compact(conversation);
    const { target } = tier.asked[0]!;
    expect(target.tokens).toBeUndefined();
    expect(await target.holds(conversation)).toBe(false);
    expect(await target.holds(conversation.slice(5))).toBe(true);
  });

  it("ignores a tier's result that is no smaller", async () => {
    const growing: CompactorLike = {
      compact: async (messages) => [...messages, human("more")],
    };
    const pipeline = new CompactorPipeline([growing], {
      targetTokens: 50,
      tokenCounter,
    });
    expect(await pipeline.compact(conversation)).toBeNull();
  });

  it("keeps what earlier tiers did where a later one fails, and goes on", async () => {
    const pipeline = new CompactorPipeline([fold, failing, turns], {
      targetTokens: 60,
      tokenCounter,
    });
    expect(idsOf((await pipeline.compact(conversation))!)).toEqual([
      ...["s", "h3", "a3", "t3", "b3"],
    ]);
    expect(
      idsOf(
        await new CompactorPipeline([fold, failing], {
          targetTokens: 60,
          tokenCounter,
        }).invoke([...conversation]),
      ),
    ).toContain("compaction-record-a1");
  });

  it("fails where nothing else came of it", async () => {
    const pipeline = new CompactorPipeline([failing], {
      targetTokens: 60,
      tokenCounter,
    });
    await expect(pipeline.compact(conversation)).rejects.toThrow(
      "no summariser today",
    );
    expect(await pipeline.invoke([...conversation])).toEqual(conversation);
  });

  it.each([
    ["the pipeline", { raiseOnFailure: true }, failing],
    ["the tier", {}, { ...failing, raiseOnFailure: true }],
  ])("raises where %s asks for it", async (_, fields, tier) => {
    const pipeline = new CompactorPipeline([fold, tier], {
      targetTokens: 60,
      tokenCounter,
      ...fields,
    });
    await expect(pipeline.compact(conversation)).rejects.toThrow(
      "no summariser today",
    );
  });

  it("stops between tiers when the run is aborted", async () => {
    const controller = new AbortController();
    const later = dropFirst();
    const aborting: CompactorLike = {
      async compact() {
        controller.abort(new Error("stopped"));
        return null;
      },
    };
    await expect(
      new CompactorPipeline([aborting, later], { targetTokens: 1 }).compact(
        conversation,
        { signal: controller.signal },
      ),
    ).rejects.toThrow("stopped");
    expect(later.asked).toEqual([]);
  });

  it("refuses a tier's result that is no list of messages", async () => {
    const wrong = { compact: async () => ["text"] } as unknown as CompactorLike;
    await expect(
      new CompactorPipeline([wrong], { targetTokens: 1 }).compact(conversation),
    ).rejects.toMatchObject({
      code: "INVALID_COMPACTOR_RESULT",
      message:
        'A compactor must return a list of messages or null. Entry 0 of the messages is no message: "text". Expected a message of @langchain/core.',
    });
  });

  it("says so where neither it nor a tier knows how far to go", async () => {
    const pipeline = new CompactorPipeline([
      new TruncationCompactor({ trigger: { tokens: 1 } }),
      turns,
    ]);
    await expect(pipeline.compact(conversation)).rejects.toMatchObject({
      code: "MISSING_TARGET",
    });
    await expect(pipeline.invoke([...conversation])).rejects.toMatchObject({
      code: "MISSING_TARGET",
    });
  });

  it("takes pipelines and arrays as tiers", async () => {
    const flat = new CompactorPipeline([fold, turns, truncate], {
      targetTokens: 40,
      tokenCounter,
    });
    const nested = new CompactorPipeline(
      [new CompactorPipeline([fold]), [turns, [truncate]]],
      { targetTokens: 40, tokenCounter },
    );
    const after = await nested.compact(conversation);
    expect(idsOf(after!)).toEqual(idsOf((await flat.compact(conversation))!));
  });

  it("is what an array becomes in a hook", async () => {
    const hook = new CompactionHook({
      compactor: [fold, turns],
      contextWindow: 100,
      tokenCounter,
    });
    const { messages, report } = await hook.compact([...conversation]);
    expect(report).toMatchObject({
      outcome: "compacted",
      compactor: "CompactorPipeline",
      targetTokens: 40,
    });
    expect(idsOf(messages)).toEqual(["s", "h3", "a3", "t3", "b3"]);
  });

  it("is deterministic where all its tiers are", () => {
    expect(new CompactorPipeline([fold, turns]).isDeterministic).toBe(true);
    const summaries = { ...dropFirst(), isDeterministic: false };
    expect(new CompactorPipeline([fold, summaries]).isDeterministic).toBe(
      false,
    );
  });

  it("does nothing without tiers", async () => {
    const pipeline = new CompactorPipeline([], { targetTokens: 1 });
    expect(await pipeline.compact(conversation)).toBeNull();
  });

  it.each([
    [{}, /"tiers" must be an array of compactors/],
    [[{}], /"tiers\[0\]" must be a compactor/],
    [[fold, []], /"tiers\[1\]" must be a compactor/],
  ])("refuses %j", (tiers, message) => {
    expect(() => new CompactorPipeline(tiers as CompactorLike[])).toThrow(
      message,
    );
  });

  it("refuses options of another kind", () => {
    expect(
      () => new CompactorPipeline([fold], { minKeepSteps: 1 } as object),
    ).toThrow(/has no option "minKeepSteps"/);
  });
});

describe("toCompactor", () => {
  it("leaves a compactor as it is", () => {
    expect(toCompactor(fold)).toBe(fold);
    const own = dropFirst();
    expect(toCompactor(own)).toBe(own);
  });

  it.each([null, 3, [], "sliding-window"])("refuses %j", (value) => {
    expect(() => toCompactor(value as unknown as CompactorLike)).toThrow(
      /^Option "compactor" must be a compactor/,
    );
  });
});
