// A user's program: every form of the public surface, with nothing annotated
// that the compiler can infer. It is compiled against the packed package by
// each supported compiler, with declarations, and run as ESM and as CommonJS.
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
} from "@langchain/core/messages";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import {
  FakeListChatModel,
  FakeStreamingChatModel,
} from "@langchain/core/utils/testing";
import {
  END,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import {
  checkConversation,
  chooseThresholds,
  CompactionError,
  CompactionHook,
  type CompactionReport,
  Compactor,
  CompactorPipeline,
  type CompactOptions,
  type Condition,
  ContextWindowCompactor,
  ConversationRepair,
  defaultTokenCounter,
  describeConversation,
  isContextOverflow,
  repairConversation,
  SlidingWindowCompactor,
  SummarizationCompactor,
  type TokenCounter,
  ToolCallCollapseCompactor,
  ToolResultPruningCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
} from "langchain-compaction";
import { compactionMiddleware } from "langchain-compaction/middleware";
import {
  compactionMatchers,
  simulateTrajectory,
  startProtocolServer,
} from "langchain-compaction/testing";
import { TiktokenCounter } from "langchain-compaction/tiktoken";

const model = new FakeListChatModel({ responses: ["an answer"] });
const history = Array.from({ length: 20 }, (_, at) =>
  at % 2 === 0
    ? new HumanMessage(`${at}: what is the weather like?`)
    : new AIMessage("an answer"),
);

// A counter of words, so that what follows hangs on no estimate.
export const wordCounter: TokenCounter = {
  countMessage: (message) => message.text.split(" ").length,
  countTools: (tools) => tools.length,
};

// Compactors, as Runnables.
export const compactor = new SlidingWindowCompactor({
  minKeepSteps: 1,
  omissionNote: "[{num_removed} messages are gone]",
  pin: (message) => message.id === "keep-me",
  tokenCounter: wordCounter,
  targetTokens: 20,
});
export const configured = compactor.withConfig({ targetTokens: 30 });
export const chain = ChatPromptTemplate.fromMessages([
  ["system", "Be brief."],
  ["placeholder", "{history}"],
])
  .pipe(compactor)
  .pipe(model);

export const pipeline = new CompactorPipeline([
  new ToolCallCollapseCompactor({ minKeepGroups: 4, targetTokens: 60 }),
  new TurnWindowCompactor({ minKeepTurns: 2, targetTokens: 60 }),
  new TruncationCompactor({ minKeepGroups: 1, targetTokens: 60 }),
]);
export const preset = new ContextWindowCompactor({
  contextWindow: 128_000,
  reserveOutputTokens: 8_000,
});

// Tiers, gentlest first.
export const ladder = new CompactorPipeline([
  new ToolResultPruningCompactor({ minTokens: 50, clearToolInputs: true }),
  new SummarizationCompactor({ model, timeoutMs: 1_000 }),
  compactor,
]);

// Conditions, which survive JSON, and predicates.
export const trigger: Condition = [
  { tokens: 150_000 },
  { turns: 20, toolCalls: 5 },
  ({ steps, groups, messages }) => steps + groups + messages > 300,
];
export const triggered = new SlidingWindowCompactor({
  trigger,
  target: { messages: 10 },
});

// Counters: an object, or LangChain's function.
export const counted = [
  new SlidingWindowCompactor({ tokenCounter: wordCounter }),
  new SlidingWindowCompactor({ tokenCounter: defaultTokenCounter }),
  new SlidingWindowCompactor({ tokenCounter: new TiktokenCounter() }),
  new SlidingWindowCompactor({
    tokenCounter: async (messages: BaseMessage[]) => messages.length,
  }),
];

// Compactors of one's own: a class, or any object with `compact`.
export class NewestOnly extends Compactor {
  override async compact(
    messages: readonly BaseMessage[],
    { target }: CompactOptions,
  ): Promise<BaseMessage[] | null> {
    const newest = messages.slice(-1);
    return target.holds(newest) ? newest : null;
  }
}

// The hook: for an agent, as a node of a graph, inside a node of one's own.
export const reports: CompactionReport[] = [];
export const hook = new CompactionHook({
  compactor,
  contextWindow: 100,
  compactAt: 0.7,
  compactTo: 0.4,
  tokenCounter: wordCounter,
  onReport: (report) => void reports.push(report),
});
export const agent = createReactAgent({
  llm: new FakeStreamingChatModel({ responses: [new AIMessage("an answer")] }),
  tools: [],
  preModelHook: hook,
});
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("compact", hook)
  .addNode("count", async (state, config) => ({
    ...(await hook.invoke(state, config)),
  }))
  .addEdge(START, "compact")
  .addEdge("compact", "count")
  .addEdge("count", END)
  .compile();
export const view = hook.asView();
export const viewChain = view.pipe(model);
export const todaysAgent = createAgent({
  model: new FakeListChatModel({ responses: ["an answer"] }),
  tools: [],
  middleware: [compactionMiddleware({ compactor, contextWindow: 200 })],
});
export const recovering = hook.withOverflowRecovery(model);

// Health, prices, and what to test with.
export const repair = new ConversationRepair({ provider: "anthropic" });
export const repairChain = repair.pipe(model);
export const thresholds = chooseThresholds({
  contextWindow: 200_000,
  keptTokens: 30_000,
  growthPerCall: 1_500,
  cachedPrice: 0.3,
  uncachedPrice: 3,
});
export const testTools = { compactionMatchers, startProtocolServer };
export const options = [
  new CompactionHook({
    compactor: [new NewestOnly(), compactor],
    contextWindow: { profile: { maxInputTokens: 200_000 } },
    compactAt: { tokens: 100_000 },
    compactTo: (metrics) => metrics.tokens <= 50_000,
    messagesKey: "history",
  }),
  new CompactionHook({
    compactor: { compact: async (messages) => messages.slice(-1) },
    contextWindow: 200_000,
  }),
];

export async function run(): Promise<void> {
  const shorter = await compactor.invoke(history);
  expect(shorter.length > 0 && shorter.length < history.length);
  expect(shorter.at(-1) === history.at(-1));
  const [first] = await configured.batch([history]);
  expect(first !== undefined && first.length < history.length);
  const answer = await chain.invoke({ history });
  expect(answer.text === "an answer");
  const newest = await new NewestOnly({ targetTokens: 60 }).invoke(history);
  expect(newest.length === 1);
  const pure = await hook.compact(history);
  expect(pure.report.outcome === "compacted");
  expect(pure.messages.length < history.length);
  const state = await agent.invoke({ messages: history });
  expect(state.messages.length < history.length);
  expect(state.messages.at(-1)?.text === "an answer");
  const counted = await graph.invoke({ messages: history });
  expect(counted.messages.length === pure.messages.length);
  expect(reports[0]?.outcome === "compacted");
  expect((await viewChain.invoke(history)).text === "an answer");
  expect((await view.invoke(history)).length < history.length);
  expect((await pipeline.invoke(history)).length < history.length);
  const whole = await todaysAgent.invoke({ messages: history });
  expect(whole.messages.length === history.length + 1);
  expect((await recovering.invoke(history)).text === "an answer");
  expect((await ladder.invoke(history, { targetTokens: 60 })).length > 0);
  const problems = checkConversation([...history, new HumanMessage("")]);
  expect(problems.length > 0 && problems[0]?.code !== undefined);
  expect(repairConversation(history).messages.length === history.length);
  expect((await repairChain.invoke(history)).text === "an answer");
  expect(thresholds.compactAt > thresholds.compactTo);
  expect(!isContextOverflow(new Error("no such tool")));
  const { violations } = await simulateTrajectory(history, hook, {
    provider: "openai",
  });
  expect(violations.length === 0);
  const { metrics } = await describeConversation(history);
  expect(metrics.turns === 10);
  try {
    // @ts-expect-error: the compiler knows the options
    new SlidingWindowCompactor({ minKeepStep: 1 });
    expect(false);
  } catch (error) {
    expect(
      CompactionError.isInstance(error) && error.code === "INVALID_OPTION",
    );
  }
}

function expect(condition: boolean): void {
  if (!condition) {
    throw new Error("This is not what the package promises.");
  }
}
