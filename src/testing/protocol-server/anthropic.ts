import { blocksOf } from "./anthropic-blocks.js";
import { anthropicProblems } from "./anthropic-rules.js";
import { objectOr, objectsIn, textOr, type Json } from "./json.js";
import type { ModelFailure, ModelMessage } from "./model.js";
import { pieces } from "./pieces.js";
import type {
  Answer,
  Protocol,
  ProviderProblem,
  ReadRequest,
  ServerSentEvent,
  Turn,
} from "./protocol.js";
import { signatureOf } from "./thinking-signature.js";

/** Anthropic's messages. */
export const anthropic: Protocol = {
  name: "anthropic",
  path: "/v1/messages",
  toolCallPrefix: "toolu_",
  problems: anthropicProblems,
  read: readAnthropic,
  overflow: ({ messages, tools }, contextWindow) => ({
    message: `prompt is too long: ${messages + tools} tokens > ${contextWindow} maximum`,
  }),
  errorBody: (problem) => ({
    type: "error",
    error: {
      type: problem.type ?? "invalid_request_error",
      message: problem.message,
    },
  }),
  failure: anthropicFailure,
  answerBody: (answer, turn) => ({
    ...messageBody(turn),
    content: contentBlocks(answer),
    stop_reason: stopReason(answer),
    usage: usageBody(turn.usage.input, turn.usage.output),
  }),
  answerEvents,
};

function readAnthropic(body: Json): ReadRequest {
  return {
    model: textOr(body.model),
    system: textOr(body.system) || textsOf(objectsIn(body.system)).join("\n"),
    messages: objectsIn(body.messages).flatMap(readMessage),
    tools: objectsIn(body.tools).map((tool) => ({
      name: textOr(tool.name),
      description: textOr(tool.description),
      parameters: tool.input_schema,
    })),
    stream: body.stream === true,
    // Current models accept a limit that reaches beyond the window.
    maxOutputTokens: 0,
  };
}

function readMessage(message: Json): ModelMessage[] {
  const blocks = blocksOf(message);
  if (message.role === "assistant") {
    return [readAssistant(blocks)];
  }
  const results = blocks.filter((block) => block.type === "tool_result");
  const rest = blocks.filter((block) => block.type !== "tool_result");
  const messages = results.map(readResult);
  if (rest.length > 0) {
    const text = textsOf(rest).join("");
    messages.push({ role: "user", text, media: mediaIn(rest) });
  }
  return messages;
}

function readAssistant(blocks: readonly Json[]): ModelMessage {
  return {
    role: "assistant",
    text: textsOf(blocks).join(""),
    reasoning: blocks.map((block) => textOr(block.thinking)).join(""),
    toolCalls: blocks
      .filter((block) => block.type === "tool_use")
      .map((block) => ({
        id: textOr(block.id),
        name: textOr(block.name),
        args: objectOr(block.input),
        argsText: JSON.stringify(block.input),
      })),
  };
}

function readResult(block: Json): ModelMessage {
  const parts = objectsIn(block.content);
  return {
    role: "tool",
    toolCallId: textOr(block.tool_use_id),
    text: textOr(block.content) || textsOf(parts).join(""),
    media: mediaIn(parts),
  };
}

function textsOf(blocks: readonly Json[]): string[] {
  return blocks.map((block) => textOr(block.text));
}

function mediaIn(blocks: readonly Json[]): number {
  const media = ["image", "document"];
  return blocks.filter((block) => media.includes(textOr(block.type))).length;
}

function anthropicFailure(failure: ModelFailure): ProviderProblem {
  const type =
    ERROR_TYPES[failure.status] ??
    (failure.status >= 500 ? "api_error" : "invalid_request_error");
  return { message: "The request failed.", type, ...failure };
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function messageBody(turn: Turn): Json {
  return {
    id: turn.newId("msg_"),
    type: "message",
    role: "assistant",
    model: turn.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usageBody(turn.usage.input, 0),
  };
}

function usageBody(input: number, output: number): Json {
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: output,
  };
}

function contentBlocks(answer: Answer): Json[] {
  const blocks: Json[] = [];
  if (answer.reasoning !== "") {
    const signature = signatureOf(answer.reasoning);
    blocks.push({ type: "thinking", thinking: answer.reasoning, signature });
  }
  // A refusal is plain text here; the stop reason tells it apart.
  const text = answer.text + answer.refusal;
  if (text !== "") {
    blocks.push({ type: "text", text });
  }
  for (const { id, name, args } of answer.toolCalls) {
    blocks.push({ type: "tool_use", id, name, input: args });
  }
  return blocks;
}

function stopReason(answer: Answer): string {
  if (answer.refusal !== "") {
    return "refusal";
  }
  return answer.toolCalls.length > 0 ? "tool_use" : "end_turn";
}

function* answerEvents(answer: Answer, turn: Turn): Generator<ServerSentEvent> {
  const event = (type: string, data: Json): ServerSentEvent => ({
    event: type,
    data: { type, ...data },
  });
  yield event("message_start", { message: messageBody(turn) });
  for (const [index, block] of contentBlocks(answer).entries()) {
    const content_block = { ...block, ...EMPTY[textOr(block.type)] };
    yield event("content_block_start", { index, content_block });
    for (const delta of blockDeltas(block, answer.chunks)) {
      yield event("content_block_delta", { index, delta });
    }
    yield event("content_block_stop", { index });
  }
  yield event("message_delta", {
    delta: { stop_reason: stopReason(answer), stop_sequence: null },
    usage: { output_tokens: turn.usage.output },
  });
  yield event("message_stop", {});
}

// What a block lacks when it is announced.
const EMPTY: Readonly<Record<string, Json>> = {
  thinking: { thinking: "", signature: "" },
  text: { text: "" },
  tool_use: { input: {} },
};

function* blockDeltas(block: Json, chunks: number): Generator<Json> {
  switch (block.type) {
    case "thinking":
      for (const thinking of pieces(textOr(block.thinking), chunks)) {
        yield { type: "thinking_delta", thinking };
      }
      yield { type: "signature_delta", signature: block.signature };
      break;
    case "text":
      for (const text of pieces(textOr(block.text), chunks)) {
        yield { type: "text_delta", text };
      }
      break;
    default:
      for (const json of pieces(JSON.stringify(block.input), chunks)) {
        yield { type: "input_json_delta", partial_json: json };
      }
  }
}
