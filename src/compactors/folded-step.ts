import type { BaseMessage } from "@langchain/core/messages";
import { roleOf } from "../conversation/message.js";
import { callsOf } from "../conversation/tool-calls.js";

/** One call of a step, with what came back. */
export interface FoldedCall {
  readonly name: string;
  /** Parsed, or the text that the provider sent. */
  readonly args: unknown;
  /** The text of its result; `undefined` where there was none. */
  readonly result: string | undefined;
  readonly isError: boolean;
}

/** A tool step that is to become one record. */
export interface FoldedStep {
  /** In the order in which they were made. */
  readonly calls: readonly FoldedCall[];
  /** The messages that go. They are the caller's and must not be changed. */
  readonly messages: readonly BaseMessage[];
}

/** Reads the calls of one step and what came back for each. */
export function readFoldedStep(messages: readonly BaseMessage[]): FoldedStep {
  const calls: Writable<FoldedCall>[] = [];
  const byId = new Map<string, Writable<FoldedCall>>();
  let unanswered = 0;
  for (const message of messages) {
    if (roleOf(message) === "ai") {
      const { valid, invalid } = callsOf(message);
      for (const { id, name = "a tool", args } of [...valid, ...invalid]) {
        const call = { name, args, result: undefined, isError: false };
        calls.push(call);
        byId.set(id ?? "", call);
      }
      continue;
    }
    for (const { id, text, isError } of answersIn(message)) {
      while (calls[unanswered]?.result !== undefined) {
        unanswered += 1;
      }
      // A result without an id is for the first call that has none yet.
      const call = (id ? byId.get(id) : undefined) ?? calls[unanswered];
      if (call !== undefined) {
        call.result =
          call.result === undefined ? text : `${call.result}\n${text}`;
        call.isError ||= isError;
      }
    }
  }
  return { calls, messages };
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

interface AnswerText {
  readonly id: string | undefined;
  readonly text: string;
  readonly isError: boolean;
}

function answersIn(message: BaseMessage): AnswerText[] {
  const { tool_call_id, status } = message as {
    tool_call_id?: string;
    status?: unknown;
  };
  if (roleOf(message) === "tool") {
    const text = textOf(message.content);
    return [{ id: tool_call_id, text, isError: status === "error" }];
  }
  return (message.content as AnthropicResult[]).map((block) => ({
    id: block.tool_use_id,
    text: textOf(block.content),
    isError: block.is_error === true,
  }));
}

interface AnthropicResult {
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: unknown;
}

/** The text of a content, with a word for each block that has none. */
function textOf(content: unknown): string {
  if (typeof content === "string") {
    return content;
  }
  return Array.isArray(content) ? content.map(blockText).join("\n") : "";
}

function blockText(block: unknown): string {
  if (typeof block === "string") {
    return block;
  }
  const { text, type } = (block ?? {}) as { text?: unknown; type?: unknown };
  return typeof text === "string"
    ? text
    : `[${typeof type === "string" ? type : "data"}]`;
}
