import type { BaseMessage } from "@langchain/core/messages";
import {
  isLegalCut,
  markOf,
  pairResults,
  readAnatomy,
  roleOf,
} from "./anatomy.js";
import {
  floorOf,
  longestNumber,
  planWindow,
  range,
  removedEarlier,
  select,
  standsFor,
  sum,
  type Unit,
  type WindowPlan,
} from "./sliding-window-rules.js";

// One checker a rule. Each says what is wrong, and nothing where the rule
// holds. They import nothing of the package.

/** One pass of the sliding window: what went in, what came out, and how it was asked. */
export interface WindowPass {
  before: readonly BaseMessage[];
  /** `null` where the pass did nothing. */
  after: readonly BaseMessage[] | null;
  target: number;
  minKeepSteps: number;
  /** The note's text, or `null` for none. */
  note: string | null;
  pin?: (message: BaseMessage) => boolean;
  count: (message: BaseMessage) => number;
  /** Tokens of a note that says this number. */
  noteTokens: (removed: number) => number;
}

type Checker = (pass: WindowPass) => string[];

/** All rules that can be seen on one pass. */
export function checkPass(pass: WindowPass): string[] {
  return (
    [
      ["valid out", checkValidOut],
      ["protected", checkProtected],
      ["newest first", checkNewestFirst],
      ["as much as fits", checkAsMuchAsFits],
      ["same objects", checkSameObjects],
      ["only if smaller", checkOnlyIfSmaller],
      ["one note", checkOneNote],
    ] satisfies [string, Checker][]
  ).flatMap(([rule, check]) => check(pass).map((fault) => `${rule}: ${fault}`));
}

/** Rule 1. */
export function checkValidOut(pass: WindowPass): string[] {
  if (pass.after === null) {
    return [];
  }
  const faults: string[] = [];
  const { anatomy, gone, kept } = readPass(pass);
  anatomy.steps.forEach(({ first, last }, step) => {
    const members = range(first, last).filter((index) => !gone.has(index));
    const stayed = members.filter((index) => kept.has(index));
    if (stayed.length > 0 && stayed.length < members.length) {
      faults.push(`the step at ${first} to ${last} was cut`);
    }
    if (anatomy.pendingSteps.has(step) && stayed.length < members.length) {
      faults.push(`the pending step at ${first} was removed`);
    }
  });
  for (const index of gone) {
    if (kept.has(index) && anatomy.marks[index]?.kind !== "note") {
      faults.push(`the dead message at ${index} stayed`);
    }
  }
  // Read afresh, every result that is left has to answer the call it answered.
  const roles = pass.after.map(roleOf);
  const pairing = pairResults(pass.after, roles);
  const home = new Map(pass.before.map((message, index) => [message, index]));
  pass.after.forEach((message, index) => {
    const was = home.get(message);
    if (roles[index] !== "tool" || was === undefined) {
      return;
    }
    const caller = anatomy.answers[was] ?? null;
    const callerNow = pairing.answers[index] ?? null;
    if (caller !== null && callerNow === null) {
      faults.push(`the result at ${was} lost its call`);
    } else if (
      caller !== null &&
      callerNow !== null &&
      pass.after?.[callerNow] !== pass.before[caller]
    ) {
      faults.push(`the result at ${was} answers another call now`);
    }
  });
  return faults;
}

/** Rule 2. */
export function checkProtected(pass: WindowPass): string[] {
  if (pass.after === null) {
    return [];
  }
  const { plan, kept } = readPass(pass);
  const faults = [...plan.fixed]
    .filter((index) => !kept.has(index))
    .map((index) => `the protected message at ${index} was removed`);
  const free = plan.steps.filter((step) => !step.pending);
  const floor = floorOf(plan, pass.minKeepSteps);
  const stayed = free.filter((step) => isKept(step, kept)).length;
  if (stayed < floor) {
    faults.push(`${stayed} steps stayed, the floor is ${floor}`);
  }
  return faults;
}

/** Rule 3. */
export function checkNewestFirst(pass: WindowPass): string[] {
  if (pass.after === null) {
    return [];
  }
  const { plan, kept } = readPass(pass);
  const free = plan.steps.filter((step) => !step.pending);
  const faults: string[] = [];
  for (const [name, units] of [
    ["turn", plan.turns],
    ["step", free],
  ] as const) {
    const states = filled(units).map((unit) => isKept(unit, kept));
    if (
      states.lastIndexOf(false) > states.indexOf(true) &&
      states.includes(true)
    ) {
      faults.push(`an older ${name} outlived a newer one`);
    }
    if (
      filled(units).some((unit) => !isKept(unit, kept) && isTouched(unit, kept))
    ) {
      faults.push(`a ${name} was cut`);
    }
  }
  if (
    free.some((step) => !isKept(step, kept)) &&
    filled(plan.turns).some((turn) => isKept(turn, kept))
  ) {
    faults.push("a turn outlived a step of the task");
  }
  return faults;
}

/**
 * Rule 4, both ways: what stayed fits unless all the rest is protected, and
 * the next unit would not have.
 */
export function checkAsMuchAsFits(pass: WindowPass): string[] {
  const { plan, kept, cost, total } = readPass(pass);
  if (pass.after === null) {
    return total > pass.target ? mayDecline(pass, plan, cost, total) : [];
  }
  const faults: string[] = [];
  const free = plan.steps.filter((step) => !step.pending);
  const goneSteps = free.filter((step) => !isKept(step, kept));
  const goneTurns = filled(plan.turns).filter((turn) => !isKept(turn, kept));
  const keptCost = sum([...kept].map((index) => cost[index]!));
  const reserve =
    pass.note === null ? 0 : pass.noteTokens(longestNumber(pass.before));
  const next = goneSteps.at(-1) ?? goneTurns.at(-1);
  if (next !== undefined) {
    const nextCost = sum(next.indexes.map((index) => cost[index]!));
    // A turn may come back only where all steps are there.
    if (keptCost + nextCost + reserve <= pass.target) {
      faults.push(`one more unit of ${nextCost} tokens would have fitted`);
    }
  }
  const mayGo = free.slice(0, free.length - floorOf(plan, pass.minKeepSteps));
  const isDown = filled([...plan.turns, ...mayGo]).every(
    (unit) => !isKept(unit, kept),
  );
  if (count(pass, pass.after) > pass.target && !isDown) {
    faults.push("it is over the target though more could go");
  }
  return faults;
}

/** Over the target nothing may be done only where nothing useful can be done. */
function mayDecline(
  pass: WindowPass,
  plan: WindowPlan,
  cost: readonly number[],
  total: number,
): string[] {
  // Earlier notes go with the first real removal only: without them it may fit.
  const dead = [...plan.gone].filter(
    (index) => plan.anatomy.marks[index]?.kind !== "note",
  );
  const reserve =
    pass.note === null ? 0 : pass.noteTokens(longestNumber(pass.before));
  const withoutNotes =
    total - sum([...plan.gone].map((index) => cost[index]!)) + reserve;
  if (dead.length === 0 && withoutNotes <= pass.target && pass.note !== null) {
    return [];
  }
  const { keptSteps } = select(
    plan,
    cost,
    { target: -Infinity, minKeepSteps: pass.minKeepSteps },
    0,
  );
  const stays = new Set(plan.fixed);
  keptSteps.forEach((step) =>
    step.indexes.forEach((index) => stays.add(index)),
  );
  const removed = pass.before.filter((_, index) => !stays.has(index));
  if (removed.every((message) => markOf(message)?.kind === "note")) {
    return [];
  }
  if (pass.note === null && plan.gone.size === pass.before.length) {
    return [];
  }
  const note =
    pass.note === null
      ? 0
      : pass.noteTokens(
          removedEarlier(pass.before) + sum(removed.map(standsFor)),
        );
  const after = sum([...stays].map((index) => cost[index]!)) + note;
  const length = stays.size + (pass.note === null ? 0 : 1);
  return after < total || (after === total && length < pass.before.length)
    ? [`it did nothing, though ${total} could have become ${after}`]
    : [];
}

/** Rule 5, as far as one can see it afterwards; `snapshot` sees the rest. */
export function checkSameObjects(pass: WindowPass): string[] {
  if (pass.after === null) {
    return [];
  }
  const faults: string[] = [];
  if (pass.after === pass.before) {
    faults.push("the input list itself came out");
  }
  const home = new Map(pass.before.map((message, index) => [message, index]));
  const known = pass.after.filter((message) => home.has(message));
  const strangers = pass.after.filter((message) => !home.has(message));
  if (strangers.length > (pass.note === null ? 0 : 1)) {
    faults.push(`${strangers.length} messages are no objects of the input`);
  }
  const order = known.map((message) => home.get(message)!);
  if (order.some((index, place) => place > 0 && index <= order[place - 1]!)) {
    faults.push("kept messages changed places or came twice");
  }
  return faults;
}

/** Rule 6. */
export function checkOnlyIfSmaller(pass: WindowPass): string[] {
  const before = count(pass, pass.before);
  if (pass.after === null) {
    return [];
  }
  const after = count(pass, pass.after);
  const faults: string[] = [];
  if (before <= pass.target) {
    faults.push(`it fitted already: ${before} of ${pass.target}`);
  }
  if (
    after > before ||
    (after === before && pass.after.length >= pass.before.length)
  ) {
    faults.push(`it is no smaller: ${before} became ${after}`);
  }
  return faults;
}

/** Rule 7. */
export function checkOneNote(pass: WindowPass): string[] {
  if (pass.after === null) {
    return [];
  }
  const faults: string[] = [];
  const { plan, kept } = readPass(pass);
  const notes = pass.after.filter(
    (message) => markOf(message)?.kind === "note",
  );
  if (pass.note === null) {
    return notes.length > 0 ? ["a note stands though it is switched off"] : [];
  }
  if (notes.length !== 1) {
    return [`${notes.length} notes stand`];
  }
  const [note] = notes as [BaseMessage];
  const home = new Set(pass.before);
  if (home.has(note)) {
    faults.push("it is the earlier note");
  }
  const removed = pass.before.filter((_, index) => !kept.has(index));
  const number = removedEarlier(pass.before) + sum(removed.map(standsFor));
  if (
    note.content !== pass.note.replaceAll("{num_removed}", () => String(number))
  ) {
    faults.push(`it says ${JSON.stringify(note.content)}, ${number} are gone`);
  }
  const marker = note.additional_kwargs["context_compaction"] as Record<
    string,
    unknown
  >;
  if (marker["strategy"] !== "sliding-window") {
    faults.push(`its strategy is ${String(marker["strategy"])}`);
  }
  if (marker["removedMessages"] !== number) {
    faults.push(
      `its marker says ${String(marker["removedMessages"])}, not ${number}`,
    );
  }
  if (marker["keptMessages"] !== pass.after.length - 1) {
    faults.push(`its marker says ${String(marker["keptMessages"])} were kept`);
  }
  if (typeof note.id !== "string" || note.id === "") {
    faults.push("it has no id");
  } else if ([...kept].some((index) => pass.before[index]!.id === note.id)) {
    faults.push("it has the id of a kept message");
  }
  const stepWent = plan.steps.some((step) => !isKept(step, kept));
  const place = stepWent ? plan.noteBehind : plan.noteBefore;
  const position = [...kept].filter((index) => index < place).length;
  if (pass.after.indexOf(note) !== position) {
    faults.push(`it stands at ${pass.after.indexOf(note)}, not at ${position}`);
  }
  const after = readAnatomy(pass.after);
  const at = pass.after.indexOf(note);
  if (!isLegalCut(after, at) || after.stepOf[at] !== null) {
    faults.push("it stands inside a step");
  }
  return faults;
}

/** Rule 6: a second pass right after the first does nothing. */
export function checkSecondPass(
  second: readonly BaseMessage[] | null,
): string[] {
  return second === null
    ? []
    : ["only if smaller: a second pass found more to do"];
}

/** What a list and its messages are, to see later whether a pass changed them. */
export function snapshot(messages: readonly BaseMessage[]): () => string[] {
  const list = [...messages];
  const texts = list.map(everything);
  return () => {
    const faults: string[] = [];
    if (
      list.length !== messages.length ||
      list.some((message, index) => message !== messages[index])
    ) {
      faults.push("untouched: the input list changed");
    }
    list.forEach((message, index) => {
      if (everything(message) !== texts[index]) {
        faults.push(`untouched: the message at ${index} changed`);
      }
    });
    return faults;
  };
}

/** Every own property, `lc_kwargs` included, which `toJSON` would leave out. */
function everything(message: BaseMessage): string {
  return JSON.stringify(
    Object.entries(message).map(([name, value]) => [name, value as unknown]),
  );
}

interface ReadPass {
  plan: WindowPlan;
  anatomy: WindowPlan["anatomy"];
  gone: Set<number>;
  /** Indexes of the input that came out. */
  kept: Set<number>;
  cost: number[];
  total: number;
}

function readPass(pass: WindowPass): ReadPass {
  const plan = planWindow(pass.before, pass);
  const out = new Set(pass.after ?? pass.before);
  const kept = new Set<number>();
  pass.before.forEach((message, index) => {
    if (out.has(message)) {
      kept.add(index);
    }
  });
  const cost = pass.before.map((message) => pass.count(message));
  return {
    plan,
    anatomy: plan.anatomy,
    gone: plan.gone,
    kept,
    cost,
    total: sum(cost),
  };
}

function count(pass: WindowPass, messages: readonly BaseMessage[]): number {
  return sum(messages.map((message) => pass.count(message)));
}

function filled(units: readonly Unit[]): Unit[] {
  return units.filter((unit) => unit.indexes.length > 0);
}

function isKept(unit: Unit, kept: ReadonlySet<number>): boolean {
  return unit.indexes.every((index) => kept.has(index));
}

function isTouched(unit: Unit, kept: ReadonlySet<number>): boolean {
  return unit.indexes.some((index) => kept.has(index));
}
