import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
  type MessageContent,
} from "@langchain/core/messages";

// The corpus' line format, read into LangChain's messages.

interface RecordedMessage {
  role: "system" | "developer" | "user" | "assistant" | "tool";
  content: string | Record<string, unknown>[] | null;
  tool_calls?:
    | { id?: string; function: { name: string; arguments?: string } }[]
    | null;
  tool_call_id?: string;
  name?: string;
  is_error?: boolean;
  reasoning_content?: string;
}

interface RecordedConversation {
  id: string;
  format: "openai" | "anthropic" | "responses" | "gemini";
  messages: RecordedMessage[];
}

export interface Conversation {
  id: string;
  messages: BaseMessage[];
}

export const CORPUS = "corpus/conversations.jsonl.gz";

/** The lines as conversations; every message gets an id. */
export function toConversations(lines: readonly unknown[]): Conversation[] {
  return (lines as RecordedConversation[]).map(({ id, messages }) => ({
    id,
    messages: messages.map((message, index) => toMessage(message, `m${index}`)),
  }));
}

function toMessage(recorded: RecordedMessage, id: string): BaseMessage {
  const content = (recorded.content ?? "") as MessageContent;
  switch (recorded.role) {
    case "user":
      return new HumanMessage({ id, content });
    case "system":
      return new SystemMessage({ id, content });
    case "developer":
      return new SystemMessage({
        id,
        content,
        additional_kwargs: { __openai_role__: "developer" },
      });
    case "tool":
      return new ToolMessage({
        id,
        content,
        // Some recordings never had one.
        tool_call_id: recorded.tool_call_id as string,
        ...(recorded.name === undefined ? {} : { name: recorded.name }),
        ...(recorded.is_error ? { status: "error" as const } : {}),
      });
    case "assistant":
      return new AIMessage({
        id,
        content,
        ...toCalls(recorded),
        additional_kwargs:
          recorded.reasoning_content === undefined
            ? {}
            : { reasoning_content: recorded.reasoning_content },
      });
  }
}

type Calls = Pick<AIMessage, "tool_calls" | "invalid_tool_calls">;

function toCalls({ tool_calls }: RecordedMessage): Required<Calls> {
  const calls: Required<Calls> = { tool_calls: [], invalid_tool_calls: [] };
  for (const { id, function: called } of tool_calls ?? []) {
    const args = called.arguments ?? "";
    const call = { ...(id === undefined ? {} : { id }), name: called.name };
    const parsed = parseArguments(args);
    if (parsed === null) {
      calls.invalid_tool_calls.push({
        ...call,
        args,
        type: "invalid_tool_call",
      });
    } else {
      calls.tool_calls.push({ ...call, args: parsed, type: "tool_call" });
    }
  }
  return calls;
}

function parseArguments(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text === "" ? "{}" : text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
