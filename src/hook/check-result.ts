import type { BaseMessage } from "@langchain/core/messages";
import type { Conversation } from "../conversation/anatomy.js";
import type { CallRef } from "../conversation/tool-calls.js";

/**
 * What is wrong with a compactor's result, in a sentence, or `undefined`.
 *
 * Holds every compactor, custom ones above all, to what a provider demands and
 * what is protected: no tool result without its call, no answered call without
 * its results, no pending call removed, instructions and task still there.
 */
export function faultIn(
  before: Conversation,
  after: Conversation,
): string | undefined {
  const kept = new Kept(after.messages);
  for (let index = 0; index < before.instructionsEnd; index += 1) {
    if (!kept.has(before.messages[index]!)) {
      return `it lacks the instructions at message ${index}`;
    }
  }
  const { taskIndex, openCalls } = before;
  if (taskIndex >= 0 && !kept.has(before.messages[taskIndex]!)) {
    return `it lacks the task, message ${taskIndex}`;
  }
  for (const { index } of openCalls) {
    if (index > taskIndex && !kept.has(before.messages[index]!)) {
      return `it lacks message ${index}, whose call waits for its answer`;
    }
  }
  return brokenPairs(before, after);
}

/** Pairs that are broken in the result and were whole before. */
function brokenPairs(
  before: Conversation,
  after: Conversation,
): string | undefined {
  const wasOpen = new Kept(
    before.openCalls.map(({ index }) => before.messages[index]!),
  );
  const cut = after.openCalls.find(
    ({ index }) => !wasOpen.has(after.messages[index]!),
  );
  if (cut !== undefined) {
    return `the call ${nameOf(cut)} of its message ${cut.index} has lost its result`;
  }
  const orphans = before.messages.filter((_, index) => before.orphan[index]);
  const wasOrphan = new Kept(orphans);
  const orphan = after.messages.findIndex(
    (message, index) => after.orphan[index] === 1 && !wasOrphan.has(message),
  );
  return orphan < 0
    ? undefined
    : `the tool result at its message ${orphan} has lost its call`;
}

/** The messages of a list, found as objects or by id: an edited message keeps its id. */
class Kept {
  readonly #objects: ReadonlySet<BaseMessage>;
  readonly #ids: ReadonlySet<string>;

  constructor(messages: readonly BaseMessage[]) {
    this.#objects = new Set(messages);
    this.#ids = new Set(
      messages.map(({ id }) => id).filter((id) => id !== undefined),
    );
  }

  has(message: BaseMessage): boolean {
    return (
      this.#objects.has(message) ||
      (message.id !== undefined && this.#ids.has(message.id))
    );
  }
}

function nameOf({ id }: CallRef): string {
  return id === undefined ? "without an id" : JSON.stringify(id);
}
