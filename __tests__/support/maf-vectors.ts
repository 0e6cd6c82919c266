import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import type { Condition, ContextSize } from "../../src/index.js";
import type { ConversationMetrics } from "../../src/index.js";

// The format of the vectors from Microsoft Agent Framework, and what of it
// the package is given.

export interface MafMessage {
  id: string;
  role: "system" | "user" | "assistant" | "tool";
  content: string | null;
  tokens: number;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
  name?: string;
  reasoning?: string;
  plain?: boolean;
  metadata?: { _is_summary?: unknown };
}

export type MafCondition =
  | "always"
  | "never"
  | { turns_exceed: number }
  | { tokens_exceed: number }
  | { messages_exceed: number }
  | { groups_exceed: number }
  | { tokens_below: number }
  | { has_tool_calls: true }
  | { all: MafCondition[] }
  | { any: MafCondition[] }
  | { after_checks: number };

export type MafStrategy =
  | {
      kind: "sliding_window";
      trigger: MafCondition;
      target: MafCondition | null;
      minimum_preserved_turns: number;
    }
  | {
      kind: "truncation" | "tool_result";
      trigger: MafCondition;
      target: MafCondition | null;
      minimum_preserved_groups: number;
    };

export interface MafContextWindow {
  kind: "context_window";
  max_context_window_tokens: number;
  max_output_tokens: number;
  tool_eviction_threshold: number;
  truncation_threshold: number;
}

export interface MafPipeline {
  kind: "pipeline";
  strategies: MafStrategy[];
}

export type MafParams = MafStrategy | MafContextWindow | MafPipeline;

export interface MafGroup {
  kind: "system" | "user" | "assistant_text" | "tool_call" | "summary";
  ids: string[];
  turn: number | null;
  tokens: number;
}

export interface MafMetrics {
  included_tokens: number;
  included_messages: number;
  included_groups: number;
  included_turns: number;
}

export interface MafGroupingRow {
  id: string;
  source: string;
  messages: MafMessage[];
  expected: { groups: MafGroup[]; metrics: MafMetrics };
}

export interface MafRow {
  id: string;
  source: string;
  strategy: string;
  params: MafParams;
  pre_excluded_groups: number[];
  groups_before: MafGroup[];
  counter: { collapsed_tokens: number };
  messages: MafMessage[];
  expected: {
    order: string[];
    notes: { id: string; replaces: string[] }[];
  } | null;
  clean: boolean;
}

/** A message of a row as LangChain's; a mark of the reference becomes ours. */
export function toMafMessage(row: MafMessage): BaseMessage {
  const { id, content, reasoning } = row;
  switch (row.role) {
    case "system":
      return new SystemMessage({ id, content: content ?? "" });
    case "user":
      return new HumanMessage({ id, content: content ?? "" });
    case "assistant":
      return new AIMessage({
        id,
        content:
          reasoning === undefined
            ? (content ?? "")
            : [
                { type: "reasoning", reasoning },
                ...(content === null ? [] : [{ type: "text", text: content }]),
              ],
        tool_calls: (row.tool_calls ?? []).map((call) => ({
          id: call.id,
          name: call.function.name,
          args: JSON.parse(call.function.arguments) as Record<string, unknown>,
          type: "tool_call" as const,
        })),
        additional_kwargs:
          row.metadata?._is_summary === true
            ? {
                context_compaction: {
                  strategy: "tool-call-collapse",
                  collapsedMessages: 1,
                },
              }
            : {},
      });
    case "tool":
      return new ToolMessage({
        id,
        content: content ?? "",
        // A result of text alone says nothing of the call that it answers.
        tool_call_id: (row.plain ? undefined : row.tool_call_id) as string,
        ...(row.name === undefined ? {} : { name: row.name }),
      });
  }
}

/** "Exceeds n" is a size of n + 1: ours holds at or above. */
const SIZES: Readonly<Record<string, keyof ContextSize>> = {
  turns_exceed: "turns",
  tokens_exceed: "tokens",
  messages_exceed: "messages",
  groups_exceed: "groups",
};

/** A trigger of the reference: a size wherever one says the same, else a predicate. */
export function toTrigger(condition: MafCondition): Condition {
  if (typeof condition === "object") {
    const size = toSize(condition);
    if (size !== null) {
      return size;
    }
    if ("any" in condition) {
      const sizes = condition.any.map(toSize);
      if (sizes.every((one): one is ContextSize => one !== null)) {
        return sizes;
      }
    }
  }
  return toPredicate(condition);
}

function toSize(condition: MafCondition): ContextSize | null {
  if (typeof condition !== "object") {
    return null;
  }
  if ("has_tool_calls" in condition) {
    return { toolCalls: 1 };
  }
  if ("all" in condition) {
    const sizes = condition.all.map(toSize);
    const keys = sizes.flatMap((size) => Object.keys(size ?? {}));
    return sizes.includes(null) || new Set(keys).size < keys.length
      ? null
      : Object.assign({}, ...sizes);
  }
  const [[name, number]] = Object.entries(condition) as [[string, number]];
  const key = SIZES[name];
  return key === undefined ? null : { [key]: number + 1 };
}

/** The same as a predicate, which is asked after each removal and never before. */
export function toPredicate(
  condition: MafCondition,
): (metrics: ConversationMetrics) => boolean {
  if (condition === "always" || condition === "never") {
    return () => condition === "always";
  }
  if ("all" in condition) {
    const all = condition.all.map(toPredicate);
    return (metrics) => all.every((one) => one(metrics));
  }
  if ("any" in condition) {
    const any = condition.any.map(toPredicate);
    return (metrics) => any.some((one) => one(metrics));
  }
  if ("has_tool_calls" in condition) {
    return ({ toolCalls }) => toolCalls > 0;
  }
  if ("tokens_below" in condition) {
    return ({ tokens }) => tokens < condition.tokens_below;
  }
  if ("after_checks" in condition) {
    let checks = 0;
    return () => ++checks >= condition.after_checks;
  }
  const [[name, number]] = Object.entries(condition) as [[string, number]];
  return (metrics) =>
    metrics[SIZES[name] as keyof ConversationMetrics] > number;
}
