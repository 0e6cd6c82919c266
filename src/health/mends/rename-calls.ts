import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../../conversation/copy-message.js";

/** The new id of a call; `occurrence` counts the calls of the same id before it in the same list. */
export type Rename = (
  id: string | undefined,
  occurrence: number,
) => string | undefined;

/**
 * An AI message whose calls have other ids, in every place where the message keeps them.
 *
 * Clients read `tool_calls`, content blocks, `additional_kwargs` or the stored
 * output of the Responses API, each its own, so all of them have to agree.
 */
export function renameCalls(message: BaseMessage, rename: Rename): BaseMessage {
  const fields = message as BaseMessage & Readonly<Record<string, unknown>>;
  const kwargs = message.additional_kwargs;
  const metadata = message.response_metadata as Record<string, unknown>;
  const changes: Record<string, unknown> = {};
  for (const list of ["tool_calls", "invalid_tool_calls", "tool_call_chunks"]) {
    if (Array.isArray(fields[list])) {
      changes[list] = renameIn(fields[list], "id", rename);
    }
  }
  if (Array.isArray(message.content)) {
    changes.content = renameInBlocks(message.content, rename);
  }
  changes.additional_kwargs = {
    ...kwargs,
    ...(Array.isArray(kwargs?.tool_calls)
      ? { tool_calls: renameIn(kwargs.tool_calls, "id", rename) }
      : {}),
    ...renameKeys(kwargs, rename),
  };
  if (Array.isArray(metadata?.output)) {
    changes.response_metadata = {
      ...metadata,
      output: renameInBlocks(metadata.output, rename),
    };
  }
  return copyMessage(message, changes);
}

/** A tool or human message that answers a call under another id. */
export function renameAnswers(
  message: BaseMessage,
  rename: (id: string | undefined) => string | undefined,
): BaseMessage {
  if (message.type !== "human") {
    const { tool_call_id } = message as { tool_call_id?: string };
    return copyMessage(message, { tool_call_id: rename(tool_call_id) });
  }
  return copyMessage(message, {
    content: (message.content as unknown as readonly Block[]).map((block) =>
      block.type === "tool_result"
        ? { ...block, tool_use_id: rename(block.tool_use_id as string) }
        : block,
    ),
  });
}

type Block = Readonly<Record<string, unknown>>;

/** Where each kind of block keeps the id of its call. */
const ID_OF_BLOCK: Readonly<Record<string, string>> = {
  tool_use: "id",
  tool_call: "id",
  function_call: "call_id",
};

/** Where clients keep something by call id: item ids of OpenAI, signatures of Gemini. */
const MAPS_BY_CALL_ID = [
  "__openai_function_call_ids__",
  "__openai_custom_tool_call_ids__",
  "__gemini_function_call_thought_signatures__",
];

function renameIn(
  list: readonly unknown[],
  key: string,
  rename: Rename,
): unknown[] {
  const next = counting(rename);
  return list.map((call) => ({
    ...(call as Block),
    [key]: next((call as Block)[key] as string | undefined),
  }));
}

function renameInBlocks(
  blocks: readonly unknown[],
  rename: Rename,
): readonly unknown[] {
  const next = counting(rename);
  return blocks.map((block) => {
    const { type } = (block ?? {}) as { type?: unknown };
    const key =
      typeof type === "string" && Object.hasOwn(ID_OF_BLOCK, type)
        ? ID_OF_BLOCK[type]
        : undefined;
    return key === undefined
      ? block
      : {
          ...(block as Block),
          [key]: next((block as Block)[key] as string | undefined),
        };
  });
}

function renameKeys(
  kwargs: Readonly<Record<string, unknown>> | undefined,
  rename: Rename,
): Record<string, unknown> {
  const renamed: Record<string, unknown> = {};
  for (const name of MAPS_BY_CALL_ID) {
    const map = kwargs?.[name];
    if (typeof map === "object" && map !== null) {
      renamed[name] = Object.fromEntries(
        Object.entries(map).map(([id, value]) => [rename(id, 0) ?? id, value]),
      );
    }
  }
  return renamed;
}

function counting(
  rename: Rename,
): (id: string | undefined) => string | undefined {
  const seen = new Map<string | undefined, number>();
  return (raw) => {
    const id = raw === "" ? undefined : raw;
    const occurrence = seen.get(id) ?? 0;
    seen.set(id, occurrence + 1);
    return rename(id, occurrence);
  };
}
