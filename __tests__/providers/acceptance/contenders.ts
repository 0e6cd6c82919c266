import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, trimMessages } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { ClearToolUsesEdit, summarizationMiddleware } from "langchain";
import {
  type Compactor,
  ContextWindowCompactor,
  defaultTokenCounter,
  type Provider,
  repairConversation,
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
  readonly isOurs: boolean;
  /** What is to be sent; the list that was handed in where nothing was done. */
  shorten(
    messages: BaseMessage[],
    budget: number,
    provider: Provider,
  ): Promise<BaseMessage[]>;
}

export const contenders: readonly Contender[] = [
  ours("SlidingWindowCompactor", () => new SlidingWindowCompactor()),
  {
    name: "SlidingWindowCompactor, then a repair",
    isOurs: true,
    shorten: async (messages, targetTokens, provider) => {
      const compactor = new SlidingWindowCompactor();
      const context = await compactor.invoke(messages, { targetTokens });
      return repairConversation(context, { provider }).messages;
    },
  },
  ours(
    "SlidingWindowCompactor, `omissionNote: null`",
    () => new SlidingWindowCompactor({ omissionNote: null }),
  ),
  ours("TurnWindowCompactor", () => new TurnWindowCompactor()),
  ours(
    "TruncationCompactor",
    () => new TruncationCompactor({ minKeepGroups: 1 }),
  ),
  ours(
    "ToolCallCollapseCompactor",
    () => new ToolCallCollapseCompactor({ minKeepGroups: 1 }),
  ),
  ours("ToolResultPruningCompactor", () => new ToolResultPruningCompactor()),
  ours(
    "SummarizationCompactor",
    () => new SummarizationCompactor({ model: summarizer() }),
  ),
  {
    name: "ContextWindowCompactor",
    isOurs: true,
    shorten: (messages, contextWindow) =>
      new ContextWindowCompactor({ contextWindow }).invoke(messages),
  },
  {
    name: "`trimMessages`, default",
    isOurs: false,
    shorten: (messages, maxTokens) =>
      trimMessages(messages, { maxTokens, tokenCounter: count }),
  },
  {
    name: "`trimMessages`, as documented",
    isOurs: false,
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
    isOurs: false,
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
    isOurs: false,
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

function ours(name: string, make: () => Compactor): Contender {
  return {
    name,
    isOurs: true,
    shorten: (messages, targetTokens) =>
      make().invoke(messages, { targetTokens }),
  };
}

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
