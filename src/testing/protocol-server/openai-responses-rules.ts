import { isJson, objectOr, textOr, type Json } from "./json.js";
import {
  functionNameProblems,
  missing,
  textProblems,
  toolProblems,
  unsupported,
  wrongType,
} from "./openai-problems.js";
import type { ProviderProblem } from "./protocol.js";

/**
 * The rules of OpenAI's Responses API.
 *
 * Sources: the API reference ("Create a model response") for what is required,
 * published error bodies of the API for pairing and for the wording.
 */
export function* responsesProblems(body: Json): Generator<ProviderProblem> {
  if (typeof body.model !== "string" || body.model === "") {
    yield missing("model");
  }
  yield* toolProblems(body.tools, (tool, param) => ({ value: tool, param }));
  if (typeof body.input === "string") {
    return;
  }
  if (body.input === undefined) {
    yield missing("input");
  }
  if (!Array.isArray(body.input)) {
    yield wrongType("input", "one of a string or array of items", body.input);
    return;
  }
  if (body.input.length === 0) {
    yield {
      message:
        "One of 'input', 'previous_response_id', 'prompt' or 'conversation' must be provided.",
      code: "missing_required_parameter",
    };
  }
  for (const [index, item] of body.input.entries()) {
    yield* itemProblems(item, `input[${index}]`);
  }
  const items = body.input.map(objectOr);
  yield* duplicateProblems(items);
  yield* callPairProblems(items);
  yield* reasoningProblems(items);
}

function* itemProblems(
  item: unknown,
  param: string,
): Generator<ProviderProblem> {
  if (!isJson(item)) {
    yield wrongType(param, "an object", item);
    return;
  }
  const type = itemType(item);
  const prefix = ID_PREFIXES[type];
  if (prefix !== undefined && item.id !== undefined && item.id !== null) {
    yield* idProblems(item.id, prefix, `${param}.id`);
  }
  switch (type) {
    case "message":
      yield* messageProblems(item, param);
      break;
    case "function_call":
      yield* textProblems(`${param}.call_id`, item.call_id, 64);
      yield* functionNameProblems(`${param}.name`, item.name);
      if (item.arguments === undefined) {
        yield missing(`${param}.arguments`);
      } else if (typeof item.arguments !== "string") {
        yield wrongType(`${param}.arguments`, "a string", item.arguments);
      }
      break;
    case "function_call_output":
      yield* textProblems(`${param}.call_id`, item.call_id, 64);
      if (item.output === undefined) {
        yield missing(`${param}.output`);
      } else if (
        typeof item.output !== "string" &&
        !Array.isArray(item.output)
      ) {
        yield wrongType(`${param}.output`, "a string", item.output);
      }
      break;
    case "reasoning":
      if (!Array.isArray(item.summary)) {
        yield missing(`${param}.summary`);
      }
      break;
    default:
      if (!OTHER_ITEMS.has(type)) {
        yield unsupported(`${param}.type`, type, KNOWN_ITEMS);
      }
  }
}

/** The type of an item; a message may leave it out. */
export function itemType(item: Json): string {
  return textOr(item.type) || ("role" in item ? "message" : "");
}

const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  function_call_output: "fc",
  reasoning: "rs",
};

// Items of the provider's own tools pass unread.
const OTHER_ITEMS: ReadonlySet<string> = new Set([
  "item_reference",
  "custom_tool_call",
  "custom_tool_call_output",
  "computer_call",
  "computer_call_output",
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "local_shell_call",
  "local_shell_call_output",
  "mcp_call",
  "mcp_list_tools",
  "mcp_approval_request",
  "mcp_approval_response",
  "compaction",
]);

const KNOWN_ITEMS = [
  "message",
  "function_call",
  "function_call_output",
  "reasoning",
  ...OTHER_ITEMS,
];

function* idProblems(
  id: unknown,
  prefix: string,
  param: string,
): Generator<ProviderProblem> {
  if (typeof id !== "string") {
    yield wrongType(param, "a string", id);
  } else if (!/^[a-zA-Z0-9_-]+$/.test(id)) {
    yield {
      message: `Invalid '${param}': '${id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
      param,
      code: "invalid_value",
    };
  } else if (!id.startsWith(prefix)) {
    yield {
      message: `Invalid '${param}': '${id}'. Expected an ID that begins with '${prefix}'.`,
      param,
      code: "invalid_value",
    };
  }
}

function* messageProblems(
  item: Json,
  param: string,
): Generator<ProviderProblem> {
  const parts = PART_TYPES[String(item.role)];
  if (parts === undefined) {
    yield unsupported(`${param}.role`, item.role, Object.keys(PART_TYPES));
    return;
  }
  const { content } = item;
  if (content === undefined || content === null) {
    yield missing(`${param}.content`);
  } else if (typeof content === "string") {
    return;
  } else if (!Array.isArray(content)) {
    yield wrongType(
      `${param}.content`,
      "one of a string or array of objects",
      content,
    );
  } else {
    for (const [at, part] of content.map(objectOr).entries()) {
      if (!parts.includes(String(part.type))) {
        yield unsupported(`${param}.content[${at}]`, part.type, parts);
      }
    }
  }
}

const INPUT_PARTS = ["input_text", "input_image", "input_file"];
const PART_TYPES: Readonly<Record<string, readonly string[]>> = {
  assistant: ["output_text", "refusal"],
  system: INPUT_PARTS,
  developer: INPUT_PARTS,
  user: INPUT_PARTS,
};

function* duplicateProblems(
  items: readonly Json[],
): Generator<ProviderProblem> {
  const seen = new Set<string>();
  for (const item of items) {
    const id = textOr(item.id);
    if (id !== "" && seen.has(id)) {
      yield {
        message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
        param: "input",
      };
    }
    seen.add(id);
  }
}

/** Each call has one output somewhere behind it; neighbours do not matter. */
function* callPairProblems(items: readonly Json[]): Generator<ProviderProblem> {
  const open = new Set<unknown>();
  for (const item of items) {
    if (item.type === "function_call") {
      open.add(item.call_id);
    } else if (item.type === "function_call_output") {
      if (!open.delete(item.call_id)) {
        yield {
          message: `No tool call found for function call output with call_id ${String(item.call_id)}.`,
          param: "input",
        };
      }
    }
  }
  for (const id of open) {
    yield {
      message: `No tool output found for function call ${String(id)}.`,
      param: "input",
    };
  }
}

/** A reasoning item stands right before the item that it led to, and that one never without it. */
function* reasoningProblems(
  items: readonly Json[],
): Generator<ProviderProblem> {
  for (const [index, item] of items.entries()) {
    const id = textOr(item.id);
    const type = itemType(item);
    if (type === "reasoning" && !isOutput(items[index + 1])) {
      yield {
        message: `Item '${id}' of type 'reasoning' was provided without its required following item.`,
        param: "input",
      };
    }
    const reasoningId = reasoningBefore(id);
    if (reasoningId !== undefined && items[index - 1]?.id !== reasoningId) {
      yield {
        message: `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${reasoningId}'.`,
        param: "input",
      };
    }
  }
}

function isOutput(item: Json | undefined): boolean {
  return (
    item !== undefined &&
    itemType(item) !== "function_call_output" &&
    (itemType(item) !== "message" || item.role === "assistant")
  );
}

/** Start of the ids of a reasoning item and of the item that must follow it: what stands behind it is the same in both. */
export const REASONED = "reasoned_";

function reasoningBefore(id: string): string | undefined {
  const [, rest] = /^(?:msg|fc)_(reasoned_.*)$/.exec(id) ?? [];
  return rest && `rs_${rest}`;
}
