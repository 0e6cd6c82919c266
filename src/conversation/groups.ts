import type { Conversation } from "./anatomy.js";
import { isNote } from "./marker.js";

/**
 * What a group is: a system or human message, an AI message without calls, a
 * step with calls, our note, what stands for messages that are gone (a
 * summary, the record of a folded step), or anything else, such as a result
 * without a call.
 */
export type GroupKind =
  | "system"
  | "human"
  | "ai"
  | "tool-step"
  | "note"
  | "summary"
  | "other";

/** A step, or one message that is in no step: what Microsoft Agent Framework counts as a group. */
export interface Group {
  readonly kind: GroupKind;
  /** Index of its first message. */
  readonly start: number;
  /** Index behind its last message. */
  readonly end: number;
  /** Number of its turn, from 1; 0 before the first turn, `undefined` for a system message. */
  readonly turn: number | undefined;
}

/** The groups of a conversation, in order; every message is in one of them. */
export function groupsOf(conversation: Conversation): Group[] {
  const { messages, stepOf, stepEnds } = conversation;
  const turnOf = turnNumbers(conversation);
  const groups: Group[] = [];
  for (let start = 0; start < messages.length;) {
    const end = stepEnds[stepOf[start]!] ?? start + 1;
    const kind = kindOf(conversation, start, end);
    const turn = kind === "system" ? undefined : turnOf[start]!;
    groups.push({ kind, start, end, turn });
    start = end;
  }
  return groups;
}

/** All groups but so many of the newest; system messages and notes count as none. */
export function oldGroups(conversation: Conversation, newest: number): Group[] {
  const groups = groupsOf(conversation).filter(
    ({ kind }) => kind !== "system" && kind !== "note",
  );
  return groups.slice(0, Math.max(0, groups.length - newest));
}

/** For each message the number of its turn, from 1; 0 before the first turn. */
export function turnNumbers({
  messages,
  turnStarts,
}: Conversation): Int32Array {
  const turnOf = new Int32Array(messages.length);
  for (let turn = 0; turn < turnStarts.length; turn += 1) {
    turnOf.fill(turn + 1, turnStarts[turn], turnStarts[turn + 1]);
  }
  return turnOf;
}

function kindOf(
  conversation: Conversation,
  start: number,
  end: number,
): GroupKind {
  const { messages, roles, markers, stepOf, realHuman } = conversation;
  if (hasCalls(conversation, start, end)) {
    return "tool-step";
  }
  const marker = markers.get(start);
  if (isNote(marker)) {
    return "note";
  }
  if (
    marker?.strategy === "summarization" ||
    marker?.strategy === "tool-call-collapse"
  ) {
    return "summary";
  }
  if (stepOf[start]! >= 0) {
    return "ai";
  }
  if (roles[start] === "system") {
    return "system";
  }
  if (realHuman[start] === 1) {
    return "human";
  }
  const source = messages[start]!.additional_kwargs?.lc_source;
  return source === "summarization" ? "summary" : "other";
}

function hasCalls(
  { callCounts }: Conversation,
  start: number,
  end: number,
): boolean {
  for (let index = start; index < end; index += 1) {
    if (callCounts[index]! > 0) {
      return true;
    }
  }
  return false;
}
