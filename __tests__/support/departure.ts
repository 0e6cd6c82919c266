import type { BaseMessage } from "@langchain/core/messages";
import { idsOf } from "./make-messages.js";
import {
  DEPARTURES,
  expectedSlidingWindow,
  type Departure,
  type ExpectedWindow,
  type WindowRules,
} from "./sliding-window-rules.js";
import type { VectorWindow } from "./vectors.js";

/** What of a result the reference and the package can be compared by. */
export interface Outcome {
  kept: string[];
  position: number | null;
  removedMessages: number | null;
}

export function outcomeOf(expected: ExpectedWindow | null): Outcome | null {
  return expected === null
    ? null
    : {
        kept: idsOf(expected.kept),
        position: expected.note?.position ?? null,
        removedMessages: expected.note?.removedMessages ?? null,
      };
}

export function referenceOutcome(
  expected: VectorWindow | null,
): Outcome | null {
  return expected === null
    ? null
    : {
        kept: expected.kept,
        position: expected.notes[0]?.position ?? null,
        removedMessages: expected.notes[0]?.num_removed ?? null,
      };
}

/**
 * The one departure that makes a result differ from the reference's: the one
 * without which it would be the same. Where several work together it is the
 * first of them, in the order in which they are listed.
 */
export function departureOf(
  messages: readonly BaseMessage[],
  rules: WindowRules,
  reference: VectorWindow | null,
): Departure | "none" {
  const wanted = JSON.stringify(referenceOutcome(reference));
  const agrees = (departures: readonly Departure[]): boolean => {
    const expected = expectedSlidingWindow(messages, {
      ...rules,
      departures: new Set(departures),
    });
    return JSON.stringify(outcomeOf(expected)) === wanted;
  };
  if (agrees(DEPARTURES)) {
    return "none";
  }
  const alone = DEPARTURES.filter((departure) =>
    agrees(DEPARTURES.filter((other) => other !== departure)),
  );
  const first = DEPARTURES.find(
    (_, index) => !agrees(DEPARTURES.slice(0, index + 1)),
  );
  return alone.length === 1 ? alone[0]! : first!;
}
