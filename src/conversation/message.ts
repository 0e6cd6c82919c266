import type { BaseMessage } from "@langchain/core/messages";

/** Who speaks, in LangChain's words; `other` is a role that we do not know. */
export type MessageRole = "system" | "human" | "ai" | "tool" | "other";

const ROLES: Readonly<Record<string, MessageRole>> = {
  system: "system",
  developer: "system",
  human: "human",
  user: "human",
  ai: "ai",
  assistant: "ai",
  tool: "tool",
  function: "tool",
};

/**
 * The role of a message of any copy of `@langchain/core`, chunks included.
 *
 * Goes by type name and never by class, since two copies of core, or its ESM
 * build beside its CJS build, do not share classes.
 */
export function roleOf(message: BaseMessage): MessageRole {
  const type = message.type as string;
  if (type === "generic") {
    return (
      ROLES[(message as BaseMessage & { role?: string }).role ?? ""] ?? "other"
    );
  }
  return Object.hasOwn(ROLES, type) ? ROLES[type]! : "other";
}

/** Whether a value has the shape of a LangChain message, whatever copy of core made it. */
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
      typeof candidate._getType === "function") &&
    "content" in candidate
  );
}
