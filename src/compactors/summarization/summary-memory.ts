import type { BaseMessage } from "@langchain/core/messages";
import { sha256 } from "@langchain/core/utils/hash";

/** Summaries that were written before, by what they cover. */
export interface SummaryMemory {
  /** The summary for a key, where one was written. */
  get(key: string): string | undefined;
  /** Takes in a new one; absent where none is to be written any more. */
  set?(key: string, summary: string): void;
}

/** The key of the summary that covers these messages: by their ids, and what the summariser reads of them. */
export function coverageKey(
  covered: readonly BaseMessage[],
  transcript: string,
): string {
  const ids = covered.map(({ id }) => id ?? "");
  const digest = sha256(JSON.stringify([ids, transcript]));
  return `${ids[0]}..${ids.at(-1)} ${digest}`;
}
