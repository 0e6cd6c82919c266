import { type BaseMessage, trimMessages } from "@langchain/core/messages";
import { ClearToolUsesEdit, summarizationMiddleware } from "langchain";
import {
  type Compactor,
  CompactionHook,
  CompactorPipeline,
  SlidingWindowCompactor,
  type TokenCounter,
  ToolCallCollapseCompactor,
  ToolResultPruningCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
} from "langchain-compaction";
import { freeSummarizer, ownWorkOf } from "./summarization.js";

/** Counts a whole list, as LangChain's functions want it. */
export type CountMessages = (messages: BaseMessage[]) => number;

/** The same counter in the form that this package prefers: never asked before now, so that nothing is known. */
export function unaskedCounter(count: CountMessages): TokenCounter {
  return {
    countMessage: (message) => count([message]),
    countTools: () => 0,
  };
}

/** Something that shortens a conversation once. */
export interface OnePassContender {
  readonly name: string;
  /** The longest conversation that it is given: what takes minutes is not waited for. */
  readonly mostMessages: number;
  /** @param budget tokens of the messages that are to be left */
  compact(
    messages: BaseMessage[],
    budget: number,
    count: CountMessages,
  ): unknown;
}

/** Peers are compared with this one. */
export const SLIDING_WINDOW = "SlidingWindowCompactor";

const ourPasses: readonly OnePassContender[] = [
  ours(SLIDING_WINDOW, () => new SlidingWindowCompactor()),
  ours("TurnWindowCompactor", () => new TurnWindowCompactor()),
  ours("TruncationCompactor", () => new TruncationCompactor()),
  ours("ToolResultPruningCompactor", () => new ToolResultPruningCompactor()),
  ours("ToolCallCollapseCompactor", () => new ToolCallCollapseCompactor()),
  {
    name: "CompactionHook, rewrite",
    mostMessages: Infinity,
    compact: (messages, budget, count) =>
      hookFor(budget, count).compact(messages),
  },
  {
    name: "CompactionHook, view",
    mostMessages: Infinity,
    compact: (messages, budget, count) => hookFor(budget, count).view(messages),
  },
  {
    name: "counting each message once",
    mostMessages: Infinity,
    compact: (messages, _budget, count) => {
      for (const message of messages) {
        count([message]);
      }
    },
  },
];

/** One entry is one contender of the single passes. */
export const onePassContenders: readonly OnePassContender[] = [
  ...ourPasses,
  {
    name: "trimMessages",
    mostMessages: 10_000,
    compact: (messages, budget, count) =>
      trimMessages(messages, {
        maxTokens: budget,
        tokenCounter: count,
        strategy: "last",
        startOn: "human",
        includeSystem: true,
      }),
  },
  {
    name: "summarizationMiddleware",
    mostMessages: 10_000,
    compact: (messages, budget, count) =>
      ownWorkOf(
        summarizationMiddleware({
          model: freeSummarizer,
          trigger: { tokens: budget },
          keep: { tokens: budget },
          tokenCounter: count,
        }),
      )(messages),
  },
  {
    name: "contextEditingMiddleware",
    mostMessages: 1_000,
    compact: (messages, budget, count) =>
      new ClearToolUsesEdit({
        trigger: { tokens: budget },
        keep: { messages: 3 },
      }).apply({
        messages: [...messages],
        model: freeSummarizer,
        countTokens: count,
      }),
  },
];

/** Those whose growth is measured: ours, also where a goal in code is asked after each removal. */
export const growthContenders: readonly OnePassContender[] = [
  ...ourPasses,
  ours(
    "CompactorPipeline of three",
    () =>
      new CompactorPipeline([
        new ToolResultPruningCompactor(),
        new TruncationCompactor(),
        new SlidingWindowCompactor(),
      ]),
  ),
  byGoalInCode(SLIDING_WINDOW, () => new SlidingWindowCompactor()),
  byGoalInCode("TurnWindowCompactor", () => new TurnWindowCompactor()),
  byGoalInCode("TruncationCompactor", () => new TruncationCompactor()),
];

function ours(name: string, make: () => Compactor): OnePassContender {
  return {
    name,
    mostMessages: Infinity,
    compact: (messages, targetTokens, count) =>
      make().compact(messages, {
        target: {
          tokens: targetTokens,
          holds: (list) => count([...list]) <= targetTokens,
        },
        tokenCounter: unaskedCounter(count),
      }),
  };
}

function byGoalInCode(
  name: string,
  make: () =>
    | SlidingWindowCompactor
    | TurnWindowCompactor
    | TruncationCompactor,
): OnePassContender {
  return {
    name: `${name}, goal in code`,
    mostMessages: Infinity,
    compact: (messages, budget, count) =>
      make().compact(messages, {
        target: ({ tokens }) => tokens <= budget,
        tokenCounter: unaskedCounter(count),
      }),
  };
}

function hookFor(budget: number, count: CountMessages): CompactionHook {
  return new CompactionHook({
    compactor: new SlidingWindowCompactor(),
    contextWindow: budget * 2,
    compactAt: 0.7,
    compactTo: 0.5,
    tokenCounter: unaskedCounter(count),
  });
}
