import type { BaseMessage } from "@langchain/core/messages";
import { CompactionHook, SlidingWindowCompactor } from "langchain-compaction";
import type {
  CompactionHookOptions,
  CompactionReport,
  TokenCounter,
} from "langchain-compaction";
import { ai, human, system, tool } from "../support/make-messages.js";

/** Every message, note and tool definition costs 10 tokens. */
export const tens: TokenCounter = {
  countMessage: () => 10,
  countTools: (tools) => tools.length * 10,
};

/** Instructions, a task, and steps of one call and one result each. */
export function agentThread(steps: number): BaseMessage[] {
  const messages: BaseMessage[] = [system("s"), human("task")];
  for (let step = 1; step <= steps; step += 1) {
    messages.push(...toolStep(step));
  }
  return messages;
}

/** A call and its result: `a1` and `r1` for step 1. */
export function toolStep(
  step: number,
  usage?: [input: number, output: number],
): BaseMessage[] {
  return [
    ai(`a${step}`, [`c${step}`], usage === undefined ? {} : { usage }),
    tool(`r${step}`, `c${step}`),
  ];
}

/** Turns of a question and an answer: `q1` and `a1` for turn 1. */
export function chatThread(turns: number): BaseMessage[] {
  const messages: BaseMessage[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    messages.push(human(`q${turn}`), ai(`a${turn}`));
  }
  return messages;
}

/** Our mark on a message, wherever it stands. */
export function markOn(
  message: BaseMessage,
): Record<string, unknown> | undefined {
  const { additional_kwargs, response_metadata } = message as {
    additional_kwargs: Record<string, unknown>;
    response_metadata: Record<string, unknown>;
  };
  return (additional_kwargs["context_compaction"] ??
    response_metadata["context_compaction"]) as
    | Record<string, unknown>
    | undefined;
}

/** A sliding window over a window of 200 tokens: starts at 100, goes down to 50. */
export function hookOf<K extends string = "messages">(
  options: Partial<CompactionHookOptions<K>> = {},
): CompactionHook<K> {
  return new CompactionHook<K>({
    compactor: new SlidingWindowCompactor(),
    contextWindow: 200,
    compactAt: 0.5,
    compactTo: 0.25,
    tokenCounter: tens,
    ...options,
  });
}

/** A hook together with the reports that it gives. */
export function reportingHook<K extends string = "messages">(
  options: Partial<CompactionHookOptions<K>> = {},
): { hook: CompactionHook<K>; reports: CompactionReport[] } {
  const reports: CompactionReport[] = [];
  const hook = hookOf<K>({
    ...options,
    onReport: (report) => {
      reports.push(report);
    },
  });
  return { hook, reports };
}
