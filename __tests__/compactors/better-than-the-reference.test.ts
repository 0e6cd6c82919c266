import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import {
  CompactionHook,
  describeConversation,
  ToolCallCollapseCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
} from "langchain-compaction";
import { readAnatomy } from "../support/anatomy.js";
import { ai, human, idsOf, summary, tool } from "../support/make-messages.js";
import { expectedOfMaf } from "../support/maf-rules.js";
import type { MafMessage, MafParams, MafRow } from "../support/maf-vectors.js";
import { mafMessages, outcomeOfMaf, runMaf } from "../support/run-maf.js";

// Each weakness of Microsoft Agent Framework's compaction, shown on the
// reference's own rules first.

function said(id: string, role: MafMessage["role"], more = {}): MafMessage {
  return { id, role, content: `words ${id}`, tokens: 10, ...more };
}

function calling(id: string, ...calls: string[]): MafMessage {
  const tool_calls = calls.map((call) => ({
    id: call,
    function: { name: "look_up", arguments: "{}" },
  }));
  return { id, role: "assistant", content: null, tokens: 10, tool_calls };
}

function answer(id: string, call: string, tokens = 10): MafMessage {
  return said(id, "tool", { tool_call_id: call, name: "look_up", tokens });
}

function rowOf(
  messages: MafMessage[],
  params: MafParams,
  collapsed_tokens = 1,
): MafRow {
  return {
    id: "made",
    source: "made",
    strategy: params.kind,
    params,
    pre_excluded_groups: [],
    groups_before: [],
    counter: { collapsed_tokens },
    messages,
    expected: null,
    clean: false,
  };
}

/** What the reference sends after compaction, and what we do. */
async function both(
  row: MafRow,
): Promise<{ reference: string[] | null; ours: string[] | null }> {
  return {
    reference: expectedOfMaf(row, new Set()),
    ours: outcomeOfMaf(await runMaf(row)),
  };
}

/** Results without their call, and calls without their result. */
function brokenPairs(row: MafRow, ids: readonly string[] | null): number {
  const kept = mafMessages(row).filter(
    ({ id }) => ids === null || ids.includes(id!),
  );
  const { orphans, pendingSteps, deadSteps } = readAnatomy(kept);
  return orphans.size + pendingSteps.size + deadSteps.size;
}

const toTheFloor = { trigger: "always", target: "never" } as const;

describe("pair-broken: a result goes where its call goes", () => {
  const apart = [
    said("h1", "user"),
    calling("a1", "c1", "c2"),
    answer("t1", "c1"),
    said("s", "system"),
    answer("t2", "c2"),
    said("h2", "user"),
    said("b2", "assistant"),
  ];

  it.each<[string, MafParams]>([
    [
      "truncation",
      {
        kind: "truncation",
        ...toTheFloor,
        target: { tokens_below: 60 },
        minimum_preserved_groups: 1,
      },
    ],
    [
      "tool_result",
      { kind: "tool_result", ...toTheFloor, minimum_preserved_groups: 1 },
    ],
    [
      "context_window",
      {
        kind: "context_window",
        max_context_window_tokens: 68,
        max_output_tokens: 0,
        tool_eviction_threshold: 0.8,
        truncation_threshold: 0.85,
      },
    ],
    [
      "pipeline",
      {
        kind: "pipeline",
        strategies: [
          { kind: "tool_result", ...toTheFloor, minimum_preserved_groups: 1 },
        ],
      },
    ],
  ])("%s", async (_, params) => {
    const row = rowOf(apart, params);
    const { reference, ours } = await both(row);
    expect(brokenPairs(row, reference)).toBeGreaterThan(0);
    expect(brokenPairs(row, ours)).toBe(0);
  });

  it("sliding_window: a human message between call and result splits no turn off", async () => {
    const row = rowOf(
      [
        said("h1", "user"),
        calling("a1", "c1"),
        said("h2", "user"),
        answer("t1", "c1"),
        said("b2", "assistant"),
      ],
      {
        kind: "sliding_window",
        ...toTheFloor,
        minimum_preserved_turns: 1,
      },
    );
    const { reference, ours } = await both(row);
    expect(reference).toEqual(["h2", "t1", "b2"]);
    expect(brokenPairs(row, reference)).toBe(1);
    expect(ours).toBeNull();
  });
});

describe("no-user-left: the human task stays", () => {
  const running = [
    said("h1", "user"),
    calling("a1", "c1"),
    answer("t1", "c1"),
    calling("a2", "c2"),
    answer("t2", "c2"),
  ];

  it.each<[string, MafParams, string[] | null]>([
    [
      "truncation",
      { kind: "truncation", ...toTheFloor, minimum_preserved_groups: 1 },
      ["h1", "a2", "t2"],
    ],
    [
      "sliding_window",
      { kind: "sliding_window", ...toTheFloor, minimum_preserved_turns: 0 },
      null,
    ],
    [
      "context_window",
      {
        kind: "context_window",
        max_context_window_tokens: 30,
        max_output_tokens: 0,
        tool_eviction_threshold: 1,
        truncation_threshold: 1,
      },
      null,
    ],
  ])("%s", async (_, params, expected) => {
    const { reference, ours } = await both(rowOf(running, params));
    expect(reference).not.toContain("h1");
    expect(ours).toEqual(expected);
  });
});

describe("grows: a record that is no smaller is no record", () => {
  it("tool_result", async () => {
    const row = rowOf(
      [
        said("h1", "user"),
        calling("a1", "c1"),
        answer("t1", "c1"),
        said("b1", "assistant"),
      ],
      { kind: "tool_result", ...toTheFloor, minimum_preserved_groups: 1 },
      100,
    );
    const { reference, ours } = await both(row);
    expect(reference).toEqual(["h1", "@2", "b1"]);
    expect(ours).toBeNull();
  });
});

describe("content-lost-on-blank-reply: an empty text replaces nothing", () => {
  it("an empty record", async () => {
    const compactor = new ToolCallCollapseCompactor({
      targetTokens: 1,
      minKeepGroups: 0,
      format: () => "",
    });
    const messages = [
      human("h1"),
      ai("a1", ["c1"]),
      tool("t1", "c1"),
      ai("b1"),
    ];
    expect(await compactor.compact(messages)).toBeNull();
  });
});

describe("a result is not folded before anyone has read it", () => {
  it("tool_result", async () => {
    const row = rowOf(
      [said("h1", "user"), calling("a1", "c1"), answer("t1", "c1", 500)],
      { kind: "tool_result", ...toTheFloor, minimum_preserved_groups: 0 },
    );
    const { reference, ours } = await both(row);
    expect(reference).toEqual(["h1", "@2"]);
    expect(ours).toBeNull();
  });
});

describe("new-messages-dropped: nothing is known by its words", () => {
  it("keeps what is new where the user says the same twice", async () => {
    const hook = new CompactionHook({
      compactor: new TurnWindowCompactor({ omissionNote: null }),
      contextWindow: 100,
      tokenCounter: (messages) => 10 * messages.length,
    });
    const say = (content: string): HumanMessage => new HumanMessage(content);
    const [reply, again] = [ai("a3"), say("continue")];
    const first = [say("begin"), ai("a1"), say("continue"), ai("a2")];
    const second = await hook.compact([...first, reply, again]);
    expect(second.messages).toEqual([...first, reply, again]);
    const rest = [ai("a4"), say("continue")];
    const third = await hook.compact([...second.messages, ...rest]);
    // Whole turns went, and of the equal messages each by itself.
    expect(third.report.outcome).toBe("compacted");
    expect(third.messages).toHaveLength(3);
    expect(third.messages[0]).toBe(again);
    expect(third.messages[2]).toBe(rest[1]);
  });
});

describe("result-split-from-call: a result that comes later joins its call", () => {
  it("is removed and folded with it", async () => {
    const before = [human("h1"), ai("a1", ["c1"])];
    const compactor = new TruncationCompactor({
      targetTokens: 0,
      minKeepGroups: 0,
      omissionNote: null,
    });
    expect(await compactor.compact(before)).toBeNull();
    const after = await compactor.compact([
      ...before,
      tool("t1", "c1"),
      ai("b1"),
    ]);
    expect(idsOf(after!)).toEqual(["h1"]);
  });
});

describe("a summary goes with its turn", () => {
  it("sliding_window", async () => {
    // The reference gives summaries that a model wrote no turn, so none ever goes.
    const compactor = new TurnWindowCompactor({
      trigger: { turns: 2 },
      omissionNote: null,
    });
    const after = await compactor.compact([
      human("h1"),
      summary("sum", 9),
      ai("b1"),
      human("h2"),
    ]);
    expect(idsOf(after!)).toEqual(["h2"]);
  });
});

describe("sizes are those of messages, not bytes by four for a group", () => {
  it("counts small groups, and an image not by its bytes", async () => {
    const small = await describeConversation(
      Array.from({ length: 10 }, () => new HumanMessage("ok")),
    );
    expect(small.groups.every(({ tokens }) => tokens > 0)).toBe(true);
    const url = `data:image/png;base64,${"A".repeat(400_000)}`;
    const image = await describeConversation([
      new HumanMessage({
        content: [{ type: "image_url", image_url: { url } }],
      }),
    ]);
    expect(image.metrics.tokens).toBeLessThan(10_000);
  });
});

describe("nothing is kept but the list", () => {
  it("does the same in a process that has never seen the conversation", async () => {
    const compact = (): Promise<BaseMessage[] | null> =>
      new TruncationCompactor({ targetTokens: 20, minKeepGroups: 1 }).compact([
        human("h1"),
        ai("a1"),
        human("h2"),
        ai("a2"),
        human("h3"),
      ]);
    expect(JSON.stringify(await compact())).toBe(
      JSON.stringify(await compact()),
    );
  });
});
