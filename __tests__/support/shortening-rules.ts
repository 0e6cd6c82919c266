import type { BaseMessage } from "@langchain/core/messages";
import {
  isLegalCut,
  markOf,
  pairResults,
  readAnatomy,
  type Anatomy,
} from "./anatomy.js";

// The rules that every compactor keeps whatever it removes or folds, looked at
// from outside. They import nothing of the package.

/** One pass of a compactor: what went in and what came out. */
export interface Shortening {
  before: readonly BaseMessage[];
  /** `null` where the pass did nothing. */
  after: readonly BaseMessage[] | null;
  count: (message: BaseMessage) => number;
  /** Tokens that the pass worked towards, where it was a number. */
  target?: number;
  /** Newest turns that stay, and with them what precedes the first turn. */
  keepTurns?: number;
  /** Newest groups other than system messages that stay. */
  keepGroups?: number;
  /** Whether a note was to be left. */
  note: boolean;
  /** Whether steps may be folded before messages are removed. */
  folds?: boolean;
}

/** What is wrong with a pass; nothing where every rule holds. */
export function checkShortening(pass: Shortening): string[] {
  if (pass.after === null) {
    return [];
  }
  const read = readShortening(pass, pass.after);
  return [checkSteps, checkAnswers, checkKept, checkSize, checkMade].flatMap(
    (check) => check(read),
  );
}

interface Read extends Shortening {
  after: readonly BaseMessage[];
  anatomy: Anatomy;
  /** Place of each kept message in `before`. */
  home: ReadonlyMap<BaseMessage, number>;
  isKept: (index: number) => boolean;
  /** Messages of `after` that are no objects of `before`. */
  made: BaseMessage[];
}

function readShortening(pass: Shortening, after: readonly BaseMessage[]): Read {
  const out = new Set(after);
  const home = new Map(pass.before.map((message, index) => [message, index]));
  return {
    ...pass,
    after,
    anatomy: readAnatomy(pass.before),
    home,
    isKept: (index) => out.has(pass.before[index]!),
    made: after.filter((message) => !home.has(message)),
  };
}

/** No step is cut; system messages and earlier notes inside one go their own way. */
function checkSteps({ anatomy, isKept }: Read): string[] {
  return anatomy.steps.flatMap(({ first, last }, step) => {
    const members = range(first, last).filter(
      (index) =>
        anatomy.roles[index] !== "system" &&
        anatomy.marks[index]?.kind !== "note",
    );
    const kept = members.filter(isKept).length;
    return [
      ...(kept > 0 && kept < members.length
        ? [`the step at ${first} was cut`]
        : []),
      ...(anatomy.pendingSteps.has(step) && kept < members.length
        ? [`the pending step at ${first} went`]
        : []),
    ];
  });
}

/** Read afresh, every result that is left answers the call that it answered. */
function checkAnswers({ before, after, anatomy, home }: Read): string[] {
  const { answers } = pairResults(after, readAnatomy(after).roles);
  return after.flatMap((message, index) => {
    const caller = anatomy.answers[home.get(message) ?? -1] ?? null;
    const callerNow = answers[index] ?? null;
    return caller !== null &&
      (callerNow === null || after[callerNow] !== before[caller])
      ? [`the result at ${home.get(message)} lost its call`]
      : [];
  });
}

/**
 * Whether a result without an id would find another call behind it once what a
 * compactor made and put between them is gone. No compactor puts it there; that
 * pairing cannot see through it is a limit that the pairing's tests name.
 */
export function hasMadeBeforeResult(messages: readonly BaseMessage[]): boolean {
  const without = messages.filter(
    (message) => (markOf(message)?.kind ?? "pruned") === "pruned",
  );
  const callers = (list: readonly BaseMessage[]): unknown[] => {
    const { roles, answers } = readAnatomy(list);
    return answers.flatMap((caller, at) =>
      roles[at] === "tool" ? [list[caller ?? -1]] : [],
    );
  };
  const [now, then] = [callers(messages), callers(without)];
  return now.some((caller, nth) => caller !== then[nth]);
}

/** What no compactor may remove, and its own floor. */
function checkKept(read: Read): string[] {
  const { before, anatomy, isKept, keepTurns, keepGroups } = read;
  const { task, steps, stepOf, roles, real, marks } = anatomy;
  const must = new Set<number>();
  roles.forEach((role, index) => {
    if (role === "system") {
      must.add(index);
    }
  });
  if (task !== null) {
    const run = range(task.first, task.last);
    const tokens = run.reduce(
      (sum, index) => sum + read.count(before[index]!),
      0,
    );
    // A run that alone exceeds a number is not one task.
    const members = tokens > (read.target ?? Infinity) ? [task.last] : run;
    for (const index of members) {
      const step = stepOf[index] ?? null;
      const span = step === null ? null : steps[step]!;
      range(span?.first ?? index, span?.last ?? index).forEach((one) =>
        must.add(one),
      );
    }
  }
  const starts = real.flatMap((isReal, index) =>
    isReal && stepOf[index] === null ? [index] : [],
  );
  if (keepTurns !== undefined) {
    const firstKept = starts.at(-Math.max(keepTurns, 1)) ?? 0;
    range(0, (starts[0] ?? before.length) - 1).forEach((one) => must.add(one));
    range(firstKept, before.length - 1).forEach((one) => must.add(one));
  }
  if (keepGroups !== undefined) {
    const heads = before.flatMap((_, index) =>
      isLegalCut(anatomy, index) &&
      (stepOf[index] !== null || roles[index] !== "system") &&
      marks[index]?.kind !== "note"
        ? [index]
        : [],
    );
    const floor =
      keepGroups === 0 ? before.length : (heads.at(-keepGroups) ?? 0);
    range(floor, before.length - 1).forEach((one) => must.add(one));
  }
  return [...must]
    .filter((index) => !isKept(index) && marks[index]?.kind !== "note")
    .map((index) => `the protected message at ${index} went`);
}

/** Only if smaller; kept messages are the same objects in their order. */
function checkSize({ before, after, count, home }: Read): string[] {
  const tokens = (messages: readonly BaseMessage[]): number =>
    messages.reduce((sum, message) => sum + count(message), 0);
  const [was, is] = [tokens(before), tokens(after)];
  const order = after.flatMap((message) => home.get(message) ?? []);
  return [
    ...(is > was || (is === was && after.length >= before.length)
      ? [`${was} tokens became ${is}`]
      : []),
    ...(order.some((index, place) => place > 0 && index <= order[place - 1]!)
      ? ["kept messages changed places or came twice"]
      : []),
    ...(after.length > 0 || before.length === 0 ? [] : ["nothing is left"]),
  ];
}

/** What was made: one note at most, and marks by which no original is lost or counted twice. */
function checkMade({
  before,
  after,
  anatomy,
  made,
  note,
  folds,
}: Read): string[] {
  const faults: string[] = [];
  const notes = after.filter((message) => markOf(message)?.kind === "note");
  const wasNoted = made.some((message) => markOf(message)?.kind === "note");
  if (wasNoted && notes.length > 1) {
    faults.push(`${notes.length} notes stand`);
  }
  if (made.some((message) => markOf(message) === null)) {
    faults.push("a message was made that no mark tells of");
  }
  const afterwards = readAnatomy(after);
  for (const one of made) {
    const index = after.indexOf(one);
    if (
      !isLegalCut(afterwards, index) ||
      (afterwards.stepOf[index] !== null && afterwards.roles[index] !== "ai")
    ) {
      faults.push(`what was made at ${index} stands inside a step`);
    }
  }
  const originals = (messages: readonly BaseMessage[]): number =>
    messages.reduce(
      (sum, message) => sum + (markOf(message)?.standsFor ?? 1),
      0,
    );
  const hadNote = anatomy.marks.some((mark) => mark?.kind === "note");
  const stamped = hadNote || notes.length === 0 ? 0 : stampedOn(before);
  // What a hook left on a reply goes with it where the reply is folded first, and the hook itself sees to that.
  const wanted = [originals(before) + stamped];
  if (folds === true) {
    wanted.push(originals(before));
  }
  if (note && !wanted.includes(originals(after))) {
    faults.push(`${originals(before)} originals became ${originals(after)}`);
  }
  return faults;
}

/** What the hook left on the newest AI message that it marked. */
function stampedOn(messages: readonly BaseMessage[]): number {
  const stamps = messages.flatMap((message) => {
    const metadata = message.response_metadata as
      | { context_compaction?: { removedMessages: number } }
      | undefined;
    return metadata?.context_compaction ?? [];
  });
  return stamps.at(-1)?.removedMessages ?? 0;
}

function range(first: number, last: number): number[] {
  return Array.from(
    { length: Math.max(last - first + 1, 0) },
    (_, nth) => first + nth,
  );
}
