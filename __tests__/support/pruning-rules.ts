import type { BaseMessage } from "@langchain/core/messages";
import { markOf, readAnatomy, roleOf } from "./anatomy.js";

// Which tool results are pruned, restated from the rules alone: it imports
// nothing of the package. Without a departure it is the reference.

export const PRUNING_DEPARTURES = [
  "marker: only a mark that parses as ours counts",
  "pairing: results are found by call id and position",
  "unseen: a result that the model has not seen yet stays",
] as const;

export type PruningDeparture = (typeof PRUNING_DEPARTURES)[number];

export interface PruningRules {
  target: number;
  minKeepSteps: number;
  minTokens: number;
  /** Whether a result stays whatever it takes. */
  skip: (message: BaseMessage) => boolean;
  count: (message: BaseMessage) => number;
  /** Tokens of the message once it is pruned. */
  prunedTokens: (message: BaseMessage) => number;
  departures?: ReadonlySet<PruningDeparture>;
}

const ALL: ReadonlySet<PruningDeparture> = new Set(PRUNING_DEPARTURES);

/** Places of the results that are replaced, in order; `null` where there are none. */
export function expectedPruning(
  messages: readonly BaseMessage[],
  rules: PruningRules,
): number[] | null {
  const { target, minTokens, skip, count, prunedTokens } = rules;
  const departures = rules.departures ?? ALL;
  const [marker, pairing, unseen] = PRUNING_DEPARTURES.map((departure) =>
    departures.has(departure),
  );
  const isMarked = (message: BaseMessage): boolean =>
    marker
      ? markOf(message) !== null
      : "context_compaction" in message.additional_kwargs;
  const steps = (pairing ? stepsById : stepsByPlace)(messages);
  const kept = new Set(steps.slice(-rules.minKeepSteps).flat());
  const newestAi = messages.findLastIndex((one) => roleOf(one) === "ai");

  let total = messages.reduce((sum, message) => sum + count(message), 0);
  const pruned: number[] = [];
  messages.forEach((message, index) => {
    const saved = count(message) - prunedTokens(message);
    if (
      total > target &&
      roleOf(message) === "tool" &&
      !kept.has(index) &&
      !(unseen && index > newestAi) &&
      !isMarked(message) &&
      !skip(message) &&
      count(message) > minTokens &&
      saved > 0
    ) {
      pruned.push(index);
      total -= saved;
    }
  });
  return pruned.length === 0 ? null : pruned;
}

/** The results of each step that has any. */
function stepsById(messages: readonly BaseMessage[]): number[][] {
  const { steps } = readAnatomy(messages);
  return steps
    .map(({ first, last }) =>
      messages.flatMap((message, index) =>
        index >= first && index <= last && roleOf(message) === "tool"
          ? [index]
          : [],
      ),
    )
    .filter((results) => results.length > 0);
}

/** The same, a step being an AI message and the results directly behind it. */
function stepsByPlace(messages: readonly BaseMessage[]): number[][] {
  const steps: number[][] = [];
  let open: number[] | null = null;
  messages.forEach((message, index) => {
    const role = roleOf(message);
    if (role === "ai") {
      open = [];
      steps.push(open);
    } else if (role !== "tool") {
      open = null;
    } else {
      open?.push(index);
    }
  });
  return steps.filter((results) => results.length > 0);
}

/**
 * The one departure that makes a result differ from the reference's; of several
 * that work together the first.
 */
export function departureOfPruning(
  messages: readonly BaseMessage[],
  rules: PruningRules,
  reference: readonly number[] | null,
): PruningDeparture | "none" {
  const agrees = (departures: readonly PruningDeparture[]): boolean =>
    JSON.stringify(
      expectedPruning(messages, { ...rules, departures: new Set(departures) }),
    ) === JSON.stringify(reference);
  if (agrees(PRUNING_DEPARTURES)) {
    return "none";
  }
  const alone = PRUNING_DEPARTURES.filter((departure) =>
    agrees(PRUNING_DEPARTURES.filter((other) => other !== departure)),
  );
  const first = PRUNING_DEPARTURES.find(
    (_, index) => !agrees(PRUNING_DEPARTURES.slice(0, index + 1)),
  );
  return alone.length === 1 ? alone[0]! : first!;
}
