import { blocksOf } from "./anthropic-blocks.js";
import { orderProblems } from "./anthropic-order-rules.js";
import { isJson, objectOr, objectsIn, textOr, type Json } from "./json.js";
import type { ProviderProblem } from "./protocol.js";
import { isSigned } from "./thinking-signature.js";

/**
 * The rules of Anthropic's messages.
 *
 * Sources: the API reference ("Messages") for what is required, the pages on
 * tool use and extended thinking for order, published error bodies of the API
 * for the wording.
 */
export function* anthropicProblems(body: Json): Generator<ProviderProblem> {
  if (typeof body.model !== "string" || body.model === "") {
    yield { message: "model: Field required" };
  }
  if (typeof body.max_tokens !== "number") {
    yield { message: "max_tokens: Field required" };
  }
  yield* toolProblems(body.tools);
  yield* systemProblems(body.system);
  if (!Array.isArray(body.messages)) {
    yield { message: "messages: Field required" };
    return;
  }
  if (body.messages.length === 0) {
    yield { message: "messages: at least one message is required" };
  }
  const messages = body.messages.map(objectOr);
  yield* roleProblems(messages);
  for (const [index, message] of messages.entries()) {
    yield* contentProblems(message, index, index === messages.length - 1);
  }
  yield* orderProblems(messages, objectOr(body.thinking).type === "enabled");
}

function* toolProblems(tools: unknown): Generator<ProviderProblem> {
  const names = new Set<string>();
  for (const [index, tool] of objectsIn(tools).entries()) {
    const name = textOr(tool.name);
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
      yield {
        message: `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
      };
    }
    if (names.has(name)) {
      yield { message: "tools: Tool names must be unique." };
    }
    names.add(name);
    // Tools of other types run on the provider's side and have no schema here.
    const isCustom = tool.type === undefined || tool.type === "custom";
    if (isCustom && objectOr(tool.input_schema).type !== "object") {
      yield {
        message: `tools.${index}.custom.input_schema.type: Field required`,
      };
    }
  }
}

function* systemProblems(system: unknown): Generator<ProviderProblem> {
  for (const block of objectsIn(system)) {
    if (textOr(block.text) === "") {
      yield { message: "system: text content blocks must be non-empty" };
    }
  }
}

function* roleProblems(messages: readonly Json[]): Generator<ProviderProblem> {
  for (const [index, { role }] of messages.entries()) {
    if (role === "system") {
      yield {
        message:
          'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
      };
    }
    if (role !== "user" && role !== "assistant") {
      yield {
        message: `messages.${index}.role: Input should be 'user' or 'assistant'`,
      };
    }
  }
  if (messages[0]?.role !== "user") {
    yield { message: 'messages: first message must use the "user" role' };
  }
}

function* contentProblems(
  message: Json,
  index: number,
  isLast: boolean,
): Generator<ProviderProblem> {
  const { role, content } = message;
  if (typeof content !== "string" && !Array.isArray(content)) {
    yield {
      message: `messages.${index}.content: Input should be a valid list`,
    };
  }
  if (isEmpty(content) && !(isLast && role === "assistant")) {
    yield {
      message:
        role === "user"
          ? `messages.${index}: user messages must have non-empty content`
          : `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    };
  }
  const blocks = blocksOf(message);
  for (const [at, block] of blocks.entries()) {
    yield* blockProblems(block, role, `messages.${index}.content.${at}`);
  }
  const last = blocks.at(-1);
  if (isLast && role === "assistant" && /\s$/.test(textOr(last?.text))) {
    yield {
      message:
        "messages: final assistant content cannot end with trailing whitespace",
    };
  }
}

function isEmpty(content: unknown): boolean {
  return content === "" || (Array.isArray(content) && content.length === 0);
}

function* blockProblems(
  block: Json,
  role: unknown,
  at: string,
): Generator<ProviderProblem> {
  switch (block.type) {
    case "text":
      yield* textProblems(block);
      break;
    case "tool_use":
      yield* toolUseProblems(block, role, at);
      break;
    case "tool_result":
      yield* toolResultProblems(block, role, at);
      break;
    case "thinking":
      if (!isSigned(textOr(block.thinking), block.signature)) {
        yield { message: `${at}: Invalid \`signature\` in \`thinking\` block` };
      }
      break;
    default:
      if (!OTHER_BLOCKS.has(textOr(block.type))) {
        yield {
          message: `${at}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags: 'text', 'tool_use', 'tool_result', 'thinking', ${[...OTHER_BLOCKS].map((tag) => `'${tag}'`).join(", ")}`,
        };
      }
  }
}

// Blocks that pass unread.
const OTHER_BLOCKS: ReadonlySet<string> = new Set([
  "image",
  "document",
  "search_result",
  "redacted_thinking",
  "server_tool_use",
  "web_search_tool_result",
  "web_fetch_tool_result",
  "code_execution_tool_result",
  "mcp_tool_use",
  "mcp_tool_result",
  "container_upload",
  "compaction",
]);

function* textProblems(block: Json): Generator<ProviderProblem> {
  if (textOr(block.text) === "") {
    yield { message: "messages: text content blocks must be non-empty" };
  }
  if (textOr(block.text).trim() === "") {
    yield {
      message: "messages: text content blocks must contain non-whitespace text",
    };
  }
}

function* toolUseProblems(
  block: Json,
  role: unknown,
  at: string,
): Generator<ProviderProblem> {
  if (role !== "assistant") {
    yield {
      message: `${messageOf(at)}: \`tool_use\` blocks can only be in \`assistant\` messages`,
    };
  }
  if (typeof block.id !== "string") {
    yield { message: `${at}.tool_use.id: Field required` };
  }
  if (!/^[a-zA-Z0-9_-]+$/.test(textOr(block.id))) {
    yield {
      message: `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
    };
  }
  if (!/^[a-zA-Z0-9_-]{1,200}$/.test(textOr(block.name))) {
    yield {
      message: `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`,
    };
  }
  if (!isJson(block.input)) {
    yield {
      message: `${at}.tool_use.input: Input should be a valid dictionary`,
    };
  }
}

function* toolResultProblems(
  block: Json,
  role: unknown,
  at: string,
): Generator<ProviderProblem> {
  if (role !== "user") {
    yield {
      message: `${messageOf(at)}: \`tool_result\` blocks can only be in \`user\` messages`,
    };
  }
  if (typeof block.tool_use_id !== "string") {
    yield { message: `${at}.tool_result.tool_use_id: Field required` };
  }
  for (const part of objectsIn(block.content)) {
    if (part.type === "text") {
      yield* textProblems(part);
    }
  }
}

function messageOf(at: string): string {
  return at.replace(/\.content\.\d+$/, "");
}
