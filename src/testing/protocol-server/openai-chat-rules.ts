import { isJson, objectOr, objectsIn, type Json } from "./json.js";
import {
  emptyArray,
  functionNameProblems,
  missing,
  textProblems,
  toolProblems,
  unsupported,
  wrongType,
} from "./openai-problems.js";
import type { ProviderProblem } from "./protocol.js";

/**
 * The rules of OpenAI's chat completions.
 *
 * Sources: the API reference ("Create chat completion") for what is required,
 * published error bodies of the API for pairing and for the wording.
 */
export function* chatProblems(body: Json): Generator<ProviderProblem> {
  if (typeof body.model !== "string" || body.model === "") {
    yield { message: "you must provide a model parameter" };
  }
  if (body.messages === undefined) {
    yield missing("messages");
  }
  if (!Array.isArray(body.messages)) {
    yield wrongType("messages", "an array of objects", body.messages);
    return;
  }
  if (body.messages.length === 0) {
    yield emptyArray("messages");
  }
  if (body.stream_options && body.stream !== true) {
    yield {
      message:
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      param: "stream_options",
    };
  }
  yield* toolProblems(body.tools, (tool, param) => ({
    value: tool.function,
    param: `${param}.function`,
  }));
  for (const [index, message] of body.messages.entries()) {
    yield* messageProblems(message, index);
  }
  yield* pairingProblems(body.messages.map(objectOr));
}

function* messageProblems(
  message: unknown,
  index: number,
): Generator<ProviderProblem> {
  const param = `messages[${index}]`;
  if (!isJson(message)) {
    yield wrongType(param, "an object", message);
    return;
  }
  const parts = PART_TYPES[String(message.role)];
  if (parts === undefined) {
    yield unsupported(`${param}.role`, message.role, Object.keys(PART_TYPES));
    return;
  }
  yield* contentProblems(message, index, parts);
  if (message.name !== undefined) {
    yield* nameProblems(message.name, `${param}.name`);
  }
  if (message.tool_calls !== undefined) {
    yield* callProblems(message.tool_calls, `${param}.tool_calls`);
  }
  if (message.role === "tool" && message.tool_call_id === undefined) {
    yield {
      message:
        "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
      param: `messages.[${index}].tool_call_id`,
    };
  }
}

const PART_TYPES: Readonly<Record<string, readonly string[]>> = {
  system: ["text"],
  developer: ["text"],
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
  tool: ["text"],
  function: [],
};

function* contentProblems(
  message: Json,
  index: number,
  parts: readonly string[],
): Generator<ProviderProblem> {
  const { content } = message;
  if (content === undefined || content === null) {
    if (!mayLackContent(message)) {
      yield {
        message: "Invalid value for 'content': expected a string, got null.",
        param: `messages.[${index}].content`,
      };
    }
    return;
  }
  const param = `messages[${index}].content`;
  if (typeof content === "string") {
    return;
  }
  if (!Array.isArray(content)) {
    yield wrongType(param, "one of a string or array of objects", content);
    return;
  }
  for (const [at, part] of content.entries()) {
    if (!isJson(part)) {
      yield wrongType(`${param}[${at}]`, "an object", part);
    } else if (!parts.includes(String(part.type))) {
      yield unsupported(`${param}[${at}]`, part.type, parts);
    } else if (part.type === "text" && typeof part.text !== "string") {
      yield missing(`${param}[${at}].text`);
    }
  }
}

function mayLackContent(message: Json): boolean {
  const others = ["tool_calls", "function_call", "refusal", "audio"];
  return (
    message.role === "assistant" &&
    others.some((key) => message[key] !== undefined && message[key] !== null)
  );
}

function* nameProblems(
  name: unknown,
  param: string,
): Generator<ProviderProblem> {
  yield* textProblems(param, name, 64);
  if (!/^[^\s<|\\/>]+$/.test(String(name))) {
    yield {
      message: `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[^\\s<|\\\\/>]+$'.`,
      param,
      code: "invalid_value",
    };
  }
}

function* callProblems(
  calls: unknown,
  param: string,
): Generator<ProviderProblem> {
  if (!Array.isArray(calls)) {
    yield wrongType(param, "an array of objects", calls);
    return;
  }
  if (calls.length === 0) {
    yield emptyArray(param);
  }
  for (const [index, call] of calls.map(objectOr).entries()) {
    const at = `${param}[${index}]`;
    yield* textProblems(`${at}.id`, call.id, 40);
    if (call.type !== "function" && call.type !== "custom") {
      yield unsupported(`${at}.type`, call.type, ["function", "custom"]);
    }
    if (call.type === "function") {
      const definition = objectOr(call.function);
      yield* functionNameProblems(`${at}.function.name`, definition.name);
      const args = definition.arguments;
      if (args === undefined) {
        yield missing(`${at}.function.arguments`);
      } else if (typeof args !== "string") {
        yield wrongType(`${at}.function.arguments`, "a string", args);
      }
    }
  }
}

/** Each call is answered once, by a tool message right behind the message of the call. */
function* pairingProblems(
  messages: readonly Json[],
): Generator<ProviderProblem> {
  // Where each call of the message before was answered, by its id.
  let answeredAt = new Map<unknown, number | undefined>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      yield* answerProblems(message.tool_call_id, index, answeredAt);
      answeredAt.set(message.tool_call_id, index);
    } else {
      yield* unansweredProblems(answeredAt, index);
      const calls = objectsIn(message.tool_calls);
      answeredAt = new Map(calls.map((call) => [call.id, undefined]));
    }
  }
  yield* unansweredProblems(answeredAt, messages.length);
}

function* answerProblems(
  id: unknown,
  index: number,
  answeredAt: ReadonlyMap<unknown, number | undefined>,
): Generator<ProviderProblem> {
  const param = `messages.[${index}].tool_call_id`;
  const before = answeredAt.get(id);
  if (answeredAt.size === 0) {
    yield {
      message:
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      param: `messages.[${index}].role`,
    };
  } else if (!answeredAt.has(id)) {
    yield {
      message: `Invalid parameter: 'tool_call_id' of '${String(id)}' not found in 'tool_calls' of previous message.`,
      param,
    };
  } else if (before !== undefined) {
    yield {
      message: `Invalid parameter: Duplicate value for 'tool_call_id' of '${String(id)}', in messages[${before}] and messages[${index}].`,
      param,
    };
  }
}

function* unansweredProblems(
  answeredAt: ReadonlyMap<unknown, number | undefined>,
  index: number,
): Generator<ProviderProblem> {
  const open = [...answeredAt].filter(([, answer]) => answer === undefined);
  if (open.length > 0) {
    yield {
      message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.map(([id]) => id).join(", ")}`,
      param: `messages.[${index}].role`,
    };
  }
}
