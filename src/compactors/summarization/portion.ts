import {
  type Conversation,
  isMadeByMachine,
} from "../../conversation/anatomy.js";
import type { Pass } from "../pass.js";
import { pendingSteps, protectedTask } from "../protected-messages.js";
import { RemainingSize } from "../remaining-size.js";

/** Where a portion is taken from; in this order. */
export const SUMMARY_TIERS = [
  "turns",
  "summaries-of-turns",
  "steps",
  "summaries-of-steps",
] as const;

export type SummaryTier = (typeof SUMMARY_TIERS)[number];

/** Messages that one summary is to stand for. */
export interface Portion {
  readonly tier: SummaryTier;
  /** Their positions, in order. */
  readonly members: readonly number[];
}

/** How portions are chosen. */
export interface PortionRules {
  /** Newest steps of the task that stay, of which waiting ones are part. */
  readonly minKeepSteps: number;
  /** Tokens that a summary is taken to have. */
  readonly summaryTokens: number;
  /** Tiers to leave out. */
  readonly closed: ReadonlySet<SummaryTier>;
}

/**
 * What to summarise next: of the first tier that has something as few of the oldest as needed.
 *
 * First whole turns, then the summaries before the task, then the task's
 * steps, then the summaries behind the task; one summary alone is never
 * rewritten. System messages, the task, calls that wait for an answer and what
 * stands before the first turn are in no portion. From Haystack's
 * `SummarizationCompactor`.
 */
export function choosePortion(
  pass: Pass,
  { minKeepSteps, summaryTokens, closed }: PortionRules,
): Portion | null {
  const { conversation } = pass.measured;
  const { instructionsEnd, messages } = conversation;
  const task = protectedTask(pass.measured, pass.goal.tokens);
  const unitsOf: Record<SummaryTier, () => number[][]> = {
    turns: () => turnUnits(conversation, task.start),
    "summaries-of-turns": () =>
      summaryUnits(conversation, instructionsEnd, task.start),
    steps: () => stepUnits(conversation, task.end, minKeepSteps),
    "summaries-of-steps": () =>
      summaryUnits(conversation, task.end, messages.length),
  };
  for (const tier of SUMMARY_TIERS) {
    const least = isMerge(tier) ? 2 : 1;
    const units = closed.has(tier) ? [] : unitsOf[tier]();
    if (units.length >= least) {
      return { tier, members: oldestOf(units, least, pass, summaryTokens) };
    }
  }
  return null;
}

/** Whether a tier makes one summary of several. */
export function isMerge(tier: SummaryTier): boolean {
  return tier === "summaries-of-turns" || tier === "summaries-of-steps";
}

/** The whole turns before the task. */
function turnUnits(
  { turnStarts, roles }: Conversation,
  taskStart: number,
): number[][] {
  const starts = turnStarts.filter((start) => start < taskStart);
  return starts.map((start, turn) => {
    const unit: number[] = [];
    for (
      let index = start;
      index < (starts[turn + 1] ?? taskStart);
      index += 1
    ) {
      if (roles[index] !== "system") {
        unit.push(index);
      }
    }
    return unit;
  });
}

/** The steps of the task but for the newest, and the records of folded steps before these. */
function stepUnits(
  conversation: Conversation,
  start: number,
  minKeepSteps: number,
): number[][] {
  const { messages, roles, markers, stepOf } = conversation;
  const pending = pendingSteps(conversation);
  const units: number[][] = [];
  // Of the units those that are steps, by their number.
  const steps: number[] = [];
  let openStep = -1;
  let waiting = 0;
  for (let index = start; index < messages.length; index += 1) {
    const step = stepOf[index]!;
    const isWaiting = step >= 0 && pending.has(step);
    if (step >= 0 && step !== openStep) {
      openStep = step;
      if (isWaiting) {
        waiting += 1;
      } else {
        steps.push(units.push([]) - 1);
      }
    }
    if (step < 0) {
      if (markers.get(index)?.strategy === "tool-call-collapse") {
        units.push([index]);
      }
    } else if (!isWaiting && roles[index] !== "system") {
      units.at(-1)!.push(index);
    }
  }
  const kept = Math.max(0, minKeepSteps - waiting);
  const firstKept = kept === 0 ? units.length : (steps.at(-kept) ?? 0);
  return units.slice(0, firstKept);
}

/** The summaries between two places, of whatever made them, each by itself. */
function summaryUnits(
  conversation: Conversation,
  start: number,
  end: number,
): number[][] {
  const units: number[][] = [];
  for (let index = start; index < end; index += 1) {
    if (isSummary(conversation, index)) {
      units.push([index]);
    }
  }
  return units;
}

/** Whether a message is a summary: ours, or one that another middleware made. */
export function isSummary(conversation: Conversation, index: number): boolean {
  const { messages, markers, stepOf } = conversation;
  if (stepOf[index]! >= 0) {
    return false;
  }
  const marker = markers.get(index);
  return marker === undefined
    ? isMadeByMachine(conversation, index) &&
        messages[index]!.additional_kwargs?.lc_source === "summarization"
    : marker.strategy === "summarization";
}

/** As many of the units, the oldest first, as it takes to reach the goal with a summary in their place. */
function oldestOf(
  units: readonly (readonly number[])[],
  least: number,
  pass: Pass,
  summaryTokens: number,
): number[] {
  const size = new RemainingSize(pass);
  size.add(summaryTokens);
  const members: number[] = [];
  for (let taken = 0; taken < units.length; taken += 1) {
    for (const index of units[taken]!) {
      size.remove(index);
      members.push(index);
    }
    if (taken + 1 >= least && size.isEnough()) {
      break;
    }
  }
  return members;
}
