import type { BaseMessage } from "@langchain/core/messages";
import { roleOf } from "./message.js";
import {
  answeredIdsOf,
  callsOf,
  idOrNone,
  isOnlyToolResults,
} from "./tool-calls.js";

/** A call that no message of the list answers. */
export interface OpenCall {
  /** Index of the AI message that made the call. */
  readonly index: number;
  readonly id: string | undefined;
}

/** One answer to a call, as it was paired. */
export interface Answer {
  /** Index of the message that answers. */
  readonly index: number;
  /** Index of the AI message that made the call, or -1. */
  readonly caller: number;
  /** The id that the answer names. */
  readonly id: string | undefined;
  /** The id of the call that it answers, which the answer may leave out. */
  readonly callId: string | undefined;
  /** Whether an earlier answer had settled the call. */
  readonly repeated: boolean;
}

/** Which tool result answers which AI message, by call id and position. */
export interface Pairing {
  /** For each message, how many calls it makes, those that did not parse among them. */
  readonly callCounts: Int32Array;
  /** For each message, the index behind its calls' last result; 0 where it made no call. */
  readonly spanEnd: Int32Array;
  /** 1 for a message of nothing but tool results that answer no earlier call. */
  readonly orphan: Uint8Array;
  /** Calls without any answer, in order; calls that did not parse are never among them. */
  readonly open: readonly OpenCall[];
}

/**
 * Pairs the tool results of a list with its calls, in one pass.
 *
 * A result answers the nearest earlier unanswered call with its id, else the
 * nearest earlier call with its id, since ids recur in later turns and some
 * tools answer twice. A result without an id answers the AI message directly
 * before the results it stands in. An id that one message names twice is one call.
 *
 * @param onAnswer told of every answer, in order
 */
export function pairToolResults(
  messages: readonly BaseMessage[],
  onAnswer?: (answer: Answer) => void,
): Pairing {
  const callCounts = new Int32Array(messages.length);
  const spanEnd = new Int32Array(messages.length);
  const orphan = new Uint8Array(messages.length);
  const calls = new CallTable();
  // The AI message directly before the results that stand at this place.
  let opener = -1;

  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index]!;
    const role = roleOf(message);
    if (role === "ai") {
      opener = index;
      const made = calls.add(index, message);
      callCounts[index] = made;
      if (made > 0) {
        spanEnd[index] = index + 1;
      }
      continue;
    }
    const ids = answeredIdsOf(message);
    let isAnswer = false;
    for (const id of ids) {
      const caller =
        id === undefined ? calls.answerAt(opener) : calls.answer(id);
      if (caller >= 0) {
        spanEnd[caller] = index + 1;
        isAnswer = true;
      }
      onAnswer?.({
        index,
        caller,
        id,
        callId: calls.newestId,
        repeated: calls.wasRepeated,
      });
    }
    if (ids.length > 0 && !isAnswer) {
      orphan[index] = role === "tool" || isOnlyToolResults(message) ? 1 : 0;
    }
    if (role !== "tool") {
      opener = -1;
    }
  }
  return { callCounts, spanEnd, orphan, open: calls.open() };
}

/** One call of the list. */
interface Call extends OpenCall {
  /** Whether it wants no answer. */
  readonly isSettled: boolean;
  isAnswered: boolean;
  /** The call before with the same id that may still be unanswered. */
  previous: Call | undefined;
}

/** All calls so far; of those with one id, answered ones are skipped by links that only get shorter. */
class CallTable {
  readonly #calls: Call[] = [];
  readonly #newest = new Map<string, Call>();
  #cursor = 0;
  #cursorMessage = -1;
  /** The id of the call that the newest answer settled. */
  newestId: string | undefined;
  /** Whether that call was settled before. */
  wasRepeated = false;

  /** Takes in the calls of one AI message; says how many there are. */
  add(index: number, message: BaseMessage): number {
    const { valid, invalid } = callsOf(message);
    const count = valid.length + invalid.length;
    if (count === 0) {
      return 0;
    }
    this.#cursor = this.#calls.length;
    this.#cursorMessage = index;
    for (const call of valid) {
      this.#push(index, call.id, false);
    }
    for (const call of invalid) {
      this.#push(index, call.id, true);
    }
    return count;
  }

  /** Answers the call with this id and returns its message's index, or -1. */
  answer(id: string): number {
    const newest = this.#newest.get(id);
    this.newestId = newest === undefined ? undefined : id;
    this.wasRepeated = false;
    if (newest === undefined) {
      return -1;
    }
    const open = nearestOpen(newest);
    this.wasRepeated = open === undefined;
    const answered = open ?? newest;
    answered.isAnswered = true;
    return answered.index;
  }

  /** Answers the first unanswered call of the message that stands there; returns its index, or -1. */
  answerAt(index: number): number {
    this.newestId = undefined;
    this.wasRepeated = false;
    if (index < 0 || index !== this.#cursorMessage) {
      return -1;
    }
    while (this.#calls[this.#cursor]?.isAnswered) {
      this.#cursor += 1;
    }
    const call = this.#calls[this.#cursor];
    this.newestId = call?.id;
    this.wasRepeated = call === undefined;
    if (call !== undefined) {
      call.isAnswered = true;
    }
    return index;
  }

  open(): OpenCall[] {
    return this.#calls
      .filter(({ isAnswered, isSettled }) => !isAnswered && !isSettled)
      .map(({ index, id }) => ({ index, id }));
  }

  #push(index: number, rawId: unknown, isSettled: boolean): void {
    const id = idOrNone(rawId);
    const previous = id === undefined ? undefined : this.#newest.get(id);
    if (previous?.index === index) {
      return;
    }
    const call = { index, id, isSettled, isAnswered: false, previous };
    this.#calls.push(call);
    if (id !== undefined) {
      this.#newest.set(id, call);
    }
  }
}

function nearestOpen(from: Call): Call | undefined {
  let call: Call | undefined = from;
  while (call?.isAnswered) {
    const before: Call | undefined = call.previous;
    if (before?.isAnswered) {
      call.previous = before.previous;
    }
    call = before;
  }
  return call;
}
