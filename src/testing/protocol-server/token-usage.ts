import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import type { ModelMessage, ModelTool } from "./model.js";
import type {
  Answer,
  ReadRequest,
  RequestSize,
  TokenUsage,
} from "./protocol.js";

/**
 * Counts requests and answers with `js-tiktoken` (`o200k_base`).
 *
 * Framing of messages and functions follows OpenAI's cookbook ("How to count
 * tokens with tiktoken"). For tool calls, nested schemas and other vendors no
 * rule is published; they are counted by the same one.
 */
export class TokenUsageCounter {
  // A conversation is sent again with each call, so most texts come again.
  #counts = new Map<string, number>();

  requestSize(request: ReadRequest): RequestSize {
    const system: ModelMessage = { role: "system", text: request.system };
    const messages = request.system
      ? [system, ...request.messages]
      : request.messages;
    return {
      messages:
        REPLY_FRAME + sum(messages, (message) => this.#message(message)),
      tools: this.#tools(request.tools),
      maxOutputTokens: request.maxOutputTokens,
    };
  }

  usage(size: RequestSize, answer: Answer): TokenUsage {
    const reasoning = this.#text(answer.reasoning);
    return {
      input: size.messages + size.tools,
      output:
        reasoning +
        this.#text(answer.text) +
        this.#text(answer.refusal) +
        sum(answer.toolCalls, (call) => this.#call(call)),
      reasoning,
    };
  }

  #message(message: ModelMessage): number {
    const size = MESSAGE_FRAME + this.#text(message.text);
    switch (message.role) {
      case "system":
        return size;
      case "assistant":
        return (
          size +
          this.#text(message.reasoning) +
          sum(message.toolCalls, (call) => this.#call(call))
        );
      default:
        return size + message.media * MEDIA_TOKENS;
    }
  }

  #call(call: { name: string; argsText: string }): number {
    return CALL_FRAME + this.#text(call.name) + this.#text(call.argsText);
  }

  #tools(tools: readonly ModelTool[]): number {
    if (tools.length === 0) {
      return 0;
    }
    const size = (tool: ModelTool): number =>
      FUNCTION_FRAME +
      this.#text(tool.name) +
      this.#text(tool.description) +
      this.#text(JSON.stringify(tool.parameters ?? {}));
    return FUNCTIONS_END + sum(tools, size);
  }

  #text(text: string): number {
    const known = this.#counts.get(text);
    if (known !== undefined) {
      return known;
    }
    if (this.#counts.size >= MAX_CACHED_TEXTS) {
      this.#counts.clear();
    }
    const count = countText(text);
    this.#counts.set(text, count);
    return count;
  }
}

const MAX_CACHED_TEXTS = 50_000;
const REPLY_FRAME = 3;
// Three for the frame, one for the role.
const MESSAGE_FRAME = 4;
const CALL_FRAME = 3;
const FUNCTION_FRAME = 7;
const FUNCTIONS_END = 12;
// What OpenAI takes for a picture of 1024 by 1024 pixels in high detail.
const MEDIA_TOKENS = 765;

// Building the tables takes most of a second: once per process, when needed.
let encoder: Tiktoken | undefined;

function countText(text: string): number {
  encoder ??= new Tiktoken(o200k);
  let count = 0;
  for (const part of withoutLongRuns(text)) {
    // The empty lists let `<|endoftext|>` in a tool result pass as plain text.
    count += encoder.encode(part, [], []).length;
  }
  return count;
}

/**
 * Cuts long runs of one kind of character.
 *
 * The tokenizer takes quadratic time for a run that its splitter leaves whole:
 * 8,000 spaces take seconds. A cut every 128 characters costs hardly a token.
 */
function* withoutLongRuns(text: string): Generator<string> {
  let start = 0;
  for (const run of text.matchAll(LONG_RUN)) {
    const end = run.index + run[0].length;
    yield text.slice(start, end);
    start = end;
  }
  yield text.slice(start);
}

const LONG_RUN =
  /[\p{L}\p{M}]{128}|\s{128}|[\r\n/]{128}|[^\s\p{L}\p{N}]{128}/gu;

function sum<T>(items: readonly T[], size: (item: T) => number): number {
  return items.reduce((total, item) => total + size(item), 0);
}
