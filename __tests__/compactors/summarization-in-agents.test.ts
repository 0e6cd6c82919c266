import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { BaseMessage } from "@langchain/core/messages";
import { tool as defineTool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import {
  CompactionHook,
  SlidingWindowCompactor,
  SummarizationCompactor,
  ToolResultPruningCompactor,
  type CompactionHookOptions,
  type CompactionReport,
  type CompactorLike,
} from "../../src/index.js";
import {
  startProtocolServer,
  type ModelReply,
  type ModelRequest,
} from "../../src/testing/index.js";
import { markOf } from "../support/anatomy.js";
import { ai, human, idsOf } from "../support/make-messages.js";
import { sum } from "../support/sliding-window-rules.js";

const CALLS = 14;
const SUMMARY = "The user wants the look-ups done, one by one.";

/** An agent and its summariser, both real clients of one local server. */
async function startAgent(
  compactors: (model: ChatOpenAI) => CompactorLike | CompactorLike[],
  summarise: (request: ModelRequest) => ModelReply = () => SUMMARY,
  options: Partial<CompactionHookOptions> = {},
) {
  let calls = 0;
  const server = await startProtocolServer({
    contextWindow: 3_000,
    respond: (request): ModelReply => {
      if (request.model === "summariser") {
        return summarise(request);
      }
      calls += 1;
      return calls <= CALLS
        ? { toolCalls: [{ name: "look_up", args: { nth: calls } }] }
        : "All done.";
    },
  });
  const clientOf = (model: string): ChatOpenAI =>
    new ChatOpenAI({
      model,
      apiKey: "unused",
      maxRetries: 0,
      configuration: { baseURL: server.baseURL },
    });
  const reports: CompactionReport[] = [];
  const agent = createReactAgent({
    llm: clientOf("agent"),
    tools: [
      defineTool(({ nth }) => `entry ${nth}: ${"lorem ipsum ".repeat(150)}`, {
        name: "look_up",
        description: "Looks an entry up.",
        schema: {
          type: "object",
          properties: { nth: { type: "number" } },
          required: ["nth"],
        } as const,
      }),
    ],
    preModelHook: new CompactionHook({
      compactor: compactors(clientOf("summariser")),
      contextWindow: 3_000,
      onReport: (report) => reports.push(report),
      ...options,
    }),
    checkpointer: new MemorySaver(),
  });
  return {
    agent,
    server,
    compacted: () => reports.filter(({ outcome }) => outcome === "compacted"),
    reports,
  };
}

const summarizing = (model: ChatOpenAI): CompactorLike =>
  new SummarizationCompactor({ model, approximateSummaryTokens: 100 });

const config = () => ({
  configurable: { thread_id: "1" },
  recursionLimit: 100,
});
const input = () => ({ messages: [human("task")] });

describe("an agent whose hook summarises", () => {
  it("reaches its end inside a window that its conversation exceeds, and the report says what it cost", async () => {
    const { agent, server, compacted } = await startAgent(summarizing);
    await using _server = server;
    const { messages } = await agent.invoke(input(), config());

    expect(messages.at(-1)!.text).toBe("All done.");
    expect(server.requests.every(({ outcome }) => outcome === "answered")).toBe(
      true,
    );
    const summaries = messages.filter(
      (message: BaseMessage) => markOf(message)?.kind === "summary",
    );
    expect(summaries.length).toBeGreaterThan(0);
    expect(summaries[0]!.text).toContain(SUMMARY);
    // What stands there and what it stands for are all that was ever said.
    const originals = messages.map(
      (message: BaseMessage) => markOf(message)?.standsFor ?? 1,
    );
    expect(sum(originals)).toBe(1 + 2 * CALLS + 1);

    expect(compacted().length).toBeGreaterThan(1);
    const asked = server.requests.filter(
      ({ body }) => body["model"] === "summariser",
    );
    const usages = compacted().map(({ summarizerUsage }) => summarizerUsage!);
    const sumOf = (key: "calls" | "inputTokens" | "outputTokens"): number =>
      usages.reduce((sum, usage) => sum + usage[key], 0);
    expect(sumOf("calls")).toBe(asked.length);
    expect(sumOf("inputTokens")).toBe(
      asked.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    );
    expect(sumOf("outputTokens")).toBe(
      asked.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    );
  });

  it("shows nothing of the summariser in streamMode messages", async () => {
    const { agent, server, compacted } = await startAgent(summarizing);
    await using _server = server;
    let text = "";
    const shown: string[] = [];
    for await (const [message, metadata] of await agent.stream(input(), {
      ...config(),
      streamMode: "messages",
    })) {
      expect(metadata["langgraph_node"]).not.toBe("pre_model_hook");
      text += message.text;
      shown.push(message.id!);
    }
    expect(compacted().length).toBeGreaterThan(1);
    expect(text).toContain("All done.");
    expect(text).not.toContain(SUMMARY);
    expect(new Set(shown).size).toBe(2 * CALLS + 1);
  });

  it("traces each summary as a named child of the hook's run", async () => {
    const { agent, server, compacted } = await startAgent(summarizing);
    await using _server = server;
    const hooks = new Set<string>();
    const summaries: unknown[] = [];
    class Tracer extends BaseCallbackHandler {
      name = "tracer";
      override handleChainStart(...args: unknown[]): void {
        if (args[7] === "CompactionHook" || args[7] === "pre_model_hook") {
          hooks.add(args[2] as string);
        }
      }
      override handleChatModelStart(
        ...[, , , parent, , tags, metadata, name]: unknown[] & {
          3?: string;
          7?: string;
        }
      ): void {
        if (name === "ConversationSummary") {
          summaries.push({
            isChild: hooks.has(parent as string),
            tags,
            metadata,
          });
        }
      }
    }
    await agent.invoke(input(), { ...config(), callbacks: [new Tracer()] });
    expect(compacted().length).toBeGreaterThan(1);
    expect(summaries.length).toBeGreaterThan(1);
    for (const summary of summaries) {
      expect(summary).toMatchObject({
        isChild: true,
        tags: expect.arrayContaining(["nostream", "langsmith:nostream"]),
        metadata: { lc_source: "summarization", thread_id: "1" },
      });
    }
  });

  it("goes on where the summariser fails, and the next tier makes room", async () => {
    const { agent, server, compacted } = await startAgent(
      (model) => [summarizing(model), new SlidingWindowCompactor()],
      () => ({ status: 500, message: "overloaded" }),
    );
    await using _server = server;
    const { messages } = await agent.invoke(input(), config());
    expect(messages.at(-1)!.text).toBe("All done.");
    expect(compacted().length).toBeGreaterThan(1);
    for (const report of compacted()) {
      expect(report.warnings).toContain("partly-failed");
      expect(report.error!.message).toContain("overloaded");
    }
  });

  it("works down the ladder: the cheap tier first, the summary for what is left", async () => {
    const ladder = await startAgent((model) => [
      new ToolResultPruningCompactor({ minTokens: 50 }),
      summarizing(model),
      new SlidingWindowCompactor(),
    ]);
    await using _ladder = ladder.server;
    const { messages } = await ladder.agent.invoke(input(), config());
    expect(messages.at(-1)!.text).toBe("All done.");
    const kinds = messages.flatMap(
      (message: BaseMessage) => markOf(message)?.kind ?? [],
    );
    expect(kinds).toContain("pruned");
    const calls = (server: typeof ladder.server): number =>
      server.requests.filter(({ body }) => body["model"] === "summariser")
        .length;
    const alone = await startAgent(summarizing);
    await using _alone = alone.server;
    await alone.agent.invoke(input(), config());
    expect(calls(ladder.server)).toBeLessThan(calls(alone.server));
  });
});

describe("a summary and a view", () => {
  const model = { invoke: async () => "Old." };
  const summary = new SummarizationCompactor({ model });
  const refused = /writes summaries, which a view cannot keep.*mode: "rewrite"/;

  it.each<[string, CompactionHookOptions["compactor"]]>([
    ["alone", summary],
    ["in an array", [new SlidingWindowCompactor(), summary]],
    ["deep in an array", [[[summary]], new SlidingWindowCompactor()]],
  ])("do not go together, %s", (_, compactor) => {
    expect(
      () =>
        new CompactionHook({ compactor, contextWindow: 1_000, mode: "view" }),
    ).toThrow(refused);
    const hook = new CompactionHook({ compactor, contextWindow: 1_000 });
    expect(() => hook.asView()).toThrow(refused);
  });

  it("are told apart also where a view is asked of a rewriting hook", async () => {
    const hook = new CompactionHook({
      compactor: summary,
      contextWindow: 1_000,
    });
    await expect(hook.view([human("u")])).rejects.toThrow(refused);
  });
});

describe("hook.compact", () => {
  it("calls the model, keeps what came meanwhile, and swallows no count", async () => {
    const messages = [
      human("u1"),
      ai("a1", [], { usage: [900, 50] }),
      human("task"),
      ai("a2", [], { usage: [950, 50] }),
    ];
    const hook = new CompactionHook({
      compactor: new SummarizationCompactor({
        model: {
          invoke: async () => {
            messages.push(human("late"));
            return "Old.";
          },
        },
      }),
      contextWindow: 1_000,
      tokenCounter: ([message]) =>
        message!.text.includes("<conversation_summary>") ? 10 : 250,
    });
    const { messages: after, report } = await hook.compact(messages);
    expect(idsOf(after)).toEqual([
      "compaction-summary-u1",
      "task",
      "a2",
      "late",
    ]);
    expect(report).toMatchObject({
      outcome: "compacted",
      removedIds: ["u1", "a1"],
      summarizerUsage: { calls: 1, inputTokens: 0, outputTokens: 0 },
    });
  });
});
