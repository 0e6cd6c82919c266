import { type Json, type Refusal, refusal } from "./wire-provider.js";

// What Chat Completions refuses, with the texts of its errors.
// Source: https://platform.openai.com/docs/guides/function-calling and
// https://platform.openai.com/docs/api-reference/chat/create

const PARTS_OF_ROLE: Readonly<Record<string, readonly string[]>> = {
  system: ["text"],
  developer: ["text"],
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
  tool: ["text"],
};

export function refusalsByOpenAI(body: Json): Refusal[] {
  const messages: Json[] = body.messages;
  const found: Refusal[] = [];
  if (messages.length === 0) {
    found.push(
      refusal(
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      ),
    );
  }
  // Calls of the assistant message that the tool messages at this place answer.
  let asked: string[] = [];
  let answered = new Map<string, number>();
  const close = (): void => {
    const open = asked.filter((id) => !answered.has(id));
    if (open.length > 0) {
      found.push(
        refusal(
          `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`,
        ),
      );
    }
    asked = [];
    answered = new Map();
  };

  messages.forEach((message, index) => {
    checkParts(message, index, found);
    if (message.role !== "tool") {
      close();
      const calls: Json[] = message.tool_calls ?? [];
      if (new Set(calls.map(({ id }) => id)).size < calls.length) {
        found.push(refusal("duplicate tool_call_id"));
      }
      asked = calls.map((call, at) => {
        checkCall(call, `messages[${index}].tool_calls[${at}]`, found);
        return call.id;
      });
      return;
    }
    const id = message.tool_call_id;
    if (asked.length === 0) {
      found.push(
        refusal(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        ),
      );
    } else if (typeof id !== "string") {
      found.push(
        refusal(
          `Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'. (messages.[${index}].tool_call_id)`,
        ),
      );
    } else if (answered.has(id)) {
      found.push(
        refusal(
          `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}', in messages[${answered.get(id)}] and messages[${index}].`,
        ),
      );
    } else if (!asked.includes(id)) {
      found.push(
        refusal(
          `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
        ),
      );
    } else {
      answered.set(id, index);
    }
  });
  close();
  return found;
}

function checkCall(call: Json, path: string, found: Refusal[]): void {
  if (typeof call.id !== "string" || call.id === "") {
    found.push(refusal(`Missing required parameter: '${path}.id'.`));
  } else if (call.id.length > 40) {
    found.push(
      refusal(
        `Invalid '${path}.id': string too long. Expected a string with maximum length 40, but got a string with length ${call.id.length} instead.`,
      ),
    );
  }
  if (typeof call.function?.arguments !== "string") {
    found.push(
      refusal(`Missing required parameter: '${path}.function.arguments'.`),
    );
  }
}

function checkParts(message: Json, index: number, found: Refusal[]): void {
  const allowed = PARTS_OF_ROLE[message.role];
  if (allowed === undefined) {
    found.push(
      refusal(
        `Invalid value: '${message.role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
      ),
    );
  }
  if (message.content === null && message.role !== "assistant") {
    found.push(
      refusal(
        `Invalid value for 'content': expected a string, got null. (messages.[${index}].content)`,
      ),
    );
  }
  if (!Array.isArray(message.content)) {
    return;
  }
  for (const part of message.content) {
    if (part.type === "image_url" && message.role !== "user") {
      found.push(
        refusal(
          `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with role '${message.role}' contains an image URL.`,
        ),
      );
    } else if (allowed !== undefined && !allowed.includes(part.type)) {
      found.push(
        refusal(
          `Invalid value: '${part.type}'. Supported values are: ${allowed.join(", ")}. (messages[${index}].content)`,
        ),
      );
    }
  }
}
