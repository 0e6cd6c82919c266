import { type Json, type Refusal, refusal } from "./wire-provider.js";

// What Converse refuses, with the texts of its errors.
// Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html,
// API_runtime_Message.html, API_runtime_ToolUseBlock.html,
// API_runtime_ToolResultBlock.html and
// https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-call.html

const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_IMAGES = 20;
const MAX_IMAGE_BYTES = 3.75 * 1024 * 1024;

export function refusalsByBedrock(body: Json): Refusal[] {
  const messages: Json[] = body.messages ?? [];
  const found: Refusal[] = [];
  const say = (message: string): void => {
    found.push(refusal(message));
  };
  if (messages.length === 0 || messages[0].role !== "user") {
    say(
      "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    );
  }
  if (messages.at(-1)?.role === "assistant") {
    say(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  }
  (body.system ?? []).forEach((block: Json, at: number) => {
    if (block.text !== undefined && block.text.trim() === "") {
      say(
        `The text field in the ContentBlock object at system.${at} is blank. Add text to the text field, and try again.`,
      );
    }
  });

  messages.forEach((message, index) => {
    const previous = messages[index - 1];
    const next = messages[index + 1];
    if (previous?.role === message.role) {
      say(
        "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
      );
    }
    if (message.content.length === 0) {
      say(
        `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to the content field and try again.`,
      );
    }
    message.content.forEach((block: Json, at: number) => {
      if (block.text !== undefined && block.text.trim() === "") {
        say(
          `The text field in the ContentBlock object at messages.${index}.content.${at} is blank. Add text to the text field, and try again.`,
        );
      }
    });
    checkImages(message, index, say);

    const called = toolUses(message).map((use) => use.toolUseId);
    const answered = toolResults(message).map((result) => result.toolUseId);
    for (const id of [...called, ...answered]) {
      if (typeof id !== "string" || !ID.test(id)) {
        say(
          `Value '${id}' at 'messages.${index}.content.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+ and have length between 1 and 64`,
        );
      }
    }
    if (new Set(called).size < called.length) {
      say(`messages.${index}: \`tool_use\` ids must be unique`);
    }
    const follow =
      next === undefined
        ? []
        : toolResults(next).map((result) => result.toolUseId);
    const open = called.filter((id) => !follow.includes(id));
    if (open.length > 0) {
      say(
        `Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${open.join(", ")}`,
      );
    }
    const asked =
      previous === undefined
        ? []
        : toolUses(previous).map((use) => use.toolUseId);
    if (
      answered.length > asked.length ||
      answered.some((id) => !asked.includes(id))
    ) {
      say(
        `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
      );
    }
  });
  return found;
}

function toolUses(message: Json): Json[] {
  return message.content
    .filter((block: Json) => block.toolUse !== undefined)
    .map((block: Json) => block.toolUse);
}

function toolResults(message: Json): Json[] {
  return message.content
    .filter((block: Json) => block.toolResult !== undefined)
    .map((block: Json) => block.toolResult);
}

function checkImages(
  message: Json,
  index: number,
  say: (message: string) => void,
): void {
  const images = message.content
    .flatMap((block: Json) => [block, ...(block.toolResult?.content ?? [])])
    .filter((block: Json) => block.image !== undefined);
  if (images.length > MAX_IMAGES) {
    say(
      `too many images and documents: ${images.length} > ${MAX_IMAGES} (messages.${index})`,
    );
  }
  for (const { image } of images) {
    if ((image.source?.bytes?.length ?? 0) > MAX_IMAGE_BYTES) {
      say(`messages.${index}: image exceeds 3.75 MB maximum`);
    }
  }
}
