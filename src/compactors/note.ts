import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { Conversation } from "../conversation/anatomy.js";
import { FreeIds } from "../conversation/free-ids.js";
import {
  isNote,
  markerOf,
  originalsBehind,
  MARKER_KEY,
  type RemovalMarker,
  stampOf,
} from "../conversation/marker.js";
import { invalidOption } from "../options.js";

const DEFAULT_OMISSION_NOTE =
  "[{num_removed} earlier messages were removed from this conversation to free up context.]";

/**
 * The note's text by the option `omissionNote`, `null` for no note.
 *
 * @throws CompactionError `INVALID_OPTION` unless it is a text or `null`
 */
export function readOmissionNote(
  value: string | null = DEFAULT_OMISSION_NOTE,
): string | null {
  if (value !== null && typeof value !== "string") {
    throw invalidOption(
      "omissionNote",
      value,
      'a text, with "{num_removed}" where the number goes, or null for no note',
    );
  }
  // Providers refuse an empty message.
  return value === "" ? null : value;
}

/**
 * The human message that stands where messages were removed.
 *
 * Its text is a function of the template and the number alone, so it stays
 * the same byte for byte.
 */
export function createNote(
  template: string,
  marker: RemovalMarker,
  id = "compaction-note",
): BaseMessage {
  return new HumanMessage({
    id,
    content: template.replaceAll("{num_removed}", () =>
      String(marker.removedMessages),
    ),
    additional_kwargs: { [MARKER_KEY]: marker },
  });
}

/** The id of a note: it follows from that of the first removed message, and no other message has it. */
export function noteId(
  { messages, markers }: Conversation,
  firstRemovedId: string | undefined,
): string {
  const ids = new FreeIds(messages, (index) => isNote(markers.get(index)));
  return ids.take(
    firstRemovedId === undefined ? "note" : `note-${firstRemovedId}`,
  );
}

/** How many original messages a list stands for, those that notes speak of aside. */
export function originalsIn(messages: readonly BaseMessage[]): number {
  let originals = 0;
  for (const message of messages) {
    const marker = markerOf(message);
    originals += isNote(marker) ? 0 : originalsBehind(marker);
  }
  return originals;
}

/**
 * Original messages that earlier passes removed: what the notes say, or without
 * a note what the hook left on the newest AI message that it marked.
 */
export function removedBefore(conversation: Conversation): number {
  let removed = 0;
  let hasNote = false;
  for (const marker of conversation.markers.values()) {
    if (isNote(marker)) {
      hasNote = true;
      removed += marker.removedMessages;
    }
  }
  if (hasNote) {
    return removed;
  }
  const { messages } = conversation;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const stamp = stampOf(messages[index]!);
    if (stamp !== undefined) {
      return stamp.removedMessages;
    }
  }
  return 0;
}
