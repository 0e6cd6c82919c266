import { isJson, textOr, type Json } from "./json.js";
import type { ModelFailure } from "./model.js";
import type { ProviderProblem } from "./protocol.js";

// The words that both of OpenAI's protocols use for a bad parameter, taken from
// error bodies that users of its clients have published.

export function missing(param: string): ProviderProblem {
  return {
    message: `Missing required parameter: '${param}'.`,
    param,
    code: "missing_required_parameter",
  };
}

export function emptyArray(param: string): ProviderProblem {
  return {
    message: `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    param,
    code: "empty_array",
  };
}

export function wrongType(
  param: string,
  expected: string,
  value: unknown,
): ProviderProblem {
  return {
    message: `Invalid type for '${param}': expected ${expected}, but got ${kindOf(value)} instead.`,
    param,
    code: "invalid_type",
  };
}

export function unsupported(
  param: string,
  value: unknown,
  supported: readonly string[],
): ProviderProblem {
  const quoted = supported.map((word) => `'${word}'`);
  const last = quoted.pop();
  const listed =
    quoted.length > 1
      ? `${quoted.join(", ")}, and ${last}`
      : [...quoted, last].join(" and ");
  return {
    message: `Invalid value: '${String(value)}'. Supported values are: ${listed}.`,
    param,
    code: "invalid_value",
  };
}

/** A required text with a limited length: ids and names. */
export function* textProblems(
  param: string,
  value: unknown,
  maxLength: number,
): Generator<ProviderProblem> {
  if (value === undefined || value === null) {
    yield missing(param);
  } else if (typeof value !== "string") {
    yield wrongType(param, "a string", value);
  } else if (value === "") {
    yield {
      message: `Invalid '${param}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
      param,
      code: "empty_string",
    };
  } else if (value.length > maxLength) {
    yield {
      message: `Invalid '${param}': string too long. Expected a string with maximum length ${maxLength}, but got a string with length ${value.length} instead.`,
      param,
      code: "string_above_max_length",
    };
  }
}

/** A function's name: up to 64 letters, digits, `_` and `-`. */
export function* functionNameProblems(
  param: string,
  value: unknown,
): Generator<ProviderProblem> {
  yield* textProblems(param, value, 64);
  if (!/^[a-zA-Z0-9_-]+$/.test(String(value))) {
    yield {
      message: `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      param,
      code: "invalid_value",
    };
  }
}

/** The tool list; `functionAt` says where the function stands in a tool. */
export function* toolProblems(
  tools: unknown,
  functionAt: (tool: Json, param: string) => { value: unknown; param: string },
): Generator<ProviderProblem> {
  if (tools === undefined || tools === null) {
    return;
  }
  if (!Array.isArray(tools)) {
    yield wrongType("tools", "an array of objects", tools);
    return;
  }
  if (tools.length === 0) {
    yield emptyArray("tools");
  }
  if (tools.length > 128) {
    yield {
      message: `Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length ${tools.length} instead.`,
      param: "tools",
      code: "array_above_max_length",
    };
  }
  for (const [index, tool] of tools.entries()) {
    // Tools of other types run on the provider's side and have no schema here.
    if (isJson(tool) && tool.type === "function") {
      const { value, param } = functionAt(tool, `tools[${index}]`);
      yield* isJson(value) ? functionProblems(value, param) : [missing(param)];
    }
  }
}

function* functionProblems(
  definition: Json,
  param: string,
): Generator<ProviderProblem> {
  yield* functionNameProblems(`${param}.name`, definition.name);
  const { parameters } = definition;
  if (isJson(parameters) && parameters.type !== "object") {
    yield {
      message: `Invalid schema for function '${String(definition.name)}': schema must be a JSON Schema of 'type: "object"', got 'type: "${textOr(parameters.type) || "None"}"'.`,
      param: `${param}.parameters`,
      code: "invalid_function_parameters",
    };
  }
}

/** Every error body of OpenAI. */
export function openAIErrorBody(problem: ProviderProblem): Json {
  return {
    error: {
      message: problem.message,
      type: problem.type ?? "invalid_request_error",
      param: problem.param ?? null,
      code: problem.code ?? null,
    },
  };
}

/** An error by order of the test, with OpenAI's words for the usual statuses. */
export function openAIFailure(failure: ModelFailure): ProviderProblem {
  return {
    message: "The request failed.",
    ...wordsFor(failure.status),
    ...failure,
  };
}

function wordsFor(status: number): Partial<ProviderProblem> {
  if (status === 401) {
    return { message: "Incorrect API key provided.", code: "invalid_api_key" };
  }
  if (status === 429) {
    return {
      message: "Rate limit reached. Please try again later.",
      type: "requests",
      code: "rate_limit_exceeded",
    };
  }
  if (status >= 500) {
    return {
      message: "The server had an error while processing your request.",
      type: "server_error",
    };
  }
  return {};
}

function kindOf(value: unknown): string {
  if (value === null) {
    return "null";
  }
  if (Array.isArray(value)) {
    return "an array";
  }
  switch (typeof value) {
    case "object":
      return "an object";
    case "number":
      return Number.isInteger(value) ? "an integer" : "a decimal";
    default:
      return `a ${typeof value}`;
  }
}
