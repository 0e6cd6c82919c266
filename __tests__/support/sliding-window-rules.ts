import type { BaseMessage } from "@langchain/core/messages";
import { isLegalCut, markOf, readAnatomy, roleOf, stampOf } from "./anatomy.js";
import type { Anatomy, Span } from "./anatomy.js";

// What the sliding window has to keep, restated: first Haystack's way, then
// each departure of ours as a switch of its own. With every switch off this
// gives the reference's results; with every switch on, the package's.

export const DEPARTURES = [
  "marker: only a mark that parses as ours counts",
  "pairing: results are found by call id and position",
  "run: a run of human messages is one task",
  "dead: dead messages go first and pending calls stay",
  "preamble: the preamble stays when it fits",
  "task: a system message stays, a summary is the oldest step, other messages go with the unit before",
  "note price: the note's tokens count",
  "count: counts go on over passes",
  "smaller: a pass that does not make it smaller returns null",
] as const;

export type Departure = (typeof DEPARTURES)[number];

const key = (start: string): Departure =>
  DEPARTURES.find((departure) => departure.startsWith(`${start}:`))!;

export interface WindowRules {
  target: number;
  minKeepSteps: number;
  /** The note's text, or `null` for none. */
  note: string | null;
  pin?: (message: BaseMessage) => boolean;
  count: (message: BaseMessage) => number;
  /** Tokens of a note that says this number. */
  noteTokens: (removed: number) => number;
  departures?: ReadonlySet<Departure>;
}

export interface ExpectedWindow {
  kept: BaseMessage[];
  removed: BaseMessage[];
  note: {
    position: number;
    removedMessages: number;
    keptMessages: number;
  } | null;
}

/** A removable unit: a turn, or a step with what goes with it. */
export interface Unit {
  /** What goes with it; pinned messages and old notes are no part. */
  indexes: number[];
  /** A call in it waits for its answer, so that it never goes. */
  pending: boolean;
}

/** The parts of a list as the sliding window sees them. */
export interface WindowPlan {
  anatomy: Anatomy;
  /** Never removed. */
  fixed: Set<number>;
  /** Removed by every pass that removes anything. */
  gone: Set<number>;
  turns: Unit[];
  steps: Unit[];
  /** Where a note may stand: before the history, and behind the task. */
  noteBefore: number;
  noteBehind: number;
}

export function expectedSlidingWindow(
  messages: readonly BaseMessage[],
  rules: WindowRules,
): ExpectedWindow | null {
  const on = rules.departures ?? new Set<Departure>(DEPARTURES);
  const cost = messages.map((message) => rules.count(message));
  const total = sum(cost);
  if (total <= rules.target) {
    return null;
  }
  const plan = planWindow(messages, rules);
  const priced = rules.note !== null && on.has(key("note price"));
  const reserve = priced ? rules.noteTokens(longestNumber(messages)) : 0;
  const { keptSteps, keptTurns } = select(plan, cost, rules, reserve);

  const keep = new Set<number>(plan.fixed);
  for (const unit of [...keptTurns, ...keptSteps]) {
    unit.indexes.forEach((index) => keep.add(index));
  }
  const removed = messages.filter((_, index) => !keep.has(index));
  if (
    removed.every((message) => markOf(message)?.kind === "note") &&
    (rules.note !== null || removed.length === 0)
  ) {
    return null;
  }
  const kept = messages.filter((_, index) => keep.has(index));
  // Never emptied for the sake of notes and dead messages alone.
  if (
    kept.length === 0 &&
    rules.note === null &&
    messages.every((_, index) => plan.gone.has(index))
  ) {
    return null;
  }
  const wholeStepWent = keptSteps.length < plan.steps.length;
  const place = wholeStepWent ? plan.noteBehind : plan.noteBefore;
  const removedMessages = on.has(key("count"))
    ? removedEarlier(messages) + sum(removed.map(standsFor))
    : removed.length;
  const note =
    rules.note === null
      ? null
      : {
          position: [...keep].filter((index) => index < place).length,
          removedMessages,
          keptMessages: kept.length,
        };
  const after =
    sum(kept.map((message) => rules.count(message))) +
    (note === null ? 0 : rules.noteTokens(removedMessages));
  const length = kept.length + (note === null ? 0 : 1);
  if (
    on.has(key("smaller")) &&
    (after > total || (after === total && length >= messages.length))
  ) {
    return null;
  }
  return { kept, removed, note };
}

/** How many original messages go when this message goes; a note is none. */
export function standsFor(message: BaseMessage): number {
  const mark = markOf(message);
  return mark?.kind === "note" ? 0 : (mark?.standsFor ?? 1);
}

/** Messages that earlier passes removed: what notes say, else what the newest stamped reply says. */
export function removedEarlier(messages: readonly BaseMessage[]): number {
  const notes = messages.flatMap((message) => {
    const mark = markOf(message);
    return mark?.kind === "note" ? [mark.standsFor] : [];
  });
  if (notes.length > 0) {
    return sum(notes);
  }
  const stamped = messages.findLast((message) => stampOf(message) !== null);
  return stamped === undefined ? 0 : stampOf(stamped)!;
}

/** The largest number that a note on this list could have to say. */
export function longestNumber(messages: readonly BaseMessage[]): number {
  return removedEarlier(messages) + sum(messages.map(standsFor));
}

export function select(
  plan: WindowPlan,
  cost: readonly number[],
  rules: Pick<WindowRules, "target" | "minKeepSteps">,
  reserve: number,
): { keptSteps: Unit[]; keptTurns: Unit[] } {
  const costOf = (unit: Unit): number =>
    sum(unit.indexes.map((index) => cost[index]!));
  const staying = plan.steps.filter((step) => step.pending);
  const free = plan.steps.filter((step) => !step.pending);
  const budget =
    rules.target -
    reserve -
    sum([...plan.fixed].map((index) => cost[index]!)) -
    sum(staying.map(costOf));
  const need = sum(free.map(costOf));
  if (need <= budget) {
    return {
      keptSteps: plan.steps,
      keptTurns: newestThatFit(plan.turns, costOf, budget - need),
    };
  }
  const fitting = newestThatFit(free, costOf, budget).length;
  const kept = new Set(
    lastOf(free, Math.max(fitting, floorOf(plan, rules.minKeepSteps))),
  );
  return {
    keptSteps: plan.steps.filter((step) => step.pending || kept.has(step)),
    keptTurns: [],
  };
}

/**
 * How many of the removable steps stay whatever they cost: the newest, less
 * the pending ones. A pinned one in its place among the newest is one of them.
 */
export function floorOf(plan: WindowPlan, minKeepSteps: number): number {
  const pending = plan.steps.filter((step) => step.pending).length;
  return Math.min(
    Math.max(minKeepSteps - pending, 0),
    plan.steps.length - pending,
  );
}

function newestThatFit(
  units: readonly Unit[],
  costOf: (unit: Unit) => number,
  room: number,
): Unit[] {
  let left = room;
  let start = units.length;
  while (start > 0 && costOf(units[start - 1]!) <= left) {
    start -= 1;
    left -= costOf(units[start]!);
  }
  return units.slice(start);
}

export function planWindow(
  messages: readonly BaseMessage[],
  rules: WindowRules,
): WindowPlan {
  const on = rules.departures ?? new Set<Departure>(DEPARTURES);
  const anatomy = asHaystackRead(messages, readAnatomy(messages), on);
  const { marks, stepOf, steps, roles, instructionsEnd } = anatomy;
  const fixed = new Set<number>();
  const gone = new Set<number>();
  for (let index = 0; index < instructionsEnd; index += 1) {
    fixed.add(index);
  }
  marks.forEach((mark, index) => {
    if (mark?.kind === "note") {
      gone.add(index);
    }
  });

  const task = taskOf(anatomy, messages, rules);
  const taskZone = task === null ? null : zoneOf(task, anatomy);
  if (on.has(key("dead"))) {
    anatomy.orphans.forEach((index) => gone.add(index));
    anatomy.deadSteps.forEach((step) => {
      const { first, last } = steps[step]!;
      if (task === null || task.last < first || task.first > last) {
        range(first, last).forEach((index) => gone.add(index));
      }
    });
  }
  if (taskZone !== null) {
    range(taskZone.first, taskZone.last)
      .filter((index) => !gone.has(index))
      .forEach((index) => fixed.add(index));
  }
  messages.forEach((message, index) => {
    if (rules.pin?.(message) && !gone.has(index)) {
      const step = stepOf[index] ?? null;
      const span = step === null ? { first: index, last: index } : steps[step]!;
      range(span.first, span.last)
        .filter((member) => !gone.has(member))
        .forEach((member) => fixed.add(member));
    }
  });

  const historyEnd = taskZone?.first ?? instructionsEnd;
  const turns: Unit[] = [];
  let turn: Unit | null = null;
  for (let index = instructionsEnd; index < historyEnd; index += 1) {
    if (anatomy.real[index] && isLegalCut(anatomy, index)) {
      turn = { indexes: [], pending: false };
      turns.push(turn);
    } else if (turn === null && on.has(key("preamble"))) {
      turn = { indexes: [], pending: false };
      turns.push(turn);
    }
    if (!gone.has(index) && !fixed.has(index)) {
      // Without a turn to stand in it goes, which is what Haystack does.
      (turn?.indexes ?? []).push(index);
    }
  }

  const taskSteps: Unit[] = [];
  let openStep: number | null = null;
  const taskStart = (taskZone?.last ?? instructionsEnd - 1) + 1;
  for (let index = taskStart; index < messages.length; index += 1) {
    const step = stepOf[index] ?? null;
    if (gone.has(index)) {
      continue;
    }
    if (step !== null) {
      if (step !== openStep) {
        const pending = anatomy.pendingSteps.has(step) && on.has(key("dead"));
        taskSteps.push({ indexes: [], pending });
        openStep = step;
      }
      taskSteps.at(-1)!.indexes.push(index);
    } else if (on.has(key("task")) && !fixed.has(index)) {
      // Without a task the list is read as if one stood before its first step.
      if (roles[index] === "system") {
        fixed.add(index);
      } else if (taskSteps.length > 0) {
        taskSteps.at(-1)!.indexes.push(index);
      } else if (roles[index] === "human") {
        // No person wrote it: a summary before the first step is the oldest.
        taskSteps.push({ indexes: [index], pending: false });
      } else {
        fixed.add(index);
      }
    }
  }
  for (const unit of taskSteps) {
    unit.indexes = unit.indexes.filter((index) => !fixed.has(index));
  }
  return {
    anatomy,
    fixed,
    gone,
    turns,
    steps: taskSteps,
    noteBefore: instructionsEnd,
    noteBehind: taskStart,
  };
}

function taskOf(
  { task, real }: Anatomy,
  messages: readonly BaseMessage[],
  rules: WindowRules,
): Span | null {
  const on = rules.departures ?? new Set<Departure>(DEPARTURES);
  if (task === null || !real[task.last]) {
    return task;
  }
  // Pinned messages would be there either way.
  const run = messages
    .slice(task.first, task.last + 1)
    .filter((message) => !rules.pin?.(message));
  const tooLarge =
    sum(run.map((message) => rules.count(message))) > rules.target;
  return !on.has(key("run")) || tooLarge ? { ...task, first: task.last } : task;
}

/** The task with the step that it stands in. */
function zoneOf(task: Span, { stepOf, steps }: Anatomy): Span {
  const first = stepOf[task.first] ?? null;
  const last = stepOf[task.last] ?? null;
  return {
    first: first === null ? task.first : steps[first]!.first,
    last: last === null ? task.last : steps[last]!.last,
  };
}

/** Puts back what Haystack reads otherwise, where a departure is switched off. */
function asHaystackRead(
  messages: readonly BaseMessage[],
  ours: Anatomy,
  on: ReadonlySet<Departure>,
): Anatomy {
  const read = { ...ours };
  if (!on.has(key("marker"))) {
    const isMarked = (message: BaseMessage): boolean =>
      "context_compaction" in (message.additional_kwargs ?? {});
    read.real = messages.map(
      (message) => roleOf(message) === "human" && !isMarked(message),
    );
    while (
      read.instructionsEnd > 0 &&
      messages.slice(0, read.instructionsEnd).some(isMarked)
    ) {
      read.instructionsEnd -= 1;
    }
    const last = read.real.lastIndexOf(true);
    read.task = last < 0 ? null : { first: last, last };
    while (read.task !== null && read.real[read.task.first - 1]) {
      read.task.first -= 1;
    }
  }
  if (!on.has(key("pairing"))) {
    read.steps = [];
    read.stepOf = messages.map((_, index) => {
      if (read.roles[index] === "ai") {
        read.steps.push({ first: index, last: index });
      } else if (
        read.roles[index] === "tool" &&
        read.steps.at(-1)?.last === index - 1
      ) {
        read.steps.at(-1)!.last = index;
      } else {
        return null;
      }
      return read.steps.length - 1;
    });
    read.orphans = new Set();
    read.deadSteps = new Set();
    read.pendingSteps = new Set();
  }
  return read;
}

export function range(first: number, last: number): number[] {
  return Array.from(
    { length: Math.max(last - first + 1, 0) },
    (_, n) => first + n,
  );
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function lastOf<T>(items: readonly T[], count: number): T[] {
  return count === 0 ? [] : items.slice(-count);
}
