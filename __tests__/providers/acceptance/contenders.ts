import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, trimMessages } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { ClearToolUsesEdit, summarizationMiddleware } from "langchain";
import {
  CompactionHook,
  type Compactor,
  ContextWindowCompactor,
  ConversationRepair,
  defaultTokenCounter,
  type Provider,
  SlidingWindowCompactor,
  SummarizationCompactor,
  ToolCallCollapseCompactor,
  ToolResultPruningCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
} from "../../../src/index.js";

/** Something that makes a conversation fit a number of tokens. */
export interface Contender {
  readonly name: string;
  /** What is to be sent; the list that was handed in where nothing was done. */
  shorten(
    messages: BaseMessage[],
    budget: number,
    provider: Provider,
  ): Promise<BaseMessage[]>;
}

/** How each compactor of ours is made, for a budget. */
const COMPACTORS: Readonly<Record<string, (budget: number) => Compactor>> = {
  SlidingWindowCompactor: () => new SlidingWindowCompactor(),
  "SlidingWindowCompactor, `omissionNote: null`": () =>
    new SlidingWindowCompactor({ omissionNote: null }),
  TurnWindowCompactor: () => new TurnWindowCompactor(),
  TruncationCompactor: () => new TruncationCompactor({ minKeepGroups: 1 }),
  ToolCallCollapseCompactor: () =>
    new ToolCallCollapseCompactor({ minKeepGroups: 1 }),
  ToolResultPruningCompactor: () => new ToolResultPruningCompactor(),
  SummarizationCompactor: () =>
    new SummarizationCompactor({ model: summarizer() }),
  ContextWindowCompactor: (contextWindow) =>
    new ContextWindowCompactor({ contextWindow }),
};

/** Ours in a hook that knows the provider, as the middleware does by itself. */
export const inHook: readonly Contender[] = Object.entries(COMPACTORS).map(
  ([name, make]) => ({
    name,
    shorten: async (messages, budget, provider) => {
      const hook = new CompactionHook({
        compactor: make(budget),
        contextWindow: Number.MAX_SAFE_INTEGER,
        compactAt: () => true,
        compactTo: { tokens: budget },
        provider,
        raiseOnFailure: true,
      });
      return (await hook.compact(messages)).messages;
    },
  }),
);

/** Ours by themselves, which know of no provider. */
export const byThemselves: readonly Contender[] = [
  ...Object.entries(COMPACTORS).map(([name, make]) => ({
    name,
    shorten: (messages: BaseMessage[], targetTokens: number) =>
      make(targetTokens).invoke(messages, { targetTokens }),
  })),
  {
    name: "SlidingWindowCompactor, then a `ConversationRepair`",
    shorten: async (messages, targetTokens, provider) =>
      new SlidingWindowCompactor({ targetTokens })
        .pipe(new ConversationRepair({ provider }))
        .invoke(messages),
  },
];

/** What LangChain has. */
export const peers: readonly Contender[] = [
  {
    name: "`trimMessages`, default",
    shorten: (messages, maxTokens) =>
      trimMessages(messages, { maxTokens, tokenCounter: count }),
  },
  {
    name: "`trimMessages`, as documented",
    shorten: (messages, maxTokens) =>
      trimMessages(messages, {
        maxTokens,
        tokenCounter: count,
        strategy: "last",
        startOn: "human",
        endOn: ["human", "tool"],
        includeSystem: true,
      }),
  },
  {
    name: "`summarizationMiddleware`",
    shorten: async (messages, budget) => {
      const { beforeModel } = summarizationMiddleware({
        model: summarizer(),
        trigger: { tokens: budget },
        keep: { tokens: Math.floor(budget / 2) },
        tokenCounter: count,
      });
      const update = (await (beforeModel as BeforeModel)(
        { messages: [...messages] },
        { context: {} },
      )) as { messages: BaseMessage[] } | undefined;
      return (
        update?.messages.filter(({ type }) => type !== "remove") ?? messages
      );
    },
  },
  {
    name: "`contextEditingMiddleware`",
    shorten: async (messages, budget) => {
      const edited = [...messages];
      await new ClearToolUsesEdit({
        trigger: { tokens: budget },
        keep: { messages: 3 },
      }).apply({ messages: edited, model: summarizer(), countTokens: count });
      return edited;
    },
  },
];

type BeforeModel = (state: object, runtime: object) => Promise<unknown>;

function summarizer(): BaseChatModel {
  return new FakeListChatModel({
    responses: ["The user asked for this and that."],
  });
}

/** Tokens of a list; the one counter of all contenders. */
export function count(messages: readonly BaseMessage[]): number {
  return messages.reduce((sum, message) => sum + countOnce(message), 0);
}

/** Some contenders count copies of the same messages over and over. */
function countOnce(message: BaseMessage): number {
  const known = counted.get(message.id);
  if (known?.content === message.content && known.type === message.type) {
    return known.tokens;
  }
  const tokens = defaultTokenCounter.countMessage(message);
  const { type, content } = message;
  counted.set(message.id, { type, content, tokens });
  return tokens;
}

const counted = new Map<
  string | undefined,
  { type: string; content: unknown; tokens: number }
>();
