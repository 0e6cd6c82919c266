import { describe, expect, it } from "@jest/globals";
import {
  type AIMessage,
  type BaseMessage,
  type ToolCall,
  ToolMessage,
} from "@langchain/core/messages";
import {
  CompactionHook,
  ToolResultPruningCompactor,
  type ToolResultPruningCompactorFields,
} from "../../src/index.js";
import { ai, collapse, human, idsOf, tool } from "../support/make-messages.js";

/** One token a character of what is said or called. */
const count = ([message]: BaseMessage[]): number =>
  message!.text.length +
  JSON.stringify((message as { tool_calls?: unknown }).tool_calls ?? "").length;

const big = (name: string): { content: string } => ({
  content: `${name} `.repeat(200),
});

function prune(
  messages: readonly BaseMessage[],
  targetTokens: number,
  fields: ToolResultPruningCompactorFields = {},
): Promise<BaseMessage[] | null> {
  return new ToolResultPruningCompactor(fields).compact(messages, {
    targetTokens,
    tokenCounter: count,
  });
}

/** Ids of the messages that are not the same objects any more. */
function changed(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[] | null,
): string[] {
  return idsOf((after ?? before).filter((one, index) => one !== before[index]));
}

/** Four steps with a large result each, and what the model made of the last. */
const thread = (): BaseMessage[] => [
  human("task"),
  ...[1, 2, 3, 4].flatMap((step) => [
    ai(`a${step}`, [`c${step}`]),
    tool(`r${step}`, `c${step}`, big("text")),
  ]),
  ai("end"),
];

const total = (messages: readonly BaseMessage[]): number =>
  messages.reduce((sum, message) => sum + count([message]), 0);

describe("results that go", () => {
  it("are the oldest, one at a time, until the target holds", async () => {
    const messages = thread();
    const size = total(messages);
    const once = await prune(messages, size - 500);
    expect(changed(messages, once)).toEqual(["r1"]);
    expect(total(once!)).toBeLessThanOrEqual(size - 500);
    expect(changed(messages, await prune(messages, size - 1_500))).toEqual([
      "r1",
      "r2",
    ]);
    expect(await prune(messages, size)).toBeNull();
  });

  it("leave the newest steps with a result alone", async () => {
    const messages = thread();
    expect(changed(messages, await prune(messages, 0))).toEqual([
      "r1",
      "r2",
      "r3",
    ]);
    const three = await prune(messages, 0, { minKeepSteps: 3 });
    expect(changed(messages, three)).toEqual(["r1"]);
  });

  it("become a placeholder with everything else as it was", async () => {
    const messages = [
      ai("a1", [{ id: "c1", name: "read_file" }]),
      new ToolMessage({
        id: "r1",
        content: big("text").content,
        tool_call_id: "c1",
        name: "read_file",
        artifact: { raw: big("text").content },
        additional_kwargs: { kept: 1, copy: big("text").content },
        response_metadata: { took: 5 },
      }),
      ai("a2", ["c2"]),
      tool("r2", "c2"),
      ai("end"),
    ];
    const after = await prune(messages, 0);
    const [, pruned] = after as [BaseMessage, ToolMessage];
    expect(pruned).toBeInstanceOf(ToolMessage);
    expect(pruned).toMatchObject({
      id: "r1",
      content: "[The output of read_file was removed to free up context.]",
      tool_call_id: "c1",
      name: "read_file",
      response_metadata: { took: 5 },
      additional_kwargs: {
        kept: 1,
        context_compaction: {
          strategy: "tool-result-pruning",
          originalTokens: count([messages[1]!]),
        },
      },
    });
    expect(JSON.stringify(pruned)).not.toContain("text text");
    expect(pruned.artifact).toBeUndefined();
    expect(JSON.stringify(messages[1])).toContain("text text");
  });

  it("take their tool's name from the call where they have none, and the template as it is", async () => {
    const messages = [
      ai("a1", [{ id: "c1", name: "$&" }]),
      tool("r1", "c1", { ...big("text"), name: undefined } as never),
      ai("a2", ["c2"]),
      tool("r2", "c2"),
      ai("end"),
    ];
    const after = await prune(messages, 0, {
      placeholder: "{tool_name}: {gone} {tool_name}",
    });
    expect(after![1]!.content).toBe("$&: {gone} $&");
  });

  it("include images and Anthropic's own form", async () => {
    const messages = [
      ai("a1", ["c1", "c2"]),
      tool("r1", "c1", {
        content: [
          { type: "text", text: "x".repeat(400) },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA" } },
        ],
      }),
      human("r2", {
        content: [
          {
            type: "tool_result",
            tool_use_id: "c2",
            content: [{ type: "text", text: "y".repeat(400) }],
          },
        ],
      }),
      ai("a2", ["c3"]),
      tool("r3", "c3"),
      ai("end"),
    ];
    const after = await new ToolResultPruningCompactor().compact(messages, {
      targetTokens: 0,
      tokenCounter: ([one]) => JSON.stringify(one!.content).length,
    });
    expect(changed(messages, after)).toEqual(["r1", "r2"]);
    expect(after![2]!.content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "c2",
        content: "[The output of look_up was removed to free up context.]",
      },
    ]);
  });
});

describe("results that stay", () => {
  it.each<[string, (messages: BaseMessage[]) => BaseMessage[]]>([
    ["behind the newest answer", (list) => list.slice(0, -1)],
    [
      "with only the user behind them",
      (list) => [...list.slice(0, -1), human("u")],
    ],
    [
      "with only a record behind them",
      (list) => [...list.slice(0, -1), collapse("k", 3)],
    ],
  ])("are those not seen yet, %s", async (_, without) => {
    const late = tool("late", "gone", big("text"));
    const messages = [...without(thread()), human("u2"), late];
    const after = await prune(messages, 0);
    expect(changed(messages, after)).toEqual(["r1", "r2", "r3"]);
  });

  it("are those of failed calls, unless one says otherwise", async () => {
    const failed = new ToolMessage({
      id: "r1",
      content: big("trace").content,
      tool_call_id: "c1",
      status: "error",
    });
    const messages = thread();
    messages[2] = failed;
    expect(changed(messages, await prune(messages, 0))).toEqual(["r2", "r3"]);
    const all = await prune(messages, 0, { skip: () => false });
    expect(changed(messages, all)).toEqual(["r1", "r2", "r3"]);
    expect(all![2]).toMatchObject({ status: "error" });
    const own = await prune(messages, 0, { skip: ({ id }) => id === "r2" });
    expect(changed(messages, own)).toEqual(["r1", "r3"]);
  });

  it("are small ones, pruned ones, and those that a placeholder would not shorten", async () => {
    const messages = thread();
    messages[2] = tool("r1", "c1");
    expect(changed(messages, await prune(messages, 0))).toEqual(["r2", "r3"]);
    const longer = await prune(messages, 0, {
      minTokens: 0,
      placeholder: "x".repeat(2_000),
    });
    expect(longer).toBeNull();
    const once = await prune(messages, 0);
    expect(await prune(once!, 0)).toBeNull();
  });

  it("are screenshots of computer use, which take no text", async () => {
    const messages = thread();
    messages[2] = tool("r1", "c1", {
      ...big("data:image/png;base64,"),
      additional_kwargs: { type: "computer_call_output" },
    });
    expect(changed(messages, await prune(messages, 0))).toEqual(["r2", "r3"]);
  });
});

describe("clearToolInputs", () => {
  const written = (id: string): BaseMessage =>
    ai(`a${id}`, [
      {
        id: `c${id}`,
        name: "write_file",
        args: { path: `src/${id}.ts`, body: `line ${id}\n`.repeat(100) },
      },
    ]);
  const writing = (): BaseMessage[] => [
    human("task"),
    written("1"),
    tool("r1", "c1"),
    written("2"),
    tool("r2", "c2"),
    ai("end"),
  ];

  it("replaces bulky arguments of old steps and keeps the others", async () => {
    const messages = writing();
    expect(await prune(messages, 0)).toBeNull();
    const after = await prune(messages, 0, { clearToolInputs: true });
    expect(changed(messages, after)).toEqual(["a1"]);
    expect(after![1]).toMatchObject({
      id: "a1",
      tool_calls: [
        {
          id: "c1",
          name: "write_file",
          args: { path: "src/1.ts", body: "[removed to free up context]" },
        },
      ],
      additional_kwargs: {
        context_compaction: {
          strategy: "tool-result-pruning",
          originalTokens: count([messages[1]!]),
        },
      },
    });
    expect(JSON.stringify(after![1])).not.toContain("line 1");
    expect(await prune(after!, 0, { clearToolInputs: true })).toBeNull();
  });

  it("stops as soon as the target holds", async () => {
    const messages = [...writing(), ...thread().slice(1)];
    const after = await prune(messages, total(messages) - 100, {
      clearToolInputs: true,
    });
    expect(changed(messages, after)).toEqual(["a1"]);
  });

  it.each<[string, Partial<ConstructorParameters<typeof ToolMessage>[0]>]>([
    ["failed", { status: "error" }],
    ["is not there yet", { tool_call_id: "other" }],
  ])("leaves a call alone whose result %s", async (_, fields) => {
    const messages = writing();
    messages[2] = new ToolMessage({
      id: "r1",
      content: "no",
      tool_call_id: "c1",
      ...fields,
    } as never);
    expect(await prune(messages, 0, { clearToolInputs: true })).toBeNull();
  });

  const cyclic: Record<string, unknown> = { body: "text ".repeat(500) };
  cyclic.self = cyclic;
  it.each<[string, Partial<AIMessage>]>([
    ["arguments go round in a circle", { tool_calls: [callWith(cyclic)] }],
    [
      "arguments hold what JSON cannot",
      { tool_calls: [callWith({ rows: 10n })] },
    ],
    ["other fields go round in a circle", { additional_kwargs: { cyclic } }],
  ])("leaves a call alone whose %s", async (_, fields) => {
    const messages = [...writing(), ...thread().slice(1)];
    Object.assign(messages[1]!, fields);
    const after = await new ToolResultPruningCompactor({
      clearToolInputs: true,
    }).compact(messages, { targetTokens: 0 });
    expect(changed(messages, after)).toEqual(["a2", "r1", "r2", "r3"].sort());
  });
});

function callWith(args: Record<string, unknown>): ToolCall {
  return { id: "c1", name: "write_file", args };
}

describe("in a hook", () => {
  it("prunes in a view as it does in the state, and orphans without ids too", async () => {
    const messages = thread();
    for (const message of messages) {
      delete message.id;
    }
    messages.splice(
      1,
      0,
      new ToolMessage({ ...big("old"), tool_call_id: "x" }),
    );
    const options = {
      compactor: new ToolResultPruningCompactor(),
      contextWindow: 4_000,
      compactTo: 0.1,
      tokenCounter: count,
    };
    const rewritten = await new CompactionHook(options).compact(messages);
    expect(rewritten.report).toMatchObject({
      outcome: "compacted",
      compactor: "ToolResultPruningCompactor",
      removedIds: [],
      firstChangedIndex: 1,
    });
    const view = await new CompactionHook({
      ...options,
      mode: "view",
    }).view(messages);
    expect(view.map(({ text }) => text)).toEqual(
      rewritten.messages.map(({ text }) => text),
    );
  });

  it("reports where a predicate of its own throws, and changes nothing", async () => {
    const messages = thread();
    const { messages: after, report } = await new CompactionHook({
      compactor: new ToolResultPruningCompactor({
        skip: () => {
          throw new Error("oops");
        },
      }),
      contextWindow: 1_000,
      tokenCounter: count,
    }).compact(messages);
    expect(after).toEqual(messages);
    expect(report.error).toMatchObject({
      code: "COMPACTION_FAILED",
      message: 'Option "skip" threw.',
    });
  });
});

describe("work", () => {
  it.each([1_000, 10_000])(
    "counts each message once and each edit once, at %i messages",
    async (length) => {
      let counted = 0;
      const messages = Array.from({ length: length / 2 }, (_, step) => [
        ai(`a${step}`, [`c${step}`]),
        tool(`r${step}`, `c${step}`, { content: "x".repeat(300) }),
      ]).flat();
      await new ToolResultPruningCompactor().compact(messages, {
        targetTokens: 0,
        tokenCounter: ([message]) => {
          counted += 1;
          return message!.text.length;
        },
      });
      // All but the newest result are edited.
      expect(counted).toBe(length + length / 2 - 1);
    },
  );
});

describe("options", () => {
  it.each<[Record<string, unknown>, RegExp]>([
    [{ minKeepSteps: 0 }, /"minKeepSteps" must be a whole number of steps, 1/],
    [{ minTokens: -1 }, /"minTokens" must be .*0 or more/],
    [{ placeholder: 5 }, /"placeholder" must be a text/],
    [{ skip: "error" }, /"skip" must be a function/],
    [{ clearToolInputs: "yes" }, /"clearToolInputs" must be true or false/],
    [{ keep: 1 }, /has no option "keep"/],
  ])("%j is refused", (fields, message) => {
    expect(() => new ToolResultPruningCompactor(fields as never)).toThrow(
      message,
    );
  });
});
