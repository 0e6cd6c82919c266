import type { BaseMessage } from "@langchain/core/messages";
import { roleOf } from "../../conversation/message.js";
import { answeredIdsOf, callsOf } from "../../conversation/tool-calls.js";

/** One entry of the text that a summariser reads. */
export interface TranscriptEntry {
  readonly tag:
    | "user"
    | "assistant"
    | "tool_call"
    | "tool_result"
    | "earlier_summary"
    | "note";
  /** With a blank before each. */
  readonly attributes: string;
  readonly body: string;
}

/** An entry as text; tags of ours inside it are no tags any more. */
export function renderEntry({
  tag,
  attributes,
  body,
}: TranscriptEntry): string {
  return `<${tag}${attributes}>\n${escapeTags(body)}\n</${tag}>`;
}

/** An earlier summary, which is no part of what was said. */
export function summaryEntry(summary: string): TranscriptEntry {
  return { tag: "earlier_summary", attributes: "", body: summary };
}

/**
 * What a message says, call and result by their ids, with a word for each attachment.
 *
 * Reasoning is left out: it led to what was said and done.
 *
 * @param isMade whether a compactor made the message, so that it is nobody's words
 */
export function entriesOf(
  message: BaseMessage,
  isMade: boolean,
): TranscriptEntry[] {
  const body = textOf(message.content);
  if (roleOf(message) === "ai") {
    const spoken = body.trim() === "" ? [] : [entry("assistant", body)];
    return [...spoken, ...callEntries(message)];
  }
  const answered = answeredIdsOf(message);
  if (answered.length > 0) {
    return [resultEntry(message, answered, body)];
  }
  const isUser = roleOf(message) === "human" && !isMade;
  return [entry(isUser ? "user" : "note", body)];
}

/** Text in which none of the tags that frame a transcript or a summary is a tag. */
export function escapeTags(text: string): string {
  return text.replace(OUR_TAGS, "&lt;");
}

const OUR_TAGS =
  /<(?=[\s/]*(?:conversation|conversation_summary|earlier_summary|user|assistant|tool_call|tool_result|note)\b)/gi;

function resultEntry(
  message: BaseMessage,
  answered: readonly (string | undefined)[],
  body: string,
): TranscriptEntry {
  const { status, name } = message as BaseMessage & { status?: unknown };
  return entry("tool_result", body, {
    id: answered.filter((id) => id !== undefined).join(" "),
    name,
    status: status === "error" ? "error" : undefined,
  });
}

function callEntries(message: BaseMessage): TranscriptEntry[] {
  const { valid, invalid } = callsOf(message);
  return [...valid, ...invalid].map(({ id, name, args }) =>
    entry(
      "tool_call",
      typeof args === "string" ? args : JSON.stringify(args ?? {}),
      { id, name },
    ),
  );
}

function entry(
  tag: TranscriptEntry["tag"],
  body: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
): TranscriptEntry {
  const given = Object.entries(attributes).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  return {
    tag,
    body,
    attributes: given
      .map(
        ([name, value]) =>
          ` ${name}=${JSON.stringify(value).replace(/[<>]/g, "")}`,
      )
      .join(""),
  };
}

/** What is called or thought stands elsewhere, or nowhere. */
const UNSPOKEN: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_call",
  "tool_call_chunk",
  "function_call",
  "input_json_delta",
  "reasoning",
  "reasoning_content",
  "thinking",
  "redacted_thinking",
]);

/** The text of a content, blocks one below the other. */
export function textOf(content: unknown): string {
  return typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content
          .map(blockText)
          .filter((text) => text !== "")
          .join("\n")
      : "";
}

function blockText(block: unknown): string {
  if (typeof block !== "object" || block === null) {
    return typeof block === "string" ? block : "";
  }
  const { type, text, refusal, content, name, filename } = block as Record<
    string,
    unknown
  >;
  if (UNSPOKEN.has(type)) {
    return "";
  }
  const said = text ?? refusal;
  if (typeof said === "string") {
    return said;
  }
  if (type === "tool_result") {
    return textOf(content);
  }
  const kind = typeof type === "string" ? type : "attachment";
  const title = filename ?? name;
  return typeof title === "string" ? `[${kind}: ${title}]` : `[${kind}]`;
}
