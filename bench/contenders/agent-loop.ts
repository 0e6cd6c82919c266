import {
  type BaseMessage,
  coerceMessageLikeToMessage,
  trimMessages,
} from "@langchain/core/messages";
import { ClearToolUsesEdit, summarizationMiddleware } from "langchain";
import { CompactionHook, SlidingWindowCompactor } from "langchain-compaction";
import { type CountMessages, unaskedCounter } from "./one-pass.js";
import { freeSummarizer, ownWorkOf } from "./summarization.js";

/** Tokens at which a run is compacted, and to which. */
export interface LoopLimits {
  readonly window: number;
  readonly trigger: number;
  readonly target: number;
}

/** What one run does before each of its model calls. */
export type BeforeModelCall = (
  state: BaseMessage[],
) => BaseMessage[] | Promise<BaseMessage[]>;

/** Something that keeps the state of an agent's run short. */
export interface LoopContender {
  readonly name: string;
  /** The longest run that it is given. */
  readonly mostMessages: number;
  /** A new run; the returned list replaces the state. */
  start(limits: LoopLimits, count: CountMessages): BeforeModelCall;
}

/** Peers are compared with this one. */
export const REWRITING_HOOK = "CompactionHook, rewrite";
/** What no check before each call can beat. */
export const APPEND_ONLY_LIMIT = "each message counted once, nothing checked";

/** One entry is one contender of the agent's loop. */
export const loopContenders: readonly LoopContender[] = [
  {
    name: REWRITING_HOOK,
    mostMessages: Infinity,
    start: (limits, count) => {
      const hook = hookFor(limits, count);
      return async (state) => {
        const { messages, report } = await hook.compact(state);
        return report.outcome === "compacted" ? messages : state;
      };
    },
  },
  {
    name: "CompactionHook as a traced Runnable",
    mostMessages: Infinity,
    start: (limits, count) => {
      const hook = hookFor(limits, count);
      return async (state) => {
        const { messages } = await hook.invoke({ messages: state });
        // LangGraph's reducer makes messages of what it is given.
        return messages?.slice(1).map(coerceMessageLikeToMessage) ?? state;
      };
    },
  },
  {
    name: APPEND_ONLY_LIMIT,
    mostMessages: Infinity,
    start: ({ trigger, target }, count) => {
      let counts: number[] = [];
      let total = 0;
      return (state) => {
        for (const message of state.slice(counts.length)) {
          const tokens = count([message]);
          counts.push(tokens);
          total += tokens;
        }
        if (total < trigger) {
          return state;
        }
        let start = 0;
        while (total > target) {
          total -= counts[start]!;
          start += 1;
        }
        counts = counts.slice(start);
        return state.slice(start);
      };
    },
  },
  {
    name: "summarizationMiddleware",
    mostMessages: Infinity,
    start: ({ trigger, target }, count) => {
      const beforeModel = ownWorkOf(
        summarizationMiddleware({
          model: freeSummarizer,
          trigger: { tokens: trigger },
          keep: { tokens: target },
          tokenCounter: count,
        }),
      );
      return async (state) =>
        (await beforeModel(state))?.messages.slice(1) ?? state;
    },
  },
  {
    name: "trimMessages at each step",
    mostMessages: Infinity,
    start:
      ({ trigger }, count) =>
      (state) =>
        trim(state, trigger, count),
  },
  {
    name: "trimMessages when due",
    mostMessages: Infinity,
    start:
      ({ trigger, target }, count) =>
      (state) =>
        count(state) < trigger ? state : trim(state, target, count),
  },
  {
    name: "contextEditingMiddleware",
    mostMessages: 1_000,
    start: ({ trigger }, countTokens) => {
      const edit = new ClearToolUsesEdit({
        trigger: { tokens: trigger },
        keep: { messages: 3 },
      });
      return async (state) => {
        await edit.apply({
          messages: state,
          model: freeSummarizer,
          countTokens,
        });
        return state;
      };
    },
  },
];

function hookFor(
  { window, trigger, target }: LoopLimits,
  count: CountMessages,
): CompactionHook {
  return new CompactionHook({
    compactor: new SlidingWindowCompactor(),
    contextWindow: window,
    compactAt: { tokens: trigger },
    compactTo: { tokens: target },
    tokenCounter: unaskedCounter(count),
  });
}

function trim(
  state: BaseMessage[],
  maxTokens: number,
  tokenCounter: CountMessages,
): Promise<BaseMessage[]> {
  return trimMessages(state, {
    maxTokens,
    tokenCounter,
    strategy: "last",
    startOn: "human",
    includeSystem: true,
  });
}
