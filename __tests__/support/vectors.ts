import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";

// The golden vectors' format, and their messages as LangChain's.

export interface VectorMessage {
  id: string;
  role: "system" | "user" | "assistant" | "tool";
  content: string | null;
  tokens: number;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
  name?: string;
  is_error?: boolean;
  metadata?: Record<string, unknown>;
}

export interface VectorNote {
  position: number;
  text: string | null;
  num_removed: number;
  metadata: {
    context_compaction: { removed_messages: number; kept_messages: number };
  };
  tokens: number;
}

export interface VectorWindow {
  order: string[];
  kept: string[];
  removed: string[];
  notes: VectorNote[];
  tokens_before: number;
  tokens_after: number;
}

export interface OmissionNote {
  kind: "default" | "custom" | "none" | "empty";
  template?: string;
}

export interface SlidingRow {
  id: string;
  source: string;
  params: { min_keep_steps: number; omission_note: OmissionNote };
  counter: { note_tokens: number };
  target: number;
  messages: VectorMessage[];
  expected: VectorWindow | null;
  clean: boolean;
  plain: boolean;
}

export interface SlidingRoundsRow {
  id: string;
  source: string;
  params: { min_keep_steps: number; omission_note: OmissionNote };
  counter: { note_tokens: number };
  messages: VectorMessage[];
  rounds: {
    target: number;
    expected: VectorWindow | null;
    append_after: VectorMessage[];
  }[];
}

export interface HookCompactor {
  kind: "scripted" | "sliding_window" | "tool_result_pruning";
  returns?: string[] | null;
  min_keep_steps?: number;
  min_tokens?: number;
  omission_note?: OmissionNote;
}

export interface HookRow {
  id: string;
  source: string;
  tags: string[];
  counter: { note_tokens: number; placeholder_tokens: number };
  context_tokens: number;
  tools: { name: string; tokens: number }[];
  hooks: {
    context_window: number;
    compact_at: number;
    compact_to: number;
    compactor: HookCompactor;
  }[];
  messages: VectorMessage[];
  expected: {
    estimated: number;
    triggered: boolean;
    target_tokens: number | null;
    overhead: number | null;
    warns_counter_too_high: boolean;
    compacted: boolean;
    order: string[];
    made: { position: number; kind: string; id: string; tokens: number }[];
    context_tokens_after: number;
  }[];
  clean: boolean;
}

export interface ConfigRow {
  id: string;
  strategy: "config";
  what: string;
  params: Record<string, number>;
  expected: "ok" | "invalid";
}

export const DEFAULT_NOTE =
  "[{num_removed} earlier messages were removed from this conversation to free up context.]";

/** The note option that a row's setting stands for. */
export function noteOption(note: OmissionNote): string | null {
  switch (note.kind) {
    case "default":
      return DEFAULT_NOTE;
    case "custom":
      return note.template ?? "";
    default:
      return null;
  }
}

export function toMessage(row: VectorMessage): BaseMessage {
  const fields = {
    id: row.id,
    content: row.content ?? "",
    additional_kwargs: ourMarks(row.metadata),
  };
  switch (row.role) {
    case "system":
      return new SystemMessage(fields);
    case "user":
      return new HumanMessage(fields);
    case "assistant":
      return new AIMessage({
        ...fields,
        tool_calls: (row.tool_calls ?? []).map((call) => ({
          id: call.id,
          name: call.function.name,
          args: JSON.parse(call.function.arguments) as Record<string, unknown>,
          type: "tool_call" as const,
        })),
      });
    case "tool":
      return new ToolMessage({
        ...fields,
        tool_call_id: row.tool_call_id as string,
        ...(row.name === undefined ? {} : { name: row.name }),
        ...(row.is_error ? { status: "error" as const } : {}),
      });
  }
}

const OUR_WORDS: Readonly<Record<string, string>> = {
  sliding_window: "sliding-window",
  tool_result_pruning: "tool-result-pruning",
  removed_messages: "removedMessages",
  kept_messages: "keptMessages",
  summarized_messages: "summarizedMessages",
  original_tokens: "originalTokens",
};

/** A mark of the reference in our words; what is no such mark stays what it is. */
function ourMarks(
  metadata: Record<string, unknown> = {},
): Record<string, unknown> {
  const mark = metadata["context_compaction"];
  if (typeof mark !== "object" || mark === null || Array.isArray(mark)) {
    return { ...metadata };
  }
  const ours = Object.fromEntries(
    Object.entries(mark).map(([name, value]) => [
      OUR_WORDS[name] ?? name,
      typeof value === "string" ? (OUR_WORDS[value] ?? value) : value,
    ]),
  );
  return { ...metadata, context_compaction: ours };
}

/** Counts by id: what the row says, and `otherTokens` for what is made on the way. */
export function countById(
  rows: readonly VectorMessage[],
  otherTokens: number,
): (message: BaseMessage) => number {
  const tokens = new Map(rows.map((row) => [row.id, row.tokens]));
  return (message) => tokens.get(message.id ?? "") ?? otherTokens;
}
