import type { BaseMessage } from "@langchain/core/messages";
import { idOf } from "../conversation/message.js";

/** What a shortened list has kept of the list that it was made of; an edited message keeps its id. */
export class KeptMessages {
  readonly #before: readonly BaseMessage[];
  readonly #after: readonly BaseMessage[];
  /** 1 for each earlier message that is still there, as the same object or by its id. */
  readonly #isThere: Uint8Array;
  /** Whether messages went and a few new ones came, and nothing else: no edit, no other order, nothing twice. */
  readonly isOnlyShorter: boolean;
  /** The new ones, where that is so. */
  readonly fresh: readonly BaseMessage[];

  constructor(before: readonly BaseMessage[], after: readonly BaseMessage[]) {
    this.#before = before;
    this.#after = after;
    this.#isThere = new Uint8Array(before.length);
    const fresh = this.#findInOrder();
    const ids = new Set<string>();
    let named = 0;
    for (const message of after) {
      const id = idOf(message);
      if (id !== undefined) {
        ids.add(id);
        named += 1;
      }
    }
    this.fresh = fresh ?? [];
    this.isOnlyShorter =
      ids.size === named &&
      fresh !== undefined &&
      fresh.every(
        (message) =>
          idOf(message) === undefined ||
          before.every(({ id }) => id !== message.id),
      );
    this.#findOthers(ids);
  }

  /** Whether an earlier message is still there. */
  has(index: number): boolean {
    return this.#isThere[index] === 1;
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

  /** Those that stand elsewhere or more than once, or were edited. */
  #findOthers(ids: ReadonlySet<string>): void {
    const objects = new Set(this.#after);
    for (let index = 0; index < this.#before.length; index += 1) {
      if (this.#isThere[index] === 0) {
        const message = this.#before[index]!;
        const id = idOf(message);
        const isThere = id === undefined ? objects.has(message) : ids.has(id);
        this.#isThere[index] = isThere ? 1 : 0;
      }
    }
  }
}

/** A pass leaves one note; so many new messages may be looked for in vain. */
const FEW = 4;
