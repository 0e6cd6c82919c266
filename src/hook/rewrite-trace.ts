import type { BaseMessage } from "@langchain/core/messages";
import {
  isNote,
  markerOf,
  type RewriteMarker,
  type RewriteStamp,
  stampOf,
} from "../conversation/marker.js";
import { roleOf } from "../conversation/message.js";

/** What the newest rewrite left behind: reports up to here describe the list before it. */
export interface RewriteTrace {
  /** Reports at this index and before are stale. */
  readonly staleUpTo: number;
  /** Tokens beside the messages, as found then. */
  readonly overheadTokens: number | undefined;
}

/** Finds what the newest rewrite of a list left behind, or `undefined` where there was none. */
export function newestRewrite(
  messages: readonly BaseMessage[],
): RewriteTrace | undefined {
  const traces = new RewriteTraces();
  for (const message of messages) {
    traces.append(message);
  }
  return traces.newest(messages);
}

/** What rewrites left behind in a list, gone over message by message. */
export class RewriteTraces {
  readonly #stamps: { stamp: RewriteStamp; last: number }[] = [];
  /** The newest place of each id among the AI messages, as far as that was asked for. */
  readonly #answers = new Map<string, number>();
  #answersUpTo = 0;
  #length = 0;
  #marks = 0;

  /** How many messages are ours. */
  get marks(): number {
    return this.#marks;
  }

  append(message: BaseMessage): void {
    const index = this.#length;
    this.#length += 1;
    const marker = markerOf(message);
    this.#marks += marker === undefined ? 0 : 1;
    const stamp = isNote(marker) ? marker : stampOf(message);
    if (stamp !== undefined && isOfHook(stamp)) {
      // The rewritten list had the note besides the kept messages.
      const last =
        stamp === marker ? stamp.keptMessages : stamp.keptMessages - 1;
      this.#stamps.push({ stamp, last: Math.max(index, last) });
    }
  }

  /** @param list all that was gone over */
  newest(list: readonly BaseMessage[]): RewriteTrace | undefined {
    let newest: RewriteTrace | undefined;
    for (const { stamp, last } of this.#stamps) {
      const { lastReportId, overheadTokens } = stamp;
      const known =
        lastReportId === undefined
          ? undefined
          : this.#answersIn(list).get(lastReportId);
      const staleUpTo = known ?? last;
      if (newest === undefined || staleUpTo >= newest.staleUpTo) {
        newest = { staleUpTo, overheadTokens };
      }
    }
    return newest;
  }

  #answersIn(list: readonly BaseMessage[]): ReadonlyMap<string, number> {
    for (; this.#answersUpTo < list.length; this.#answersUpTo += 1) {
      const message = list[this.#answersUpTo]!;
      if (message.id !== undefined && roleOf(message) === "ai") {
        this.#answers.set(message.id, this.#answersUpTo);
      }
    }
    return this.#answers;
  }
}

/** A compactor by itself leaves a note too, and says nothing of reports. */
function isOfHook({ lastReportId, overheadTokens }: RewriteMarker): boolean {
  return lastReportId !== undefined || overheadTokens !== undefined;
}
