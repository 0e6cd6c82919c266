import type { BaseMessage } from "@langchain/core/messages";
import { idOf } from "../conversation/message.js";

/** What a shortened list has kept of the list that it was made of; an edited message keeps its id. */
export class KeptMessages {
  readonly #before: readonly BaseMessage[];
  readonly #after: readonly BaseMessage[];
  /** 1 for each earlier message that is still there as the same object. */
  #isThere: Uint8Array;
  readonly #ids: ReadonlySet<string>;
  /** Whether messages went and a few new ones came, and nothing else: no edit, no other order, nothing twice. */
  readonly isOnlyShorter: boolean;
  /** The new ones, where that is so. */
  readonly fresh: readonly BaseMessage[];

  constructor(before: readonly BaseMessage[], after: readonly BaseMessage[]) {
    this.#before = before;
    this.#after = after;
    const ids = after.map(idOf).filter((id) => id !== undefined);
    this.#ids = new Set(ids);
    this.#isThere = new Uint8Array(before.length);
    const fresh = this.#findInOrder();
    if (fresh === undefined) {
      const objects = new Set(after);
      this.#isThere = Uint8Array.from(before, (one) =>
        objects.has(one) ? 1 : 0,
      );
    }
    this.fresh = fresh ?? [];
    this.isOnlyShorter =
      this.#ids.size === ids.length &&
      fresh !== undefined &&
      fresh.every(
        (message) =>
          idOf(message) === undefined ||
          before.every(({ id }) => id !== message.id),
      );
  }

  /** Whether an earlier message is still there. */
  has(index: number): boolean {
    const id = idOf(this.#before[index]!);
    return (
      this.#isThere[index] === 1 || (id !== undefined && this.#ids.has(id))
    );
  }

  /** Finds one message after the other; the new ones, or `undefined` where they are many or one stands elsewhere. */
  #findInOrder(): BaseMessage[] | undefined {
    const fresh: BaseMessage[] = [];
    let next = 0;
    for (const message of this.#after) {
      const place = this.#before.indexOf(message, next);
      if (place >= 0) {
        this.#isThere[place] = 1;
        next = place + 1;
      } else if (fresh.length < FEW && !this.#before.includes(message)) {
        fresh.push(message);
      } else {
        return undefined;
      }
    }
    return fresh;
  }
}

/** A pass leaves one note; so many new messages may be looked for in vain. */
const FEW = 4;
