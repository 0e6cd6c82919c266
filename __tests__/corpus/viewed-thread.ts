import {
  AIMessage,
  type BaseMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import {
  CompactionHook,
  type CompactorOrTiers,
  defaultTokenCounter,
} from "langchain-compaction";
import type { Conversation } from "../support/corpus.js";
import { sum } from "../support/sliding-window-rules.js";

/** How a recorded conversation is lived through again. */
export interface ViewedThread {
  compactor: CompactorOrTiers;
  /** Which replies bear a usage report. */
  reports: "all" | "some" | "none";
  /** The window as a share of what the whole conversation takes. */
  windowShare: number;
  /** The counter's tokens for one of the provider's. @default 1 */
  countedAs?: number;
}

/** One model call of a thread. */
export interface ViewedCall {
  history: readonly BaseMessage[];
  /** What a view showed of the whole history. */
  viewed: readonly BaseMessage[];
  /** What a rewriting hook left in its state. */
  rewritten: readonly BaseMessage[];
  hasFired: boolean;
  /** By which the counter was corrected. */
  counterFactor: number;
  /** Whether the view is the one before it with what came since. */
  isGrown: boolean;
  /** What another process shows that is handed the stored history, where one was asked. */
  restarted?: readonly BaseMessage[];
}

/** Calls. */
const RESTART_EVERY = 10;

/** Tokens of system prompt and tools, which are no messages. */
const OVERHEAD = 300;

/**
 * Lives through a conversation twice at once: with a view of a history that
 * stays whole, and with a state that is rewritten. The provider counts as the
 * counter does, or so many times as much.
 */
export async function liveThrough(
  { messages }: Conversation,
  { compactor, reports, windowShare, countedAs = 1 }: ViewedThread,
): Promise<ViewedCall[]> {
  const counts = new Map(
    messages.map((message) => [
      message.id!,
      defaultTokenCounter.countMessage(message),
    ]),
  );
  const count = (message: BaseMessage): number =>
    // What a compactor wrote may go by the id of what it replaced.
    ("context_compaction" in message.additional_kwargs
      ? undefined
      : counts.get(message.id!)) ?? defaultTokenCounter.countMessage(message);
  const options = {
    compactor,
    contextWindow: Math.ceil(windowShare * sum(messages.map(count))),
    overheadTokens: OVERHEAD,
    tokenCounter: ([message]: BaseMessage[]) => countedAs * count(message!),
  };
  let hasFired = false;
  let counterFactor = 1;
  const viewing = new CompactionHook({
    ...options,
    mode: "view",
    onReport: (report) => {
      hasFired = report.outcome === "compacted";
      counterFactor = report.counterFactor ?? 1;
    },
  });
  const rewriting = new CompactionHook(options);

  const isStorable = messages.every(
    (message) => !("tool_call_id" in message) || message.tool_call_id,
  );
  const calls: ViewedCall[] = [];
  let history: BaseMessage[] = [];
  let state: BaseMessage[] = [];
  let grown: BaseMessage[] = [];
  for (const message of messages) {
    if (message.type !== "ai" || history.length === 0) {
      history = [...history, message];
      state = [...state, message];
      grown = [...grown, message];
      continue;
    }
    const viewed = await viewing.view(history);
    const { messages: rewritten } = await rewriting.compact(state);
    const call = {
      history,
      viewed,
      rewritten,
      hasFired,
      counterFactor,
      isGrown: isSameList(viewed, grown),
    };
    const asksAnother =
      isStorable && calls.length % RESTART_EVERY === RESTART_EVERY - 1;
    calls.push(
      asksAnother
        ? {
            ...call,
            restarted: await new CompactionHook(options).view(reload(history)),
          }
        : call,
    );
    const isReported =
      reports === "all" || (reports === "some" && calls.length % 3 === 0);
    const reply = isReported
      ? reported(message, OVERHEAD + sum(viewed.map(count)), count(message))
      : message;
    history = [...history, reply];
    state = [...rewritten, reply];
    grown = [...viewed, reply];
  }
  return calls;
}

/** What a provider is sent of a list, byte for byte, and the ids. */
export function asSent(messages: readonly BaseMessage[]): string {
  return JSON.stringify(
    messages.map((message) => {
      const { id, type, content, name } = message;
      const { tool_calls, tool_call_id } = message as AIMessage & {
        tool_call_id?: string;
      };
      return { id, type, content, name, tool_calls, tool_call_id };
    }),
  );
}

/** The messages as a store gives them back; it takes no results without a call's id. */
function reload(messages: BaseMessage[]): BaseMessage[] {
  const stored = JSON.stringify(mapChatMessagesToStoredMessages(messages));
  return mapStoredMessagesToChatMessages(JSON.parse(stored));
}

function isSameList(
  one: readonly BaseMessage[],
  other: readonly BaseMessage[],
): boolean {
  return (
    one.length === other.length &&
    one.every((message, index) => message === other[index])
  );
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
