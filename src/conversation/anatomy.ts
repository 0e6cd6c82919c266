import type { BaseMessage } from "@langchain/core/messages";
import { type CompactionMarker, markerOf } from "./marker.js";
import { type MessageRole, roleOf } from "./message.js";
import { type OpenCall, pairToolResults } from "./pairing.js";
import { isReasoningOnly } from "./reasoning.js";
import { isOnlyToolResults } from "./tool-calls.js";

/**
 * What a list of messages is made of, in the words of the design: instructions, steps, turns, task.
 *
 * All positions are indexes into `messages`; an `…End` is the index behind.
 * The work is one pass over the list. Nothing here is changed afterwards.
 */
export interface Conversation {
  readonly messages: readonly BaseMessage[];
  readonly roles: readonly MessageRole[];
  /** For each message, how many calls it makes. */
  readonly callCounts: Int32Array;
  /** Our own markers, where they parse. */
  readonly markers: ReadonlyMap<number, CompactionMarker>;
  /** Behind the leading system messages. */
  readonly instructionsEnd: number;
  /** Number of the step that a message is in, or -1. */
  readonly stepOf: Int32Array;
  readonly stepStarts: readonly number[];
  readonly stepEnds: readonly number[];
  /** 1 for a message that a person wrote. */
  readonly realHuman: Uint8Array;
  /** Real human messages that stand at a legal cut: each begins a turn. */
  readonly turnStarts: readonly number[];
  /** The newest real human message, or -1. */
  readonly taskIndex: number;
  /** The first of the run of real human messages that ends with the task, or -1. */
  readonly taskRunStart: number;
  /** 1 for a message of nothing but tool results that answer no earlier call. */
  readonly orphan: Uint8Array;
  /** Calls without any answer. */
  readonly openCalls: readonly OpenCall[];
}

/** Reads the anatomy of a list of messages in one pass; messages of any copy of core will do. */
export function readConversation(
  messages: readonly BaseMessage[],
): Conversation {
  const count = messages.length;
  const { callCounts, spanEnd, orphan, open } = pairToolResults(messages);
  const roles = new Array<MessageRole>(count);
  const markers = new Map<number, CompactionMarker>();
  const realHuman = new Uint8Array(count);
  let instructionsEnd = -1;
  let taskIndex = -1;

  for (let index = 0; index < count; index += 1) {
    const message = messages[index]!;
    const role = roleOf(message);
    roles[index] = role;
    if (instructionsEnd < 0 && role !== "system") {
      instructionsEnd = index;
    }
    const marker = markerOf(message);
    if (marker !== undefined) {
      markers.set(index, marker);
    } else if (
      role === "human" &&
      message.additional_kwargs?.lc_source !== "summarization" &&
      !isOnlyToolResults(message)
    ) {
      realHuman[index] = 1;
      taskIndex = index;
    }
  }

  const steps = readSteps(messages, roles, spanEnd, orphan);
  const turnStarts: number[] = [];
  for (let index = 0; index <= taskIndex; index += 1) {
    if (realHuman[index] === 1 && steps.stepOf[index] === -1) {
      turnStarts.push(index);
    }
  }
  let taskRunStart = taskIndex;
  while (taskRunStart > 0 && realHuman[taskRunStart - 1] === 1) {
    taskRunStart -= 1;
  }
  return {
    messages,
    roles,
    callCounts,
    markers,
    instructionsEnd: instructionsEnd < 0 ? count : instructionsEnd,
    ...steps,
    realHuman,
    turnStarts,
    taskIndex,
    taskRunStart,
    orphan,
    openCalls: open,
  };
}

/** Index of the newest message that the model itself wrote, or -1: what stands before it, it has seen. */
export function newestAnswer({ roles, markers }: Conversation): number {
  return roles.findLastIndex(
    (role, index) =>
      role === "ai" && markers.get(index)?.strategy !== "tool-call-collapse",
  );
}

/** Whether we made or edited a message, or no person wrote a human one: another middleware's summary, say. */
export function isMadeByMachine(
  conversation: Conversation,
  index: number,
): boolean {
  return (
    conversation.markers.has(index) ||
    (conversation.roles[index] === "human" &&
      conversation.realHuman[index] === 0)
  );
}

/** Steps are the spans from a call to its last result, overlapping ones made one. */
function readSteps(
  messages: readonly BaseMessage[],
  roles: readonly MessageRole[],
  spanEnd: Int32Array,
  orphan: Uint8Array,
): Pick<Conversation, "stepOf" | "stepStarts" | "stepEnds"> {
  const stepOf = new Int32Array(messages.length).fill(-1);
  const stepStarts: number[] = [];
  const stepEnds: number[] = [];
  // Reasoning alone directly before this place joins the tool step that may follow.
  let reasoningStart = -1;

  for (let index = 0; index < messages.length; index += 1) {
    const newest = stepEnds.length - 1;
    const openEnd = newest < 0 ? -1 : stepEnds[newest]!;
    const callsEnd = spanEnd[index]!;
    if (roles[index] === "ai") {
      if (index < openEnd) {
        stepEnds[newest] = Math.max(openEnd, callsEnd);
      } else if (callsEnd > 0 && reasoningStart >= 0) {
        const first = stepStarts.lastIndexOf(reasoningStart);
        stepStarts.length = first + 1;
        stepEnds.length = first + 1;
        stepEnds[first] = callsEnd;
      } else {
        stepStarts.push(index);
        stepEnds.push(Math.max(callsEnd, index + 1));
      }
      if (
        index >= openEnd &&
        callsEnd === 0 &&
        isReasoningOnly(messages[index]!)
      ) {
        reasoningStart = reasoningStart < 0 ? index : reasoningStart;
      } else {
        reasoningStart = -1;
      }
      continue;
    }
    if (orphan[index] === 1 && index === openEnd) {
      stepEnds[newest] = index + 1;
    }
    reasoningStart = -1;
  }
  for (let step = 0; step < stepStarts.length; step += 1) {
    stepOf.fill(step, stepStarts[step], stepEnds[step]);
  }
  return { stepOf, stepStarts, stepEnds };
}
