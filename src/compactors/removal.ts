import type { BaseMessage } from "@langchain/core/messages";
import type { Conversation } from "../conversation/anatomy.js";
import { idOf } from "../conversation/message.js";
import {
  isNote,
  originalsBehind,
  type RemovalStrategy,
} from "../conversation/marker.js";
import { countMessage } from "../tokens/ask-counter.js";
import type { MeasuredConversation } from "../tokens/measured-conversation.js";
import { createNote, noteId, removedBefore } from "./note.js";
import type { Pass } from "./pass.js";
import { RemainingSize } from "./remaining-size.js";

/** What a compactor may remove, in the order in which it would. */
export interface RemovalPlan {
  readonly strategy: RemovalStrategy;
  /** Goes in any pass that removes something: dead messages. */
  readonly first: readonly number[];
  /** What may go, unit by unit, the oldest first; each a list of positions. */
  readonly units: readonly (readonly number[])[];
  /** Where the note stands, given how many units went: the index of the message that it precedes. */
  noteIndex(removedUnits: number): number;
}

/**
 * Removes units of a conversation, the oldest first, until the goal is reached, and leaves one note.
 *
 * A number of tokens is looked at first, with the note's own tokens counted;
 * any other goal is asked once after each removal. Earlier notes go into the
 * new one. Linear in the number of messages.
 *
 * @param omissionNote the note's text, or `null` for none
 * @returns the shorter list, or `null` where it would not be smaller, or where
 *   nothing but an earlier note would go and another one come
 */
export async function removeUnits(
  pass: Pass,
  plan: RemovalPlan,
  omissionNote: string | null,
): Promise<BaseMessage[] | null> {
  const { measured, counter } = pass;
  const { messages, conversation } = measured;
  const before = removedBefore(conversation);
  const removal = new Removal(conversation);

  for (const [index, marker] of conversation.markers) {
    if (isNote(marker)) {
      removal.drop(index);
    }
  }
  for (const index of plan.first) {
    removal.remove(index);
  }
  let longestNote: number | undefined;
  if (omissionNote !== null) {
    const most = before + originalsIn(pass, plan);
    const longest = createNote(omissionNote, {
      strategy: plan.strategy,
      removedMessages: most,
      keptMessages: 0,
    });
    longestNote = await countMessage(longest, counter);
  }
  const units =
    pass.goal.tokens === undefined
      ? unitsUntilReached(pass, plan, removal, longestNote)
      : unitsTooMany(
          measured,
          plan,
          removal,
          pass.goal.tokens - (longestNote ?? 0),
        );
  for (let unit = 0; unit < units; unit += 1) {
    for (const index of plan.units[unit]!) {
      removal.remove(index);
    }
  }
  // A note may go by itself only where no note is wanted any more.
  if (removal.removedMessages === 0 && omissionNote !== null) {
    return null;
  }

  const kept: BaseMessage[] = [];
  const noteIndex = plan.noteIndex(units);
  let notePosition = 0;
  let firstRemovedId: string | undefined;
  for (let index = 0; index < messages.length; index += 1) {
    if (index === noteIndex) {
      notePosition = kept.length;
    }
    if (!removal.isGone(index)) {
      kept.push(messages[index]!);
    } else if (!isNote(conversation.markers.get(index))) {
      firstRemovedId ??= idOf(messages[index]!);
    }
  }
  if (noteIndex >= messages.length) {
    notePosition = kept.length;
  }
  let noteTokens = 0;
  if (omissionNote !== null) {
    const note = createNote(
      omissionNote,
      {
        strategy: plan.strategy,
        // A larger number would be no marker of ours, and the note a person's words.
        removedMessages: Math.min(
          before + removal.removedMessages,
          Number.MAX_SAFE_INTEGER,
        ),
        keptMessages: kept.length,
      },
      noteId(conversation, firstRemovedId),
    );
    noteTokens = await countMessage(note, counter);
    kept.splice(notePosition, 0, note);
  }
  // A note or dead messages by themselves are better than nothing at all.
  const isEmptied = kept.length === 0 && units === 0;
  return isSmaller(measured, removal, noteTokens, kept.length) && !isEmptied
    ? kept
    : null;
}

/** How many units go until the goal holds, which is asked after each. */
function unitsUntilReached(
  pass: Pass,
  plan: RemovalPlan,
  removal: Removal,
  noteTokens: number | undefined,
): number {
  const size = new RemainingSize(pass);
  for (let index = 0; index < pass.measured.messages.length; index += 1) {
    if (removal.isGone(index)) {
      size.remove(index);
    }
  }
  if (noteTokens !== undefined) {
    size.add(noteTokens);
  }
  let units = 0;
  let isReached = plan.first.length > 0 && size.isEnough();
  while (!isReached && units < plan.units.length) {
    for (const index of plan.units[units]!) {
      if (!removal.isGone(index)) {
        size.remove(index);
      }
    }
    units += 1;
    isReached = size.isEnough();
  }
  return units;
}

/** How many units go so that the others fit; what is older than the first that does not fit is not counted. */
function unitsTooMany(
  measured: MeasuredConversation,
  plan: RemovalPlan,
  removal: Removal,
  tokens: number,
): number {
  const mayGo = new Uint8Array(measured.messages.length);
  for (const unit of plan.units) {
    for (const index of unit) {
      mayGo[index] = 1;
    }
  }
  let room = tokens;
  for (let index = 0; index < mayGo.length; index += 1) {
    if (mayGo[index] === 0 && !removal.isGone(index)) {
      room -= measured.countAt(index);
    }
  }
  let units = plan.units.length;
  while (units > 0) {
    for (const index of plan.units[units - 1]!) {
      room -= removal.isGone(index) ? 0 : measured.countAt(index);
    }
    if (room < 0) {
      break;
    }
    units -= 1;
  }
  return units;
}

/** Whether what is gone is more than the note: in tokens, or with as many tokens in messages. */
function isSmaller(
  measured: MeasuredConversation,
  removal: Removal,
  noteTokens: number,
  keptMessages: number,
): boolean {
  let excess = noteTokens;
  for (let index = 0; index < measured.messages.length; index += 1) {
    if (removal.isGone(index)) {
      excess -= measured.countAt(index);
      if (excess < 0) {
        return true;
      }
    }
  }
  return excess === 0 && keptMessages < measured.messages.length;
}

/** What has gone so far. */
class Removal {
  /** Original messages that went in this pass. */
  removedMessages = 0;
  readonly #conversation: Conversation;
  readonly #gone: Uint8Array;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
    this.#gone = new Uint8Array(conversation.messages.length);
  }

  isGone(index: number): boolean {
    return this.#gone[index] === 1;
  }

  /** Takes an original message out. */
  remove(index: number): void {
    if (!this.isGone(index)) {
      this.removedMessages += originalsBehind(
        this.#conversation.markers.get(index),
      );
      this.drop(index);
    }
  }

  /** Takes a message out that does not count. */
  drop(index: number): void {
    this.#gone[index] = 1;
  }
}

/** The most that the note may have to say was removed now. */
function originalsIn({ measured }: Pass, plan: RemovalPlan): number {
  const { markers } = measured.conversation;
  let originals = 0;
  for (const unit of [plan.first, ...plan.units]) {
    for (const index of unit) {
      originals += originalsBehind(markers.get(index));
    }
  }
  return originals;
}
