import type { BaseMessage } from "@langchain/core/messages";

/** Who speaks, in LangChain's words; `other` is a role that we do not know. */
export type MessageRole = "system" | "human" | "ai" | "tool" | "other";

/**
 * The role of a message of any copy of `@langchain/core`, chunks included.
 *
 * Goes by type name and never by class, since two copies of core, or its ESM
 * build beside its CJS build, do not share classes.
 */
export function roleOf(message: BaseMessage): MessageRole {
  const { type, role } = message as { type: unknown; role?: unknown };
  switch (type === "generic" ? role : type) {
    case "ai":
    case "assistant":
      return "ai";
    case "tool":
    case "function":
      return "tool";
    case "human":
    case "user":
      return "human";
    case "system":
    case "developer":
      return "system";
    default:
      return "other";
  }
}

/** The id of a message that has one; the `null` and the empty text that some stores write are none. */
export function idOf({ id }: BaseMessage): string | undefined {
  return id || undefined;
}

/** Whether a value has the shape of a LangChain message, whatever copy of core made it; one read from JSON may lack its content. */
export function isMessage(value: unknown): value is BaseMessage {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  const candidate = value as {
    type?: unknown;
    getType?: unknown;
    _getType?: unknown;
  };
  return (
    typeof candidate.type === "string" &&
    (typeof candidate.getType === "function" ||
      typeof candidate._getType === "function")
  );
}
