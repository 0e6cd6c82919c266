import { type Json, type Refusal, refusal } from "./wire-provider.js";

// What the Messages API refuses, with the texts of its errors.
// Source: https://platform.claude.com/docs/en/api/messages ("consecutive user or
// assistant turns in your request will be combined into a single turn"),
// https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
// ("tool result blocks must immediately follow their corresponding tool use
// blocks", "must come first in the content array"),
// https://platform.claude.com/docs/en/build-with-claude/vision and
// https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages

const ID = /^[a-zA-Z0-9_-]+$/;
const MAX_IMAGES = 100;
const MAX_IMAGE_BASE64 = 5 * 1024 * 1024;

interface Turn {
  role: "user" | "assistant" | "system";
  content: Json[];
  /** Index of the first message of the turn, as the errors say it. */
  at: number;
}

export function refusalsByAnthropic(body: Json): Refusal[] {
  const found: Refusal[] = [];
  const messages: Json[] = body.messages;
  if (messages.length === 0) {
    found.push(refusal("messages: at least one message is required"));
    return found;
  }
  messages.forEach((message, index) => {
    checkContent(message, index, index === messages.length - 1, found);
  });
  const turns = combine(messages);
  turns.forEach((turn, index) => {
    if (turn.role === "system") {
      if (turns[index - 1]?.role !== "user") {
        found.push(
          refusal(
            `messages.${turn.at}: role 'system' must immediately follow a user turn`,
          ),
        );
      }
    } else {
      checkTurn(
        turn,
        neighbour(turns, index, -1),
        neighbour(turns, index, 1),
        found,
      );
    }
  });
  checkUniqueIds(turns, found);
  if (turns.at(-1)!.role === "assistant") {
    found.push(
      refusal(
        "This model does not support assistant message prefill. The conversation must end with a user message.",
      ),
    );
  }
  checkImages(turns, found);
  return found;
}

function combine(messages: readonly Json[]): Turn[] {
  const turns: Turn[] = [];
  messages.forEach((message, at) => {
    const content = Array.isArray(message.content)
      ? message.content
      : [{ type: "text", text: message.content }];
    const last = turns.at(-1);
    if (last?.role === message.role && message.role !== "system") {
      last!.content = [...last!.content, ...content];
    } else {
      turns.push({ role: message.role, content, at });
    }
  });
  return turns;
}

/** The next turn that is no system message. */
function neighbour(
  turns: readonly Turn[],
  from: number,
  step: 1 | -1,
): Turn | undefined {
  let index = from + step;
  while (turns[index]?.role === "system") {
    index += step;
  }
  return turns[index];
}

function checkContent(
  message: Json,
  index: number,
  isLast: boolean,
  found: Refusal[],
): void {
  const content = message.content;
  if (
    (content === "" || (Array.isArray(content) && content.length === 0)) &&
    !(isLast && message.role === "assistant")
  ) {
    found.push(
      refusal(
        `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
      ),
    );
    return;
  }
  const blocks = Array.isArray(content)
    ? content
    : [{ type: "text", text: content }];
  if (
    blocks.some(({ type }) => type === "tool_use") &&
    blocks.some(isThinking) &&
    !isThinking(blocks[0])
  ) {
    found.push(
      refusal(
        `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${blocks[0].type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
      ),
    );
  }
  blocks.forEach((block, at) => {
    const path = `messages.${index}.content.${at}`;
    if (block.type === "text" && block.text === "") {
      found.push(refusal("messages: text content blocks must be non-empty"));
    } else if (block.type === "text" && block.text.trim() === "") {
      found.push(
        refusal(
          "messages: text content blocks must contain non-whitespace text",
        ),
      );
    } else if (
      block.type === "thinking" &&
      typeof block.signature !== "string"
    ) {
      found.push(refusal(`${path}.thinking.signature: Field required`));
    } else if (block.type === "tool_use" && !ID.test(block.id)) {
      found.push(
        refusal(
          `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
        ),
      );
    } else if (
      block.type === "tool_result" &&
      !ID.test(block.tool_use_id ?? "")
    ) {
      found.push(
        refusal(
          `${path}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
        ),
      );
    }
  });
}

function checkTurn(
  turn: Turn,
  previous: Turn | undefined,
  next: Turn | undefined,
  found: Refusal[],
): void {
  const called = idsOf(turn.content, "tool_use", "id");
  if (turn.role === "assistant" && called.length > 0) {
    const leading = next?.role === "user" ? leadingResults(next.content) : [];
    const open = called.filter((id) => !leading.includes(id));
    if (open.length > 0) {
      found.push(
        refusal(
          `messages.${turn.at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
        ),
      );
    }
  }
  if (turn.role === "user") {
    const asked =
      previous?.role === "assistant"
        ? idsOf(previous.content, "tool_use", "id")
        : [];
    const answers = idsOf(turn.content, "tool_result", "tool_use_id");
    for (const id of answers.filter((answer) => !asked.includes(answer))) {
      found.push(
        refusal(
          `messages.${turn.at}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        ),
      );
    }
    const twice = answers.filter((id, at) => answers.indexOf(id) !== at);
    for (const id of new Set(twice)) {
      found.push(
        refusal(
          `messages.${turn.at}.content.1: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
        ),
      );
    }
  }
}

function isThinking(block: Json): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

function leadingResults(content: readonly Json[]): string[] {
  const end = content.findIndex((block) => block.type !== "tool_result");
  return idsOf(
    end < 0 ? content : content.slice(0, end),
    "tool_result",
    "tool_use_id",
  );
}

function idsOf(content: readonly Json[], type: string, key: string): string[] {
  return content
    .filter((block) => block.type === type)
    .map((block) => block[key]);
}

/** Within one turn; an id may come again in a later one, as recordings show. */
function checkUniqueIds(turns: readonly Turn[], found: Refusal[]): void {
  for (const turn of turns) {
    const seen = new Set<string>();
    turn.content.forEach((block, at) => {
      if (block.type === "tool_use") {
        if (seen.has(block.id)) {
          found.push(
            refusal(
              `messages.${turn.at}.content.${at}: \`tool_use\` ids must be unique`,
            ),
          );
        }
        seen.add(block.id);
      }
    });
  }
}

function checkImages(turns: readonly Turn[], found: Refusal[]): void {
  const blocks = turns.flatMap((turn) =>
    turn.content.flatMap((block) =>
      block.type === "tool_result" && Array.isArray(block.content)
        ? block.content
        : [block],
    ),
  );
  const images = blocks.filter((block) => block.type === "image");
  if (images.length > MAX_IMAGES) {
    found.push(
      refusal(
        `Too many images and documents: ${images.length} > ${MAX_IMAGES}`,
      ),
    );
  }
  for (const { source } of images) {
    if (source?.type === "base64" && source.data.length > MAX_IMAGE_BASE64) {
      found.push(
        refusal(
          `image exceeds 5 MB maximum: ${source.data.length} bytes > ${MAX_IMAGE_BASE64} bytes`,
        ),
      );
    }
  }
}
