import type { BaseMessage } from "@langchain/core/messages";
import { type Conversation, isMadeByMachine } from "../conversation/anatomy.js";
import { type CompactionStrategy, isNote } from "../conversation/marker.js";
import {
  invalidOption,
  requireKnownOptions,
  requireWholeNumber,
} from "../options.js";
import {
  COMPACTOR_FIELDS,
  Compactor,
  type CompactorFields,
} from "./compactor.js";
import { askPredicate } from "../conditions/ask-predicate.js";
import { readOmissionNote } from "./note.js";
import { type DirectCompactOptions, openPass, type Pass } from "./pass.js";
import { pendingSteps, protectedTask } from "./protected-messages.js";
import { type RemovalPlan, removeUnits } from "./removal.js";

/** Options of `SlidingWindowCompactor`. */
export interface SlidingWindowCompactorFields extends CompactorFields {
  /** Newest steps of the task that stay, whatever they cost. Steps. @default 1 */
  minKeepSteps?: number;
  /**
   * Text of the note that stands where messages were removed, with
   * `{num_removed}` for their number; `null` for no note.
   *
   * @default "[{num_removed} earlier messages were removed from this conversation to free up context.]"
   */
  omissionNote?: string | null;
  /** Messages that never go; a message of a step keeps its step. @default none */
  pin?: (message: BaseMessage) => boolean;
}

/**
 * Removes whole old turns, and only when that is not enough the oldest steps of the task.
 *
 * Instructions, the task, calls that wait for an answer and pinned messages
 * stay, even where they alone exceed the target. From Haystack's
 * `SlidingWindowCompactor`, with its faults mended.
 */
export class SlidingWindowCompactor extends Compactor {
  override readonly strategy: CompactionStrategy = "sliding-window";
  readonly #minKeepSteps: number;
  readonly #omissionNote: string | null;
  readonly #pin: ((message: BaseMessage) => boolean) | undefined;

  static override lc_name(): string {
    return "SlidingWindowCompactor";
  }

  /** @throws CompactionError `INVALID_OPTION` */
  constructor(fields: SlidingWindowCompactorFields = {}) {
    requireKnownOptions("SlidingWindowCompactor", fields, [
      ...COMPACTOR_FIELDS,
      "minKeepSteps",
      "omissionNote",
      "pin",
    ]);
    super(fields);
    const { minKeepSteps = 1, omissionNote, pin } = fields;
    requireWholeNumber("minKeepSteps", minKeepSteps, 0, "steps");
    if (pin !== undefined && typeof pin !== "function") {
      throw invalidOption("pin", pin, "a function of a message");
    }
    this.#minKeepSteps = minKeepSteps;
    this.#omissionNote = readOmissionNote(omissionNote);
    this.#pin = pin;
  }

  /** The shorter list, or `null` where there is nothing useful to do. */
  override async compact(
    messages: readonly BaseMessage[],
    options?: DirectCompactOptions,
  ): Promise<BaseMessage[] | null> {
    const pass = await openPass(this, messages, options);
    return pass === null
      ? null
      : removeUnits(
          pass,
          planSlidingWindow(pass, this.#minKeepSteps, this.#pin),
          this.#omissionNote,
        );
  }
}

/** What may go, oldest first: turns, then the task's steps but for the newest. */
function planSlidingWindow(
  { measured, goal }: Pass,
  minKeepSteps: number,
  pin: ((message: BaseMessage) => boolean) | undefined,
): RemovalPlan {
  const { conversation } = measured;
  const dead = deadMessages(conversation);
  const stays = keptAnyway(conversation, dead, pin);
  const task = protectedTask(measured, goal.tokens, stays);
  const turns = turnUnits(conversation, task.start, stays);
  const steps = stepUnits(
    conversation,
    task.end,
    stays,
    pendingSteps(conversation),
  );
  return {
    strategy: "sliding-window",
    first: dead,
    units: [...turns, ...aboveFloor(steps, minKeepSteps)],
    noteIndex: (removed) =>
      removed > turns.length ? task.end : conversation.instructionsEnd,
  };
}

/** Dead messages, in order; a step that holds part of the task is none. */
function deadMessages(conversation: Conversation): readonly number[] {
  const { openCalls, taskIndex, taskRunStart, stepOf, orphan, messages } =
    conversation;
  const deadSteps = new Set<number>();
  for (const { index } of openCalls) {
    if (index <= taskIndex) {
      deadSteps.add(stepOf[index]!);
    }
  }
  if (taskIndex >= 0) {
    for (let index = taskRunStart; index <= taskIndex; index += 1) {
      deadSteps.delete(stepOf[index]!);
    }
  }
  const dead: number[] = [];
  for (let index = 0; index < messages.length; index += 1) {
    const isDead = orphan[index] === 1 || deadSteps.has(stepOf[index]!);
    if (isDead && !isNote(conversation.markers.get(index))) {
      dead.push(index);
    }
  }
  return dead;
}

/**
 * 1 for each message that is in no unit: dead ones and earlier notes go by
 * themselves, pinned ones stay with their steps.
 */
function keptAnyway(
  conversation: Conversation,
  dead: readonly number[],
  pin: ((message: BaseMessage) => boolean) | undefined,
): Uint8Array {
  const { messages, markers, stepOf, stepStarts, stepEnds } = conversation;
  const stays = new Uint8Array(messages.length);
  for (const index of dead) {
    stays[index] = 1;
  }
  for (const [index, marker] of markers) {
    if (isNote(marker)) {
      stays[index] = 1;
    }
  }
  if (pin !== undefined) {
    for (let index = 0; index < messages.length; index += 1) {
      if (
        stays[index] === 0 &&
        askPredicate('Option "pin"', pin, messages[index]!)
      ) {
        const step = stepOf[index]!;
        stays.fill(1, stepStarts[step] ?? index, stepEnds[step] ?? index + 1);
      }
    }
  }
  return stays;
}

/** The turns before the task, what precedes the first of them being the oldest. */
function turnUnits(
  { instructionsEnd, turnStarts }: Conversation,
  end: number,
  stays: Uint8Array,
): number[][] {
  const units: number[][] = [];
  let next = 0;
  let unit: number[] = [];
  for (let index = instructionsEnd; index < end; index += 1) {
    if (index === turnStarts[next]) {
      next += 1;
      unit = [];
    }
    if (stays[index] === 0) {
      if (unit.length === 0) {
        units.push(unit);
      }
      unit.push(index);
    }
  }
  return units;
}

/** A step of the task with what goes along with it. */
interface StepUnit {
  readonly members: number[];
  readonly isPending: boolean;
}

/** The task's steps; a summary that stands before them is the oldest. */
function stepUnits(
  conversation: Conversation,
  start: number,
  stays: Uint8Array,
  pending: ReadonlySet<number>,
): StepUnit[] {
  const { messages, roles, stepOf } = conversation;
  const units: StepUnit[] = [];
  let newestStep = -1;
  for (let index = start; index < messages.length; index += 1) {
    const step = stepOf[index]!;
    if (step >= 0 && step !== newestStep) {
      newestStep = step;
      units.push({ members: [], isPending: pending.has(step) });
    } else if (
      step < 0 &&
      units.length === 0 &&
      stays[index] === 0 &&
      isMadeByMachine(conversation, index)
    ) {
      units.push({ members: [], isPending: false });
    }
    const standsByItself = step < 0 && roles[index] === "system";
    if (stays[index] === 0 && !standsByItself) {
      units.at(-1)?.members.push(index);
    }
  }
  return units;
}

/** The units that may go so that at least so many stay, of which pending ones are part. */
function aboveFloor(
  steps: readonly StepUnit[],
  minKeepSteps: number,
): number[][] {
  const free = steps.filter((unit) => !unit.isPending);
  const pending = steps.length - free.length;
  const mayGo = free.slice(
    0,
    Math.max(0, free.length - Math.max(0, minKeepSteps - pending)),
  );
  return mayGo
    .map((unit) => unit.members)
    .filter((members) => members.length > 0);
}
