import type { BaseMessage } from "@langchain/core/messages";
import { originalsIn } from "../compactors/note.js";
import { isNote, markerOf, originalsBehind } from "../conversation/marker.js";
import { idOf } from "../conversation/message.js";
import type { Calibration } from "../tokens/calibration.js";
import { MeasuredConversation } from "../tokens/measured-conversation.js";
import type { TokenCounterLike } from "../tokens/token-counter.js";

/** What a view leaves out. */
export interface Hidden {
  readonly removedMessages: number;
  /** Id of the first message that it shows behind the instructions. */
  readonly firstKeptId: string | undefined;
}

/** The list that a view shows, which grows with the history and shrinks where it is compacted. */
export class ViewList {
  #messages: BaseMessage[] = [];
  #counts: number[] = [];
  #tokens = 0;
  #historyTokens = 0;
  #historyLength = 0;
  #originals = 0;
  #marks = 0;
  #hidden: Hidden = { removedMessages: 0, firstKeptId: undefined };

  get messages(): readonly BaseMessage[] {
    return this.#messages;
  }

  /** Tokens of the list, as counted. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Tokens of the whole history, as counted. */
  get historyTokens(): number {
    return this.#historyTokens;
  }

  /** Messages of the whole history. */
  get historyLength(): number {
    return this.#historyLength;
  }

  /** How many messages of the history are ours. */
  get marks(): number {
    return this.#marks;
  }

  /** What of the history the list leaves out. */
  get hidden(): Hidden {
    return this.#hidden;
  }

  push(message: BaseMessage, tokens: number): void {
    this.#messages.push(message);
    this.#counts.push(tokens);
    this.#tokens += tokens;
    this.#historyTokens += tokens;
    this.#historyLength += 1;
    const marker = markerOf(message);
    this.#marks += marker === undefined ? 0 : 1;
    this.#originals += isNote(marker) ? 0 : originalsBehind(marker);
  }

  /** Puts what a compaction made of the list in its place. */
  replace(result: MeasuredConversation): void {
    this.#hidden = this.hiddenBy(result);
    this.#messages = [...result.messages];
    this.#counts = Array.from(result.counts);
    this.#tokens = result.total;
  }

  /** What a list that a compaction made of this one leaves out of the history. */
  hiddenBy({ messages, conversation }: MeasuredConversation): Hidden {
    const { instructionsEnd, markers } = conversation;
    const firstKept = messages.findIndex(
      (_, index) => index >= instructionsEnd && !markers.has(index),
    );
    return {
      removedMessages: Math.max(0, this.#originals - originalsIn(messages)),
      firstKeptId: firstKept < 0 ? undefined : idOf(messages[firstKept]!),
    };
  }

  /** The list as it is now, inside a request. */
  measured(
    counter: TokenCounterLike,
    calibration: Calibration,
  ): MeasuredConversation {
    return new MeasuredConversation(
      [...this.#messages],
      [...this.#counts],
      counter,
      calibration,
    );
  }
}
