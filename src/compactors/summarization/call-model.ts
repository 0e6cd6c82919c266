import {
  type BaseMessage,
  HumanMessage,
  SystemMessage,
} from "@langchain/core/messages";
import { mergeConfigs, type RunnableConfig } from "@langchain/core/runnables";
import { untilAborted } from "../../until-aborted.js";
import type { ModelCall } from "../compactor.js";
import { readAnswer, unusable } from "./read-answer.js";

/** A chat model, or whatever else answers messages with a message or a text. */
export interface SummarizationModel {
  invoke(
    messages: BaseMessage[],
    options?: Partial<RunnableConfig>,
  ): Promise<BaseMessage | string>;
}

/** What every call of one pass has in common. */
export interface CallSetting {
  readonly model: SummarizationModel;
  readonly prompt: string;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** The run that the call is part of. */
  readonly config: Partial<RunnableConfig> | undefined;
  readonly onModelCall: ((call: ModelCall) => void) | undefined;
}

/**
 * One call of the summariser: its summary of a text.
 *
 * The run has a name and tags of its own, by which LangGraph keeps its tokens
 * out of `streamMode: "messages"`; LangChain's own summaries bear the same
 * metadata.
 *
 * @throws CompactionError `SUMMARIZATION_FAILED` where the model fails (its
 *   error is the cause), takes too long or answers with no whole summary; the
 *   signal's reason where that is aborted
 */
export async function askForSummary(
  conversation: string,
  { model, prompt, timeoutMs, signal, config, onModelCall }: CallSetting,
): Promise<string> {
  const limit =
    timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const callConfig = mergeConfigs(
    config,
    {
      runName: "ConversationSummary",
      tags: ["nostream", "langsmith:nostream"],
      metadata: { lc_source: "summarization" },
    },
    signal && { signal },
    limit && { signal: limit },
  );
  let answer: BaseMessage | string;
  try {
    const call = model.invoke(
      [new SystemMessage(prompt), new HumanMessage(conversation)],
      callConfig,
    );
    // A client may not heed signals.
    answer = await untilAborted(untilAborted(call, limit), signal);
  } catch (cause) {
    signal?.throwIfAborted();
    onModelCall?.({ inputTokens: 0, outputTokens: 0 });
    if (limit?.aborted) {
      throw unusable(
        `The summariser did not answer within ${timeoutMs} milliseconds (timeoutMs).`,
        cause,
      );
    }
    throw unusable(
      `The summariser failed: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  }
  onModelCall?.(usageOf(answer));
  return readAnswer(answer);
}

function usageOf(answer: BaseMessage | string): ModelCall {
  const { usage_metadata: usage } = (answer ?? {}) as {
    usage_metadata?: { input_tokens?: number; output_tokens?: number };
  };
  return {
    inputTokens: usage?.input_tokens ?? 0,
    outputTokens: usage?.output_tokens ?? 0,
  };
}
