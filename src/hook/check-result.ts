import type { BaseMessage } from "@langchain/core/messages";
import type { Conversation } from "../conversation/anatomy.js";
import { idOf, roleOf } from "../conversation/message.js";
import { answeredIdsOf } from "../conversation/tool-calls.js";
import type { MeasuredConversation } from "../tokens/measured-conversation.js";
import type { KeptMessages } from "./kept-messages.js";

/**
 * What is wrong with a compactor's result, in a sentence, or `undefined`.
 *
 * Holds every compactor, custom ones above all, to what a provider demands and
 * what is protected: no tool result without its call, no answered call without
 * its results, no pending call removed, instructions and task still there.
 */
export function faultIn(
  before: Conversation,
  result: Pick<MeasuredConversation, "messages" | "conversation">,
  kept: KeptMessages,
): string | undefined {
  for (let index = 0; index < before.instructionsEnd; index += 1) {
    if (!kept.has(index)) {
      return `it lacks the instructions at message ${index}`;
    }
  }
  const { taskIndex, openCalls } = before;
  if (taskIndex >= 0 && !kept.has(taskIndex)) {
    return `it lacks the task, message ${taskIndex}`;
  }
  for (const { index } of openCalls) {
    if (index > taskIndex && !kept.has(index)) {
      return `it lacks message ${index}, whose call waits for its answer`;
    }
  }
  if (kept.isOnlyShorter && keepsWholeSteps(before, kept)) {
    // The usual case, found without reading the result.
    return undefined;
  }
  return (
    misplaced(before.messages, result.messages) ??
    brokenPairs(before, result.conversation)
  );
}

/** Whether no step lost a part of itself, and nothing came that makes a call or answers one. */
function keepsWholeSteps(
  { stepStarts, stepEnds }: Conversation,
  kept: KeptMessages,
): boolean {
  for (let step = 0; step < stepStarts.length; step += 1) {
    const isKept = kept.has(stepStarts[step]!);
    for (let index = stepStarts[step]!; index < stepEnds[step]!; index += 1) {
      if (kept.has(index) !== isKept) {
        return false;
      }
    }
  }
  return kept.fresh.every(
    (message) =>
      roleOf(message) === "human" && answeredIdsOf(message).length === 0,
  );
}

/** What would not survive in a state as it is, or tells another story: a removal, a message twice, another order. */
function misplaced(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): string | undefined {
  const removal = after.findIndex((message) => message.type === "remove");
  if (removal >= 0) {
    return `its message ${removal} is a RemoveMessage`;
  }
  const wasRepeated = new Set(repeatedIn(before).values());
  for (const [index, key] of repeatedIn(after)) {
    if (!wasRepeated.has(key)) {
      return `its message ${index} stands there twice`;
    }
  }
  const places = new Map(
    before.map((message, index) => [keyOf(message), index]),
  );
  let furthest = -1;
  for (const [index, message] of after.entries()) {
    const key = keyOf(message);
    const place = places.get(key);
    if (place !== undefined && !wasRepeated.has(key)) {
      if (place < furthest) {
        return `its message ${index} stood further ahead before`;
      }
      furthest = place;
    }
  }
  return undefined;
}

/** The places at which a message, or another one with its id, stands again. */
function repeatedIn(messages: readonly BaseMessage[]): Map<number, unknown> {
  const seen = new Set<unknown>();
  const repeated = new Map<number, unknown>();
  messages.forEach((message, index) => {
    const key = keyOf(message);
    if (seen.has(key)) {
      repeated.set(index, key);
    }
    seen.add(key);
  });
  return repeated;
}

/** Pairs that are broken in the result and were whole before. */
function brokenPairs(
  before: Conversation,
  after: Conversation,
): string | undefined {
  const openBefore = openCallsByMessage(before);
  const openAfter = openCallsByMessage(after);
  const cut = after.openCalls.find(({ index }) => {
    const key = keyOf(after.messages[index]!);
    return openAfter.get(key)!.length > (openBefore.get(key)?.length ?? 0);
  });
  if (cut !== undefined) {
    const key = keyOf(after.messages[cut.index]!);
    const lost = openAfter
      .get(key)!
      .find((id) => !openBefore.get(key)?.includes(id));
    return `the call ${nameOf(lost)} of its message ${cut.index} has lost its result`;
  }
  const orphans = before.messages.filter((_, index) => before.orphan[index]);
  const wasOrphan = new Set(orphans.map(keyOf));
  // An edited result without an id of its own still names its call.
  const namedThen = new Set(orphans.flatMap(answeredIdsOf));
  const orphan = after.messages.findIndex(
    (message, index) =>
      after.orphan[index] === 1 &&
      !wasOrphan.has(keyOf(message)) &&
      !answeredIdsOf(message).every((id) => namedThen.has(id)),
  );
  return orphan < 0
    ? undefined
    : `the tool result at its message ${orphan} has lost its call`;
}

/** The ids of each message's open calls. */
function openCallsByMessage({
  messages,
  openCalls,
}: Conversation): ReadonlyMap<unknown, readonly (string | undefined)[]> {
  const open = new Map<unknown, (string | undefined)[]>();
  for (const { index, id } of openCalls) {
    const key = keyOf(messages[index]!);
    const ids = open.get(key);
    if (ids === undefined) {
      open.set(key, [id]);
    } else {
      ids.push(id);
    }
  }
  return open;
}

/** An edited message keeps its id. */
function keyOf(message: BaseMessage): unknown {
  return idOf(message) ?? message;
}

function nameOf(id: string | undefined): string {
  return id === undefined ? "without an id" : JSON.stringify(id);
}
