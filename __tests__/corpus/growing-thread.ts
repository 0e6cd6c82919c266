import {
  AIMessage,
  HumanMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import {
  CompactionHook,
  defaultTokenCounter,
  SlidingWindowCompactor,
} from "langchain-compaction";
import type { CompactionReport } from "langchain-compaction";
import type { Conversation } from "../support/corpus.js";
import { checkPass } from "../support/rule-checkers.js";
import { sum } from "../support/sliding-window-rules.js";

/** How a recorded conversation is lived through again. */
export interface Replay {
  /** Which replies bear a usage report. */
  reports: "all" | "some" | "none";
  note: string | null;
  /** The window as a share of what the whole conversation takes. */
  windowShare: number;
}

/** One model call of a replayed conversation. */
export interface ModelCall {
  report: CompactionReport;
  /** Tokens of the request as the provider would count them, before and after the hook. */
  before: number;
  after: number;
  /** What is wrong with this call's pass. */
  faults: string[];
}

export const COMPACT_AT = 0.7;
export const COMPACT_TO = 0.4;

/**
 * Grows a thread message by message, each AI message being a model call with
 * the hook before it.
 *
 * The provider counts as the counter does and adds a system prompt and tools
 * that are no messages, a tenth of the window, which only its reports tell of.
 */
export async function replay(
  { messages }: Conversation,
  { reports, note, windowShare }: Replay,
): Promise<{ calls: ModelCall[]; threshold: number }> {
  const tokens = new Map(
    messages.map((message) => [
      message.id!,
      defaultTokenCounter.countMessage(message),
    ]),
  );
  const count = (message: BaseMessage): number =>
    tokens.get(message.id ?? "") ?? defaultTokenCounter.countMessage(message);
  const window = Math.ceil(windowShare * sum([...tokens.values()]));
  const overhead = reports === "none" ? 0 : Math.floor(window / 10);
  const hook = new CompactionHook({
    compactor: new SlidingWindowCompactor({ omissionNote: note }),
    contextWindow: window,
    compactAt: COMPACT_AT,
    compactTo: COMPACT_TO,
    tokenCounter: ([message]) => count(message!),
    // Until the first report comes, only the options know of it.
    overheadTokens: overhead,
  });
  const sizeOf = (list: readonly BaseMessage[]): number =>
    overhead + sum(list.map(count));

  const calls: ModelCall[] = [];
  let thread: BaseMessage[] = [];
  for (const message of messages) {
    if (message.getType() !== "ai" || thread.length === 0) {
      thread.push(message);
      continue;
    }
    const before = thread;
    const { messages: shown, report } = await hook.compact(before);
    const call: ModelCall = {
      report,
      before: sizeOf(before),
      after: sizeOf(shown),
      faults: [],
    };
    if (report.outcome === "compacted") {
      // The one reply that the hook marks is a copy: read it as the original.
      const originals = new Map(before.map((one) => [one.id, one]));
      const after = shown.map((one) => originals.get(one.id) ?? one);
      call.faults = checkPass({
        before,
        after,
        target: report.targetTokens!,
        minKeepSteps: 1,
        note,
        count,
        noteTokens: (removed) =>
          defaultTokenCounter.countMessage(
            new HumanMessage(
              (note ?? "").replace("{num_removed}", String(removed)),
            ),
          ),
      });
      const again = await hook.compact(shown);
      if (again.report.outcome !== "unchanged") {
        call.faults.push("it fired again on its own result");
      }
    }
    calls.push(call);
    const isReported =
      reports === "all" || (reports === "some" && calls.length % 3 === 0);
    thread = [
      ...shown,
      isReported ? reported(message, call.after, count(message)) : message,
    ];
  }
  return { calls, threshold: window * COMPACT_AT };
}

function reported(
  message: BaseMessage,
  input: number,
  output: number,
): AIMessage {
  const reply = message as AIMessage;
  return new AIMessage({
    id: reply.id!,
    content: reply.content,
    tool_calls: reply.tool_calls ?? [],
    invalid_tool_calls: reply.invalid_tool_calls ?? [],
    additional_kwargs: reply.additional_kwargs,
    usage_metadata: {
      input_tokens: input,
      output_tokens: output,
      total_tokens: input + output,
    },
  });
}
