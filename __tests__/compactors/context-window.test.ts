import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { CompactionHook, ContextWindowCompactor } from "langchain-compaction";
import { ai, human, idsOf, system, tool } from "../support/make-messages.js";

/** Ten tokens a message, one for whatever a compactor makes. */
const tokenCounter = ([message]: readonly BaseMessage[]): number =>
  message!.id?.startsWith("compaction-") ? 1 : 10;

/** 130 tokens in all. */
const conversation: readonly BaseMessage[] = [
  system("s"),
  human("h1"),
  ai("a1", ["c1"]),
  tool("t1", "c1"),
  ai("a2", ["c2"]),
  tool("t2", "c2"),
  ai("b1"),
  human("h2"),
  ai("a3", ["c3"]),
  tool("t3", "c3"),
  ai("b2"),
  human("h3"),
  ai("b3"),
];

function compact(
  fields: Partial<ConstructorParameters<typeof ContextWindowCompactor>[0]>,
): Promise<BaseMessage[] | null> {
  return new ContextWindowCompactor({
    contextWindow: 1000,
    tokenCounter,
    ...fields,
  }).compact(conversation);
}

describe("ContextWindowCompactor", () => {
  it("does nothing up to half of the window", async () => {
    expect(await compact({ contextWindow: 260 })).toBeNull();
    expect(await compact({ contextWindow: 259 })).not.toBeNull();
  });

  it("folds tool steps first", async () => {
    const after = await compact({ contextWindow: 200 });
    // 130 - 19 - 19: at most half of the window again.
    expect(idsOf(after!)).toEqual([
      "s",
      "h1",
      "compaction-record-a1",
      "compaction-record-a2",
      ...["b1", "h2", "a3", "t3", "b2", "h3", "b3"],
    ]);
  });

  it("removes the oldest groups only above the second part", async () => {
    const after = await compact({ contextWindow: 60 });
    expect(idsOf(after!)).toEqual([
      "s",
      "compaction-note-h1",
      ...["compaction-record-a3", "b2", "h3", "b3"],
    ]);
  });

  it("takes what is reserved for the answer off the window", async () => {
    expect(
      await compact({ contextWindow: 1000, reserveOutputTokens: 740 }),
    ).toBeNull();
    expect(
      await compact({ contextWindow: 1000, reserveOutputTokens: 741 }),
    ).not.toBeNull();
  });

  it("hands its options on", async () => {
    const removed = await compact({
      contextWindow: 80,
      minKeepGroups: 5,
      collapseAt: 0.1,
      truncateAt: 0.2,
      omissionNote: null,
    });
    expect(idsOf(removed!)).toEqual([
      ...["s", "h2", "a3", "t3", "b2", "h3", "b3"],
    ]);
    const folded = await compact({
      contextWindow: 200,
      format: ({ calls }) => `${calls.length} call`,
    });
    expect(folded![2]!.content).toBe("1 call");
  });

  it("counts the whole request in a hook, not the messages alone", async () => {
    const compactor = new ContextWindowCompactor({ contextWindow: 400 });
    const hook = new CompactionHook({
      compactor,
      contextWindow: 400,
      compactAt: 0.4,
      compactTo: 0.3,
      overheadTokens: 100,
      tokenCounter,
    });
    // 230 of 400 tokens are more than half, the 130 of the messages are not.
    expect(await compactor.compact(conversation, { tokenCounter })).toBeNull();
    const { messages, report } = await hook.compact([...conversation]);
    expect(report).toMatchObject({
      outcome: "compacted",
      compactor: "ContextWindowCompactor",
    });
    expect(idsOf(messages)).toContain("compaction-record-a1");
    expect(report.tokensAfter).toBeLessThanOrEqual(200);
  });

  it("works as a Runnable without any target", async () => {
    const compactor = new ContextWindowCompactor({
      contextWindow: 200,
      tokenCounter,
    });
    expect(await compactor.invoke([...conversation])).toHaveLength(11);
  });

  it.each([
    [{ contextWindow: 0 }, /"contextWindow" must be a whole number of tokens/],
    [
      { contextWindow: 10, reserveOutputTokens: 10 },
      /below the context window \(10 tokens\)/,
    ],
    [{ contextWindow: 10, reserveOutputTokens: -1 }, /"reserveOutputTokens"/],
    [{ contextWindow: 10, collapseAt: 0 }, /"collapseAt" must be a number/],
    [{ contextWindow: 10, truncateAt: 1.1 }, /"truncateAt" must be a number/],
    [
      { contextWindow: 10, collapseAt: 0.9 },
      /"truncateAt" must be at least "collapseAt"/,
    ],
    [{ contextWindow: 10, target: { turns: 1 } }, /has no option "target"/],
  ])("refuses %j", (fields, message) => {
    expect(
      () => new ContextWindowCompactor(fields as { contextWindow: number }),
    ).toThrow(message);
  });
});
