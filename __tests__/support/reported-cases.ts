import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
  type MessageContent,
} from "@langchain/core/messages";

// The format of reported cases, read into LangChain's messages.

export interface ReportedCase {
  n: number;
  kind: string;
  input: CaseMessage[];
  settings: {
    counter: string;
    budget: number | string;
    effective_budget?: number;
    target?: number;
    overhead?: number;
    costs?: Record<string, number>;
  };
  check: {
    keep?: string[];
    keep_at_least?: string[];
    drop_at_least?: string[];
    together?: string[][];
    unchanged?: string[];
    note?: boolean;
    note_count?: number;
    over_budget?: boolean;
    idempotent?: boolean;
  };
}

interface CaseMessage {
  type: "system" | "human" | "ai" | "AIMessageChunk" | "tool";
  id?: string;
  content: MessageContent;
  tool_calls?: { id: string; name: string; args: Record<string, unknown> }[];
  invalid_tool_calls?: {
    id: string;
    name: string;
    args: string;
    error: string;
  }[];
  additional_kwargs?: Record<string, unknown>;
  usage_metadata?: {
    input_tokens: number;
    output_tokens: number;
    total_tokens: number;
  };
  tool_call_id?: string;
  status?: "error";
}

export const CASES = "cases/reports.jsonl";

export function toCaseMessage(message: CaseMessage): BaseMessage {
  const { type, id, content } = message;
  const kwargs = ourNote(message.additional_kwargs);
  const fields = {
    content,
    ...(id === undefined ? {} : { id }),
    additional_kwargs: kwargs,
  };
  switch (type) {
    case "system":
      return new SystemMessage(fields);
    case "human":
      return new HumanMessage(fields);
    case "tool":
      return new ToolMessage({
        ...fields,
        tool_call_id: message.tool_call_id!,
        ...(message.status === undefined ? {} : { status: message.status }),
      });
    case "AIMessageChunk":
      return new AIMessageChunk({ ...fields, ...callsOf(message) });
    case "ai": {
      const { tool_calls: raw, ...rest } = kwargs;
      const ai = new AIMessage({
        ...fields,
        ...callsOf(message),
        additional_kwargs: rest,
        ...(message.usage_metadata === undefined
          ? {}
          : { usage_metadata: message.usage_metadata }),
      });
      // The constructor would warn of raw calls beside an empty list.
      return raw === undefined
        ? ai
        : Object.assign(ai, {
            additional_kwargs: { ...rest, tool_calls: raw },
          });
    }
  }
}

function callsOf({
  tool_calls = [],
  invalid_tool_calls = [],
}: CaseMessage): Pick<AIMessage, "tool_calls" | "invalid_tool_calls"> {
  return {
    tool_calls: tool_calls.map((call) => ({
      ...call,
      type: "tool_call" as const,
    })),
    invalid_tool_calls: invalid_tool_calls.map((call) => ({
      ...call,
      type: "invalid_tool_call" as const,
    })),
  };
}

/** A case's "own note" as ours. */
function ourNote(
  kwargs: Record<string, unknown> = {},
): Record<string, unknown> {
  const { compaction_note: mark, ...rest } = kwargs;
  return mark === undefined
    ? kwargs
    : {
        ...rest,
        context_compaction: {
          strategy: "sliding-window",
          removedMessages: (mark as { omitted: number }).omitted,
          keptMessages: 1,
        },
      };
}
