import { copyMessage } from "../../conversation/copy-message.js";
import type { Mender } from "../draft.js";

/** Puts calls that stand only in content blocks or in raw form into `tool_calls`. */
export const mendUnlistedCalls: Mender = (draft, problems) => {
  for (const index of new Set(problems.map((problem) => problem.index))) {
    const message = draft.messages[index]!;
    const listed =
      (message as { tool_calls?: readonly Call[] }).tool_calls ?? [];
    const ids = new Set(listed.map(({ id }) => id));
    const { invalid_tool_calls = [] } = message as {
      invalid_tool_calls?: readonly Call[];
    };
    const found = [
      ...callsInBlocks(message.content),
      ...rawCalls(message),
      ...invalid_tool_calls.map((call) =>
        toCall(call.id, call.name, call.args),
      ),
    ];
    const missing = found.filter(({ id }) => !ids.has(id) && ids.add(id));
    draft.replace(
      index,
      copyMessage(message, {
        tool_calls: [...listed, ...missing],
        invalid_tool_calls: invalid_tool_calls.filter(({ id }) => !ids.has(id)),
      }),
    );
  }
  for (const problem of problems) {
    draft.report(problem, "put the call into `tool_calls`");
  }
};

export interface Call {
  readonly type?: "tool_call";
  readonly id: string | undefined;
  readonly name: string;
  readonly args: unknown;
}

type Block = Readonly<Record<string, unknown>>;

function callsInBlocks(content: unknown): Call[] {
  return (Array.isArray(content) ? (content as unknown[]) : []).flatMap(
    (raw) => {
      const { type, id, call_id, name, ...given } = (raw ?? {}) as Block;
      switch (type) {
        case "tool_use":
          return [toCall(id, name, given.input)];
        case "tool_call":
          return [toCall(id, name, given.args)];
        case "function_call":
          return [toCall(call_id ?? id, name, given.arguments)];
        default:
          return [];
      }
    },
  );
}

function rawCalls({
  additional_kwargs: kwargs,
}: {
  additional_kwargs?: Block;
}): Call[] {
  const raw = kwargs?.tool_calls;
  if (Array.isArray(raw)) {
    return (raw as Block[]).map(({ id, function: called }) =>
      fromFunction(id, called),
    );
  }
  const legacy = kwargs?.function_call;
  return legacy === undefined ? [] : [fromFunction(undefined, legacy)];
}

function fromFunction(id: unknown, called: unknown): Call {
  const { name, arguments: args } = (called ?? {}) as Block;
  return toCall(id, name, args);
}

/** A call as `tool_calls` has it. */
export function toCall(id: unknown, name: unknown, args: unknown): Call {
  return {
    type: "tool_call",
    id: typeof id === "string" ? id : undefined,
    name: typeof name === "string" ? name : "unknown",
    args: typeof args === "string" ? parse(args) : (args ?? {}),
  };
}

/** Arguments that do not parse are kept as they are, under a name that says so. */
function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null
      ? value
      : { unparsed_arguments: text };
  } catch {
    return { unparsed_arguments: text };
  }
}
