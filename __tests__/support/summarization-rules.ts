import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { markOf, readAnatomy, roleOf } from "./anatomy.js";
import { range, sum } from "./sliding-window-rules.js";

// What is summarised, and in which order, restated from the rules alone: it
// imports nothing of the package. Without a departure it is the reference.

export const SUMMARIZATION_DEPARTURES = [
  "marker: only a mark that parses as ours counts",
  "pairing: results are found by call id and position",
  "run: a run of human messages is one task",
  "pending: a step that waits for an answer stays",
  "system: a system message stays",
  "failure: a failed merge, or a summary no smaller, goes on to the next tier",
  "raise: what succeeded before a failure is kept",
  "count: counts go on over passes",
] as const;

export type SummarizationDeparture = (typeof SUMMARIZATION_DEPARTURES)[number];

/** What the summariser answers to one call. */
export type ScriptedAnswer =
  | { kind: "text"; text: string; tokens: number }
  | { kind: "blank"; text: string }
  | { kind: "no_reply" }
  | { kind: "error" };

export interface SummarizationRules {
  target: number;
  minKeepSteps: number;
  summaryTokens: number;
  raiseOnFailure: boolean;
  script: readonly ScriptedAnswer[];
  count: (message: BaseMessage) => number;
  departures?: ReadonlySet<SummarizationDeparture>;
}

/** One call of the summariser. */
export interface ExpectedRound {
  /** Ids of what it is shown; `@s0` is the first summary of the run. */
  summarized: string[];
  outcome: "ok" | "no-shrink" | "no-text" | "error";
}

export interface ExpectedSummarization {
  rounds: ExpectedRound[];
  /** Ids of the list afterwards; `null` where it is the list before. */
  order: string[] | null;
  /** What each summary of the run that is left says it stands for. */
  counts: number[];
  raises: boolean;
}

type Departs = (departure: SummarizationDeparture) => boolean;

interface Reading {
  turns: number[][];
  steps: number[][];
  historySummaries: number[];
  taskSummaries: number[];
}

const ALL: ReadonlySet<SummarizationDeparture> = new Set(
  SUMMARIZATION_DEPARTURES,
);

export function expectedSummarization(
  messages: readonly BaseMessage[],
  rules: SummarizationRules,
): ExpectedSummarization {
  const departures = rules.departures ?? ALL;
  const departs: Departs = (departure) => departures.has(departure);
  const tokens = new Map<BaseMessage, number>();
  const cost = (one: BaseMessage): number =>
    tokens.get(one) ?? rules.count(one);
  const total = (list: readonly BaseMessage[]): number => sum(list.map(cost));

  let list = [...messages];
  const rounds: ExpectedRound[] = [];
  const closed = new Set<number>();
  let hasFailed = false;
  let made = 0;
  while (total(list) > rules.target) {
    const portion = choose(list, rules, departs, closed, cost);
    if (portion === null) {
      break;
    }
    const answer = rules.script[rounds.length];
    if (answer === undefined) {
      throw new Error("The script is too short.");
    }
    const round: ExpectedRound = {
      summarized: portion.members.map((index) => list[index]!.id!),
      outcome: answer.kind === "error" ? "error" : "no-text",
    };
    rounds.push(round);
    if (answer.kind === "text" && answer.text.trim() !== "") {
      const standsFor = sum(
        portion.members.map((index) =>
          departs("count: counts go on over passes")
            ? (markOf(list[index]!)?.standsFor ?? 1)
            : 1,
        ),
      );
      const summary = summaryOf(`@s${made}`, standsFor);
      tokens.set(summary, answer.tokens);
      const members = new Set(portion.members);
      const next = list.flatMap((one, index) =>
        index === portion.members[0]
          ? [summary]
          : members.has(index)
            ? []
            : [one],
      );
      round.outcome = total(next) < total(list) ? "ok" : "no-shrink";
      if (round.outcome === "ok") {
        list = next;
        made += 1;
        continue;
      }
    }
    hasFailed = true;
    closed.add(portion.tier);
    const goesOn =
      departs(
        "failure: a failed merge, or a summary no smaller, goes on to the next tier",
      ) &&
      (portion.tier % 2 === 1 || round.outcome === "no-shrink");
    if (!goesOn) {
      break;
    }
  }
  const keepsSuccesses = departs(
    "raise: what succeeded before a failure is kept",
  );
  const raises =
    hasFailed && rules.raiseOnFailure && !(keepsSuccesses && made > 0);
  return {
    rounds,
    order: made > 0 && !raises ? list.map(({ id }) => id!) : null,
    counts: raises
      ? []
      : list
          .filter((one) => tokens.has(one))
          .map((one) => markOf(one)!.standsFor),
    raises,
  };
}

function summaryOf(id: string, summarizedMessages: number): BaseMessage {
  return new HumanMessage({
    id,
    content: id,
    additional_kwargs: {
      context_compaction: { strategy: "summarization", summarizedMessages },
    },
  });
}

/** Tiers 0 and 2 take what was said, 1 and 3 what was summarised. */
function choose(
  list: readonly BaseMessage[],
  rules: SummarizationRules,
  departs: Departs,
  closed: ReadonlySet<number>,
  cost: (message: BaseMessage) => number,
): { tier: number; members: number[] } | null {
  const { turns, steps, historySummaries, taskSummaries } = read(
    list,
    rules,
    departs,
    cost,
  );
  const tiers = [
    turns,
    historySummaries.map((index) => [index]),
    steps,
    taskSummaries.map((index) => [index]),
  ];
  const tier = tiers.findIndex(
    (units, nth) => !closed.has(nth) && units.length > nth % 2,
  );
  if (tier < 0) {
    return null;
  }
  const members: number[] = [];
  let rest = sum(list.map(cost)) + rules.summaryTokens;
  for (const [taken, unit] of tiers[tier]!.entries()) {
    if (taken > tier % 2 && rest <= rules.target) {
      break;
    }
    members.push(...unit);
    rest -= sum(unit.map((index) => cost(list[index]!)));
  }
  return { tier, members };
}

function read(
  list: readonly BaseMessage[],
  { minKeepSteps, target }: SummarizationRules,
  departs: Departs,
  cost: (message: BaseMessage) => number,
): Reading {
  const isOurs = departs("marker: only a mark that parses as ours counts");
  const byId = departs("pairing: results are found by call id and position");
  const mark = list.map((one) => {
    const value: unknown = one.additional_kwargs["context_compaction"];
    if (isOurs) {
      return markOf(one)?.kind ?? null;
    }
    const isSummary =
      (value as { strategy?: unknown } | null)?.strategy === "summarization";
    return value === undefined ? null : isSummary ? "summary" : "other";
  });
  const roles = list.map(roleOf);
  const real = roles.map(
    (role, index) => role === "human" && mark[index] === null,
  );
  let start = 0;
  while (roles[start] === "system" && mark[start] === null) {
    start += 1;
  }
  const steps = byId ? readAnatomy(list).steps : stepsByPlace(roles);
  const stepAt = (index: number) =>
    steps.find(({ first, last }) => first <= index && index <= last);

  const newest = real.lastIndexOf(true);
  let taskFirst = newest;
  if (departs("run: a run of human messages is one task")) {
    while (taskFirst > 0 && real[taskFirst - 1]) {
      taskFirst -= 1;
    }
    const run = range(taskFirst, newest).map((index) => list[index]!);
    if (newest >= 0 && sum(run.map(cost)) > target) {
      taskFirst = newest;
    }
  }
  const taskStart =
    newest < 0
      ? start
      : byId
        ? (stepAt(taskFirst)?.first ?? taskFirst)
        : taskFirst;
  const taskEnd =
    newest < 0 ? start : (byId ? (stepAt(newest)?.last ?? newest) : newest) + 1;

  const stays = (index: number): boolean =>
    departs("system: a system message stays") && roles[index] === "system";
  const heads = real.flatMap((isReal, index) =>
    isReal && index < taskStart && !(byId && stepAt(index)) ? [index] : [],
  );
  const turns = heads.map((head, turn) =>
    range(head, (heads[turn + 1] ?? taskStart) - 1).filter(
      (index) => !stays(index),
    ),
  );

  const inTask = steps.filter(({ first }) => first >= taskEnd);
  const waits = waitingSteps(list, departs);
  const free = inTask.filter(({ first }) => !waits.has(first));
  const floor = Math.max(0, minKeepSteps - (inTask.length - free.length));
  const summaries = mark.flatMap((kind, index) =>
    kind === "summary" && !(byId && stepAt(index)) ? [index] : [],
  );
  return {
    turns,
    steps: free
      .slice(0, Math.max(0, free.length - floor))
      .map(({ first, last }) =>
        range(first, last).filter((index) => !stays(index)),
      ),
    historySummaries: summaries.filter(
      (index) => index >= start && index < taskStart,
    ),
    taskSummaries: summaries.filter((index) => index >= taskEnd),
  };
}

/** First messages of the steps with a call that waits for its answer. */
function waitingSteps(
  list: readonly BaseMessage[],
  departs: Departs,
): ReadonlySet<number> {
  if (!departs("pending: a step that waits for an answer stays")) {
    return new Set();
  }
  const { steps, pendingSteps } = readAnatomy(list);
  return new Set([...pendingSteps].map((step) => steps[step]!.first));
}

function stepsByPlace(
  roles: readonly string[],
): { first: number; last: number }[] {
  const steps: { first: number; last: number }[] = [];
  roles.forEach((role, index) => {
    const open = steps.at(-1);
    if (role === "ai") {
      steps.push({ first: index, last: index });
    } else if (role === "tool" && open?.last === index - 1) {
      open.last = index;
    }
  });
  return steps;
}

/**
 * The one departure that makes a result differ from the reference's; of several
 * that work together the first.
 */
export function departureOfSummarization(
  messages: readonly BaseMessage[],
  rules: SummarizationRules,
  reference: ExpectedSummarization,
): SummarizationDeparture | "none" {
  const agrees = (departures: readonly SummarizationDeparture[]): boolean =>
    JSON.stringify(
      expectedSummarization(messages, {
        ...rules,
        departures: new Set(departures),
      }),
    ) === JSON.stringify(reference);
  if (agrees(SUMMARIZATION_DEPARTURES)) {
    return "none";
  }
  const alone = SUMMARIZATION_DEPARTURES.filter((departure) =>
    agrees(SUMMARIZATION_DEPARTURES.filter((other) => other !== departure)),
  );
  const first = SUMMARIZATION_DEPARTURES.find(
    (_, index) => !agrees(SUMMARIZATION_DEPARTURES.slice(0, index + 1)),
  );
  return alone.length === 1 ? alone[0]! : first!;
}
