import type { BaseMessage } from "@langchain/core/messages";
import { CompactionError } from "../errors.js";

/**
 * What a predicate among the options says of a message.
 *
 * @throws CompactionError `COMPACTION_FAILED` where it throws, or gives a
 *   promise, which would pass for `true`
 */
export function askPredicate(
  option: string,
  predicate: (message: BaseMessage) => boolean,
  message: BaseMessage,
): boolean {
  let answer: unknown;
  try {
    answer = predicate(message);
  } catch (cause) {
    throw new CompactionError(
      "COMPACTION_FAILED",
      `Option "${option}" threw for a message.`,
      { cause },
    );
  }
  if (answer instanceof Promise) {
    throw new CompactionError(
      "COMPACTION_FAILED",
      `Option "${option}" must return true or false, it returned a promise.`,
    );
  }
  return Boolean(answer);
}
