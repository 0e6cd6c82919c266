import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
  type MessageContent,
} from "@langchain/core/messages";

/** One tool call in short form: its id, or its id and more. */
export type ShortCall =
  | string
  | { id?: string; name?: string; args?: Record<string, unknown> };

interface More {
  id?: string;
  content?: MessageContent;
  additional_kwargs?: Record<string, unknown>;
  response_metadata?: Record<string, unknown>;
}

export function system(id: string, more: More = {}): SystemMessage {
  return new SystemMessage({ id, content: `instruction ${id}`, ...more });
}

export function human(id: string, more: More = {}): HumanMessage {
  return new HumanMessage({ id, content: `question ${id}`, ...more });
}

export function ai(
  id: string,
  calls: readonly ShortCall[] = [],
  more: More & { usage?: [input: number, output: number] } = {},
): AIMessage {
  const { usage, ...fields } = more;
  return new AIMessage({
    id,
    content: calls.length > 0 ? "" : `answer ${id}`,
    tool_calls: calls.map((call) => {
      const {
        id: callId,
        name,
        args,
      } = typeof call === "string"
        ? { id: call, name: undefined, args: undefined }
        : call;
      return {
        ...(callId === undefined ? {} : { id: callId }),
        name: name ?? "look_up",
        args: args ?? {},
        type: "tool_call" as const,
      };
    }),
    ...(usage === undefined
      ? {}
      : {
          usage_metadata: {
            input_tokens: usage[0],
            output_tokens: usage[1],
            total_tokens: usage[0] + usage[1],
          },
        }),
    ...fields,
  });
}

/** A tool result; without `callId` it says nothing of the call that it answers. */
export function tool(
  id: string,
  callId?: string,
  more: More = {},
): ToolMessage {
  return new ToolMessage({
    id,
    content: `result ${id}`,
    // Recordings hold results without an id, though core's types forbid them.
    tool_call_id: callId as string,
    name: "look_up",
    ...more,
  });
}

/** A note as an earlier pass of the sliding window left it. */
export function note(
  id: string,
  removedMessages: number,
  more: More & { strategy?: string; keptMessages?: number } = {},
): HumanMessage {
  const { strategy = "sliding-window", keptMessages = 1, ...fields } = more;
  return new HumanMessage({
    id,
    content: `[${removedMessages} earlier messages were removed]`,
    additional_kwargs: {
      context_compaction: { strategy, removedMessages, keptMessages },
    },
    ...fields,
  });
}

/** A summary of ours that stands for a number of original messages. */
export function summary(id: string, summarizedMessages: number): HumanMessage {
  return new HumanMessage({
    id,
    content: `summary ${id}`,
    additional_kwargs: {
      context_compaction: { strategy: "summarization", summarizedMessages },
    },
  });
}

/** A record that stands for a folded tool step. */
export function collapse(id: string, collapsedMessages: number): HumanMessage {
  return new HumanMessage({
    id,
    content: `record ${id}`,
    additional_kwargs: {
      context_compaction: { strategy: "tool-call-collapse", collapsedMessages },
    },
  });
}

/** The ids of a list, in order; `?` where a message has none. */
export function idsOf(messages: readonly BaseMessage[]): string[] {
  return messages.map((message) => message.id ?? "?");
}
