import type { BaseMessage } from "@langchain/core/messages";
import type { Conversation } from "../conversation/anatomy.js";
import {
  isNote,
  originalsBehind,
  type RemovalStrategy,
} from "../conversation/marker.js";
import { countMessage } from "../tokens/measured-conversation.js";
import { createNote, removedBefore } from "./note.js";
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
  const { messages, counts, conversation } = measured;
  const before = removedBefore(conversation);
  const removal = new Removal(pass);

  for (const [index, marker] of conversation.markers) {
    if (isNote(marker)) {
      removal.drop(index);
    }
  }
  if (omissionNote !== null) {
    const most = before + originalsIn(pass, plan);
    const longest = createNote(
      omissionNote,
      { strategy: plan.strategy, removedMessages: most, keptMessages: 0 },
      undefined,
    );
    removal.size.add(await countMessage(longest, counter));
  }

  for (const index of plan.first) {
    removal.remove(index);
  }
  let isReached =
    plan.first.length > 0
      ? removal.size.isEnough()
      : removal.size.isEnoughAtFirst();
  let units = 0;
  while (!isReached && units < plan.units.length) {
    for (const index of plan.units[units]!) {
      removal.remove(index);
    }
    units += 1;
    isReached = removal.size.isEnough();
  }
  // A note may go by itself only where no note is wanted any more.
  if (removal.removedMessages === 0 && omissionNote !== null) {
    return null;
  }

  const kept: BaseMessage[] = [];
  const noteIndex = plan.noteIndex(units);
  let notePosition = 0;
  let firstRemovedId: string | undefined;
  let keptTokens = 0;
  for (let index = 0; index < messages.length; index += 1) {
    if (index === noteIndex) {
      notePosition = kept.length;
    }
    if (!removal.isGone(index)) {
      kept.push(messages[index]!);
      keptTokens += counts[index]!;
    } else if (!isNote(conversation.markers.get(index))) {
      firstRemovedId ??= messages[index]!.id;
    }
  }
  if (noteIndex >= messages.length) {
    notePosition = kept.length;
  }
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
      firstRemovedId,
    );
    keptTokens += await countMessage(note, counter);
    kept.splice(notePosition, 0, note);
  }
  const isSmaller =
    keptTokens < measured.total ||
    (keptTokens === measured.total && kept.length < messages.length);
  // A note or dead messages by themselves are better than nothing at all.
  const isEmptied = kept.length === 0 && units === 0;
  return isSmaller && !isEmptied ? kept : null;
}

/** What has gone so far, with the size that is left. */
class Removal {
  /** Original messages that went in this pass. */
  removedMessages = 0;
  readonly size: RemainingSize;
  readonly #conversation: Conversation;
  readonly #gone: Uint8Array;

  constructor(pass: Pass) {
    this.size = new RemainingSize(pass);
    this.#conversation = pass.measured.conversation;
    this.#gone = new Uint8Array(pass.measured.messages.length);
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
    this.size.remove(index);
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
