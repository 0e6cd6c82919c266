import type { BaseMessage } from "@langchain/core/messages";
import { SlidingWindowCompactor } from "langchain-compaction";
import type { SlidingWindowCompactorFields } from "langchain-compaction";
import { markOf } from "./anatomy.js";

/** Counts one token a message, or what `costs` says of its id. */
export function countingBy(
  costs: Readonly<Record<string, number>> = {},
): (messages: readonly BaseMessage[]) => number {
  return ([message]) => costs[message!.id ?? ""] ?? 1;
}

/** The compacted list at one token a message, its note included. */
export async function compactTo(
  target: number,
  messages: readonly BaseMessage[],
  {
    costs,
    ...fields
  }: SlidingWindowCompactorFields & { costs?: Record<string, number> } = {},
): Promise<BaseMessage[]> {
  const compactor = new SlidingWindowCompactor(fields);
  return compactor.invoke([...messages], {
    targetTokens: target,
    tokenCounter: countingBy(costs),
  });
}

/** Ids in order, a note as `*`. */
export function shown(messages: readonly BaseMessage[]): string {
  return messages
    .map((message) =>
      markOf(message)?.kind === "note" ? "*" : (message.id ?? "?"),
    )
    .join(" ");
}
