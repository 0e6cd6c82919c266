import { type Json, type Refusal, refusal } from "./wire-provider.js";

// What Mistral refuses: its own published request validator, restated.
// Source: https://github.com/mistralai/mistral-common,
// src/mistral_common/protocol/instruct/validator.py, and
// https://docs.mistral.ai/capabilities/vision (eight images, 10 MB each)

const AFTER: Readonly<Record<string, readonly string[]>> = {
  system: ["user", "assistant", "system"],
  user: ["assistant", "system", "user"],
  assistant: ["assistant", "user", "tool"],
  tool: ["assistant", "tool"],
};

const ID = /^[a-zA-Z0-9]{9}$/;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_IMAGES = 8;

export function refusalsByMistral(body: Json): Refusal[] {
  const messages: Json[] = body.messages;
  if (messages.length === 0) {
    return [refusal("Conversation must have at least one message")];
  }
  const found: Refusal[] = [];
  const say = (message: string): void => {
    found.push(refusal(message));
  };
  if (messages.length === 1 && !["user", "system"].includes(messages[0].role)) {
    say("Conversation must start with a user message or system message");
  }
  if (messages.at(-1).role === "assistant") {
    say(
      "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
    );
  }

  let expected = 0;
  let images = 0;
  messages.forEach((message, index) => {
    const previous = messages[index - 1]?.role;
    if (previous !== undefined && !AFTER[previous]!.includes(message.role)) {
      say(`Unexpected role '${message.role}' after role '${previous}'`);
    }
    const calls: Json[] = message.tool_calls ?? [];
    if (message.role === "tool") {
      expected -= 1;
      checkTool(message, say);
    } else if (message.role === "assistant") {
      if (expected !== 0) {
        say("Not the same number of function calls and responses");
      }
      expected = calls.length;
      const isEmpty = (message.content ?? "").length === 0;
      if (isEmpty && calls.length === 0) {
        say(
          "Assistant message must have either content or tool_calls, but not none.",
        );
      }
      checkCalls(calls, say);
    }
    if (Array.isArray(message.content)) {
      images += message.content.filter(
        (part: Json) => part.type === "image_url",
      ).length;
    }
  });
  if (expected !== 0) {
    say("Not the same number of function calls and responses");
  }
  if (images > MAX_IMAGES) {
    say(`Too many images: ${images} > ${MAX_IMAGES}`);
  }
  return found;
}

function checkTool(message: Json, say: (message: string) => void): void {
  const id = message.tool_call_id;
  if (typeof id !== "string") {
    say("Tool call id has to be defined.");
  } else if (!ID.test(id)) {
    say(
      `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
    );
  }
  if (
    message.name !== undefined &&
    message.name !== null &&
    !NAME.test(message.name)
  ) {
    say(
      `Function name was ${message.name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`,
    );
  }
}

function checkCalls(
  calls: readonly Json[],
  say: (message: string) => void,
): void {
  const ids = new Set<string>();
  for (const call of calls) {
    if (!ID.test(call.id)) {
      say(
        `Tool call id was ${call.id} but must be a-z, A-Z, 0-9, with a length of 9.`,
      );
    }
    if (ids.has(call.id)) {
      say("Duplicate tool call id in assistant message");
    }
    ids.add(call.id);
    if (!NAME.test(call.function.name)) {
      say(
        `Function name was ${call.function.name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`,
      );
    }
  }
}
