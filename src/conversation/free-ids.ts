import type { BaseMessage } from "@langchain/core/messages";
import { idOf } from "./message.js";

/** What the ids of messages that compactors make begin with. */
const PREFIX = "compaction-";

/**
 * Ids for messages that are made, none of which another message of a list has.
 *
 * The same list gives the same ids.
 */
export class FreeIds {
  readonly #taken = new Set<string>();

  /** @param isLeaving whether the message at an index goes and frees its id */
  constructor(
    messages: readonly BaseMessage[],
    isLeaving?: (index: number) => boolean,
  ) {
    for (let index = 0; index < messages.length; index += 1) {
      const id = idOf(messages[index]!);
      if (
        typeof id === "string" &&
        id.startsWith(PREFIX) &&
        isLeaving?.(index) !== true
      ) {
        this.#taken.add(id);
      }
    }
  }

  /** `compaction-…`, with the first number behind it that makes it free where it is not. */
  take(name: string): string {
    const wanted = PREFIX + name;
    let id = wanted;
    for (let number = 2; this.#taken.has(id); number += 1) {
      id = `${wanted}-${number}`;
    }
    this.#taken.add(id);
    return id;
  }
}
