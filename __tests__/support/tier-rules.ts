import type { BaseMessage } from "@langchain/core/messages";
import {
  isLegalCut,
  markOf,
  pairResults,
  readAnatomy,
  stampOf,
} from "./anatomy.js";
import { range, sum } from "./sliding-window-rules.js";

// The rules that hold for pruning, summaries and the ladder of tiers, looked at
// from outside. They import nothing of the package.

/** What a ladder of tiers made of a list whose messages have ids. */
export interface TierPass {
  before: readonly BaseMessage[];
  /** `null` where nothing was done. */
  after: readonly BaseMessage[] | null;
  target: number;
  minKeepSteps: number;
  count: (message: BaseMessage) => number;
  /** Whether system messages in the middle stay too. */
  keepsSystem: boolean;
}

/** What is wrong with a pass; nothing where every rule holds. */
export function checkTiers({ after: given, ...pass }: TierPass): string[] {
  if (given === null) {
    return [];
  }
  // An edited message is the message that it was.
  const originals = new Map(
    pass.before.map((message) => [message.id, message]),
  );
  const after = given.map((message) =>
    isEdited(message) ? originals.get(message.id)! : message,
  );
  return [checkPairs, checkProtected, checkMade, checkSize].flatMap((check) =>
    check({ ...pass, after, given }),
  );
}

interface Read extends Omit<TierPass, "after"> {
  after: readonly BaseMessage[];
  /** With edited messages as they came out. */
  given: readonly BaseMessage[];
}

/** Whether pruning made this of a message that was there. */
export function isEdited(message: BaseMessage): boolean {
  const mark = message.additional_kwargs["context_compaction"] as
    | { strategy?: unknown }
    | undefined;
  return mark?.strategy === "tool-result-pruning";
}

function checkPairs({ before, after }: Read): string[] {
  const kept = new Set(after);
  const anatomy = readAnatomy(before);
  const cut = anatomy.steps.filter(({ first, last }) => {
    const members = range(first, last).filter(
      (index) =>
        anatomy.roles[index] !== "system" &&
        anatomy.marks[index]?.kind !== "note" &&
        // The sliding window removes dead results first of all.
        !anatomy.orphans.has(index),
    );
    const stayed = members.filter((index) => kept.has(before[index]!)).length;
    return stayed > 0 && stayed < members.length;
  });
  const { answers } = pairResults(after, readAnatomy(after).roles);
  const home = new Map(before.map((message, index) => [message, index]));
  const lost = after.filter((message, index) => {
    const caller = anatomy.answers[home.get(message) ?? -1] ?? null;
    return caller !== null && after[answers[index] ?? -1] !== before[caller];
  });
  return [
    ...cut.map(({ first }) => `the step at ${first} was cut`),
    ...lost.map((message) => `the result ${message.id} lost its call`),
  ];
}

function checkProtected(read: Read): string[] {
  const { before, after, count, target, minKeepSteps, keepsSystem } = read;
  const kept = new Set(after);
  const isGone = (index: number): boolean => !kept.has(before[index]!);
  const anatomy = readAnatomy(before);
  const { task, steps, stepOf, roles, marks, orphans, instructionsEnd } =
    anatomy;
  const must = new Set(range(0, instructionsEnd - 1));
  let behind = instructionsEnd;
  if (task !== null) {
    const run = range(task.first, task.last);
    const isTooLong = sum(run.map((index) => count(before[index]!))) > target;
    for (const index of isTooLong ? [task.last] : run) {
      const span = steps[stepOf[index] ?? -1];
      range(span?.first ?? index, span?.last ?? index).forEach((one) =>
        must.add(one),
      );
    }
    behind = (steps[stepOf[task.last] ?? -1]?.last ?? task.last) + 1;
  }
  for (const step of anatomy.pendingSteps) {
    range(steps[step]!.first, steps[step]!.last).forEach((one) =>
      must.add(one),
    );
  }
  roles.forEach((role, index) => {
    if (keepsSystem && role === "system") {
      must.add(index);
    }
  });
  const ofTask = steps.filter(({ first }) => first >= behind);
  const stayed = ofTask.filter(({ first }) => !isGone(first)).length;
  const floor = Math.min(minKeepSteps, ofTask.length);
  return [
    ...[...must]
      .filter((index) => isGone(index) && !orphans.has(index))
      .filter((index) => marks[index]?.kind !== "note")
      .map((index) => `the protected message at ${index} went`),
    ...(stayed < floor
      ? [`${stayed} steps stayed, the floor is ${floor}`]
      : []),
  ];
}

/** What was made tells what it stands for, so that no original is lost or counted twice. */
function checkMade({ before, after }: Read): string[] {
  const home = new Set(before);
  const anatomy = readAnatomy(after);
  const originals = (list: readonly BaseMessage[]): number =>
    sum(list.map((message) => markOf(message)?.standsFor ?? 1));
  const faults: string[] = [];
  after.forEach((message, index) => {
    if (home.has(message)) {
      return;
    }
    if (markOf(message) === null) {
      faults.push(`no mark tells what ${message.id} is`);
    }
    if (!isLegalCut(anatomy, index) || anatomy.stepOf[index] !== null) {
      faults.push(`${message.id} stands inside a step`);
    }
  });
  // What a hook left on a reply goes with it, and the hook itself sees to that.
  const isStamped = before.some((message) => stampOf(message) !== null);
  if (!isStamped && originals(before) !== originals(after)) {
    faults.push(`${originals(before)} originals became ${originals(after)}`);
  }
  if (new Set(after.map(({ id }) => id)).size < after.length) {
    faults.push("an id stands there twice");
  }
  return faults;
}

function checkSize({ before, after, given, count }: Read): string[] {
  const [was, is] = [before, given].map((list) => sum(list.map(count)));
  const home = new Map(before.map((message, index) => [message, index]));
  const order = after.flatMap((message) => home.get(message) ?? []);
  return [
    ...(is! > was! || (is === was && after.length >= before.length)
      ? [`${was} tokens became ${is}`]
      : []),
    ...(order.some((index, place) => place > 0 && index <= order[place - 1]!)
      ? ["messages changed places or came twice"]
      : []),
    ...(after.length === 0 ? ["nothing is left"] : []),
  ];
}
