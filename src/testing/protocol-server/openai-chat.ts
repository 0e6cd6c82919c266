import { objectOr, objectsIn, parseObject, textOr, type Json } from "./json.js";
import type { ModelMessage, ModelTool, SentToolCall } from "./model.js";
import { chatProblems } from "./openai-chat-rules.js";
import { openAIErrorBody, openAIFailure } from "./openai-problems.js";
import { readText } from "./openai-text.js";
import { pieces } from "./pieces.js";
import type {
  Answer,
  AnswerToolCall,
  Protocol,
  ProviderProblem,
  ReadRequest,
  RequestSize,
  ServerSentEvent,
  TokenUsage,
  Turn,
} from "./protocol.js";
import { splitSystem } from "./split-system.js";

/** OpenAI's chat completions. */
export const openAIChat: Protocol = {
  name: "openai",
  path: "/v1/chat/completions",
  toolCallPrefix: "call_",
  problems: chatProblems,
  read: readChat,
  overflow: chatOverflow,
  errorBody: openAIErrorBody,
  failure: openAIFailure,
  answerBody,
  answerEvents,
};

function readChat(body: Json): ReadRequest {
  return {
    model: textOr(body.model),
    ...splitSystem(objectsIn(body.messages).map(readMessage)),
    tools: objectsIn(body.tools).map(readTool),
    stream: body.stream === true,
    maxOutputTokens: Number(body.max_completion_tokens ?? body.max_tokens ?? 0),
  };
}

function readMessage(message: Json): ModelMessage {
  const text = readText(message.content);
  const media = objectsIn(message.content).filter(
    (part) => part.type !== "text" && part.type !== "refusal",
  ).length;
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", text };
    case "assistant":
      return {
        role: "assistant",
        text: text || textOr(message.refusal),
        reasoning: "",
        toolCalls: objectsIn(message.tool_calls).map(readCall),
      };
    case "tool":
      return {
        role: "tool",
        toolCallId: textOr(message.tool_call_id),
        text,
        media,
      };
    default:
      return { role: "user", text, media };
  }
}

function readCall(call: Json): SentToolCall {
  const definition = objectOr(call.function ?? call.custom);
  const argsText = textOr(definition.arguments ?? definition.input);
  return {
    id: textOr(call.id),
    name: textOr(definition.name),
    args: parseObject(argsText),
    argsText,
  };
}

function readTool(tool: Json): ModelTool {
  const definition = objectOr(tool.function ?? tool.custom);
  return {
    name: textOr(definition.name),
    description: textOr(definition.description),
    parameters: definition.parameters,
  };
}

/**
 * The wording matters more than the code: clients recognise the overflow by it.
 * It has a form for plain messages, one for tools and one for reserved output.
 */
function chatOverflow(
  { messages, tools, maxOutputTokens }: RequestSize,
  contextWindow: number,
): ProviderProblem {
  const input = messages + tools;
  const parts = [`${messages} in the messages`];
  if (tools > 0) {
    parts.push(`${tools} in the functions`);
  }
  const names = tools > 0 ? ["messages", "functions"] : ["messages"];
  let excess = `your messages resulted in ${input} tokens`;
  if (input <= contextWindow) {
    parts.push(`${maxOutputTokens} in the completion`);
    names.push("completion");
    excess = `you requested ${input + maxOutputTokens} tokens`;
  }
  const detail = parts.length > 1 ? ` (${parts.join(", ")})` : "";
  const last = names.length > 1 ? ` or ${names.pop()}` : "";
  return {
    message: `This model's maximum context length is ${contextWindow} tokens. However, ${excess}${detail}. Please reduce the length of the ${names.join(", ")}${last}.`,
    param: "messages",
    code: "context_length_exceeded",
  };
}

function answerBody(answer: Answer, turn: Turn): Json {
  const calls = answer.toolCalls.map(callBody);
  return {
    id: turn.newId("chatcmpl-"),
    object: "chat.completion",
    created: turn.created,
    model: turn.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: answer.text || null,
          refusal: answer.refusal || null,
          annotations: [],
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: finishReason(answer),
      },
    ],
    usage: usageBody(turn.usage),
    service_tier: "default",
    system_fingerprint: null,
  };
}

function* answerEvents(answer: Answer, turn: Turn): Generator<ServerSentEvent> {
  const withUsage = objectOr(turn.body.stream_options).include_usage === true;
  const base = {
    id: turn.newId("chatcmpl-"),
    object: "chat.completion.chunk",
    created: turn.created,
    model: turn.model,
    service_tier: "default",
    system_fingerprint: null,
  };
  const chunk = (
    delta: Json,
    finish: string | null = null,
  ): ServerSentEvent => ({
    data: {
      ...base,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(withUsage && { usage: null }),
    },
  });
  yield chunk({ role: "assistant", content: "", refusal: null });
  for (const refusal of pieces(answer.refusal, answer.chunks)) {
    yield chunk({ refusal });
  }
  for (const content of pieces(answer.text, answer.chunks)) {
    yield chunk({ content });
  }
  for (const [index, call] of answer.toolCalls.entries()) {
    const start = { index, ...callBody({ ...call, argsText: "" }) };
    yield chunk({ tool_calls: [start] });
    for (const args of pieces(call.argsText, answer.chunks)) {
      yield chunk({ tool_calls: [{ index, function: { arguments: args } }] });
    }
  }
  yield chunk({}, finishReason(answer));
  if (withUsage) {
    yield { data: { ...base, choices: [], usage: usageBody(turn.usage) } };
  }
  yield { data: "[DONE]" };
}

function callBody(call: AnswerToolCall): Json {
  return {
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.argsText },
  };
}

function finishReason(answer: Answer): string {
  return answer.toolCalls.length > 0 ? "tool_calls" : "stop";
}

function usageBody(usage: TokenUsage): Json {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
