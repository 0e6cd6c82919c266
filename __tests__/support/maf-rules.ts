import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { callsOf, readAnatomy, roleOf, type Anatomy } from "./anatomy.js";
import {
  toMafMessage,
  toPredicate,
  type MafGroup,
  type MafParams,
  type MafRow,
  type MafStrategy,
} from "./maf-vectors.js";

// What Microsoft Agent Framework's strategies do, restated, and each departure
// of ours as a switch of its own. With every switch off this gives the
// reference's results; with every switch on, the package's.

export const MAF_DEPARTURES = [
  "empty: a message without any part is no reasoning",
  "behind: reasoning behind results belongs to the step after it",
  "step: results are found by call id and position",
  "task: the newest human messages stay",
  "pending: a step with a call that waits for its answer stays",
  "unanswered: a step with an unanswered call, or in which anyone else spoke, is not folded",
  "emptied: without a task the newest group stays",
  "unseen: results that nothing follows are not folded",
  "smaller: a record that is no smaller is no record",
  "stateless: every pass reads the list as it is",
] as const;

export type MafDeparture = (typeof MAF_DEPARTURES)[number];

const key = (start: string): MafDeparture =>
  MAF_DEPARTURES.find((departure) => departure.startsWith(`${start}:`))!;

/** A group of the reference, as far as strategies look at it. */
export interface SimulatedGroup {
  kind: MafGroup["kind"];
  members: BaseMessage[];
  turn: number | null;
  excluded: boolean;
  /** A group that must not be removed, or not be folded. */
  stays: boolean;
  unfoldable: boolean;
}

/** The list that a row's strategy leaves, records as `@` and the number of messages; `null` where it declines. */
export function expectedOfMaf(
  row: MafRow,
  departures: ReadonlySet<MafDeparture>,
): string[] | null {
  const run = new Run(row, departures);
  return run.strategy(row.params) ? run.order() : null;
}

/**
 * The one departure that makes a result differ from the reference's: the one
 * without which it would be the same, else the first that makes a difference.
 */
export function departureOfMaf(
  reference: unknown,
  resultWith: (departures: ReadonlySet<MafDeparture>) => unknown,
): MafDeparture | "none" {
  const wanted = JSON.stringify(reference);
  const agrees = (departures: readonly MafDeparture[]): boolean =>
    JSON.stringify(resultWith(new Set(departures))) === wanted;
  if (agrees(MAF_DEPARTURES)) {
    return "none";
  }
  const alone = MAF_DEPARTURES.filter((departure) =>
    agrees(MAF_DEPARTURES.filter((other) => other !== departure)),
  );
  return alone.length === 1
    ? alone[0]!
    : MAF_DEPARTURES.find(
        (_, index) => !agrees(MAF_DEPARTURES.slice(0, index + 1)),
      )!;
}

class Run {
  readonly #on: ReadonlySet<MafDeparture>;
  readonly #tokens: Map<BaseMessage, number>;
  readonly #recordTokens: number;
  readonly #recordSizes = new Map<BaseMessage, number>();
  #groups: SimulatedGroup[];

  constructor(row: MafRow, on: ReadonlySet<MafDeparture>) {
    this.#on = on;
    this.#recordTokens = row.counter.collapsed_tokens;
    const messages = row.messages.map(toMafMessage);
    this.#tokens = new Map(
      messages.map((message, index) => [message, row.messages[index]!.tokens]),
    );
    const excluded = new Set(
      row.pre_excluded_groups.flatMap((group) => row.groups_before[group]!.ids),
    );
    this.#groups = this.#read(
      on.has(key("stateless"))
        ? messages.filter(({ id }) => !excluded.has(id!))
        : messages,
    );
    for (const group of this.#groups) {
      group.excluded = group.members.every(({ id }) => excluded.has(id!));
    }
  }

  order(): string[] {
    return this.#included().flatMap(({ members }) =>
      members.map((message) => {
        const size = this.#recordSizes.get(message);
        return size === undefined ? message.id! : `@${size}`;
      }),
    );
  }

  strategy(params: MafParams): boolean {
    switch (params.kind) {
      case "pipeline":
        return this.#inOrder(params.strategies);
      case "context_window": {
        const budget =
          params.max_context_window_tokens - params.max_output_tokens;
        const above = (
          part: number,
        ): Pick<MafStrategy, "trigger" | "target"> & { tokens: number } => ({
          trigger: { tokens_exceed: Math.trunc(budget * part) },
          target: null,
          tokens: Math.trunc(budget * part),
        });
        return this.#inOrder([
          {
            kind: "tool_result",
            ...above(params.tool_eviction_threshold),
            minimum_preserved_groups: 2,
          },
          {
            kind: "truncation",
            ...above(params.truncation_threshold),
            minimum_preserved_groups: 2,
          },
        ]);
      }
      default:
        return this.#one(params);
    }
  }

  #inOrder(strategies: readonly MafStrategy[]): boolean {
    let compacted = false;
    for (const strategy of strategies) {
      if (this.#one(strategy)) {
        compacted = true;
        if (this.#on.has(key("stateless"))) {
          this.#groups = this.#read(
            this.#included().flatMap(({ members }) => members),
          );
        }
      }
    }
    return compacted;
  }

  #one(strategy: MafStrategy & { tokens?: number }): boolean {
    const trigger = toPredicate(strategy.trigger);
    const target =
      strategy.target === null ? null : toPredicate(strategy.target);
    const free = this.#included().filter(({ kind }) => kind !== "system");
    if (free.length <= 1 || !trigger(this.#metrics())) {
      return false;
    }
    const isReached = (): boolean =>
      target === null ? !trigger(this.#metrics()) : target(this.#metrics());
    this.#protect(strategy.tokens ?? Infinity);
    let compacted = false;
    for (const shorten of this.#shortenings(strategy, free)) {
      if (shorten()) {
        compacted = true;
        if (isReached()) {
          break;
        }
      }
    }
    return compacted;
  }

  /** What a strategy would do one by one, each saying whether it did. */
  #shortenings(
    strategy: MafStrategy,
    free: readonly SimulatedGroup[],
  ): (() => boolean)[] {
    if (strategy.kind === "sliding_window") {
      const keep = Math.max(strategy.minimum_preserved_turns, 0);
      const turns = [...new Set(free.map(({ turn }) => turn!))].filter(
        (turn) => turn > 0,
      );
      const last = free.find(({ stays }) => stays)?.turn ?? Infinity;
      return turns
        .slice(0, Math.max(turns.length - keep, 0))
        .filter((turn) => turn < last)
        .map((turn) => () => {
          for (const group of free) {
            if (group.turn === turn) {
              this.#exclude(group);
            }
          }
          return true;
        });
    }
    const isEmptied =
      this.#on.has(key("emptied")) &&
      strategy.kind === "truncation" &&
      !free.some(({ kind }) => kind === "user");
    const floor = Math.max(
      strategy.minimum_preserved_groups,
      isEmptied ? 1 : 0,
    );
    const old = free.slice(0, Math.max(free.length - floor, 0));
    return strategy.kind === "truncation"
      ? old
          .filter(({ stays }) => !stays)
          .map((group) => () => this.#exclude(group))
      : old
          .filter(({ kind, unfoldable }) => kind === "tool_call" && !unfoldable)
          .map((group) => () => this.#fold(group));
  }

  /** System messages inside a step stay when it goes. */
  #exclude(group: SimulatedGroup): boolean {
    const system = group.members.filter(
      (message) => roleOf(message) === "system",
    );
    group.excluded = true;
    if (system.length > 0 && this.#on.has(key("step"))) {
      this.#groups.splice(this.#groups.indexOf(group), 0, {
        ...group,
        kind: "system",
        members: system,
        excluded: false,
        turn: null,
      });
    }
    return true;
  }

  #fold(group: SimulatedGroup): boolean {
    if (
      this.#on.has(key("smaller")) &&
      this.#recordTokens > this.#sum(group.members)
    ) {
      return false;
    }
    const record = new HumanMessage({
      content: "record",
      additional_kwargs: {
        context_compaction: {
          strategy: "tool-call-collapse",
          collapsedMessages: group.members.length,
        },
      },
    });
    this.#tokens.set(record, this.#recordTokens);
    this.#recordSizes.set(record, group.members.length);
    group.excluded = true;
    this.#groups.splice(this.#groups.indexOf(group) + 1, 0, {
      ...group,
      kind: "summary",
      members: [record],
      excluded: false,
      stays: false,
      unfoldable: true,
    });
    return true;
  }

  #included(): SimulatedGroup[] {
    return this.#groups.filter(({ excluded }) => !excluded);
  }

  #metrics(): Parameters<ReturnType<typeof toPredicate>>[0] {
    const included = this.#included();
    const messages = included.flatMap(({ members }) => members);
    const turns = new Set(included.map(({ turn }) => turn));
    return {
      tokens: this.#sum(messages),
      messages: messages.length,
      groups: included.length,
      turns: [...turns].filter((turn) => turn !== null && turn > 0).length,
      steps: 0,
      toolCalls: included.filter(({ kind }) => kind === "tool_call").length,
    };
  }

  #sum(messages: readonly BaseMessage[]): number {
    return messages.reduce(
      (total, message) => total + this.#tokens.get(message)!,
      0,
    );
  }

  #read(messages: readonly BaseMessage[]): SimulatedGroup[] {
    return groupsWith(messages, this.#on);
  }

  /** Marks what a departure keeps. */
  #protect(target: number): void {
    const on = this.#on;
    const messages = this.#groups.flatMap(({ members }) => members);
    const anatomy = readAnatomy(messages);
    const { task, pendingSteps, deadSteps, stepOf, roles } = anatomy;
    let taskStart = task?.first ?? 0;
    if (
      task !== null &&
      this.#sum(messages.slice(taskStart, task.last + 1)) > target
    ) {
      // A run that alone exceeds a number is not one task.
      taskStart = task.last;
    }
    let start = 0;
    for (const one of this.#groups) {
      const end = start + one.members.length;
      const step = stepOf[start] ?? null;
      const isOpen = step !== null && pendingSteps.has(step);
      one.stays =
        (on.has(key("task")) &&
          task !== null &&
          start <= task.last &&
          end > taskStart) ||
        (on.has(key("pending")) && isOpen);
      one.unfoldable =
        (on.has(key("unanswered")) &&
          (isOpen ||
            (step !== null && deadSteps.has(step)) ||
            roles
              .slice(start, end)
              .some((role) => role !== "ai" && role !== "tool"))) ||
        (on.has(key("unseen")) && end - 1 > newestWord(anatomy, messages));
      start = end;
    }
  }
}

/** The reference's groups, or with every departure ours. */
export function groupsWith(
  messages: readonly BaseMessage[],
  on: ReadonlySet<MafDeparture>,
): SimulatedGroup[] {
  return on.has(key("step")) ? ourGroups(messages) : mafGroups(messages, on);
}

/** By neighbourhood alone. */
function mafGroups(
  messages: readonly BaseMessage[],
  on: ReadonlySet<MafDeparture>,
): SimulatedGroup[] {
  const isWordless = (message: BaseMessage): boolean =>
    isReasoning(message) &&
    !(on.has(key("empty")) && message.content.length === 0);
  const groups: SimulatedGroup[] = [];
  let turn = 0;
  for (let start = 0; start < messages.length;) {
    const opener = callerBehind(messages, start, isWordless);
    let end = start + 1;
    let kind = kindAlone(messages[start]!);
    if (kind === "user") {
      turn += 1;
    }
    if (opener !== null) {
      kind = "tool_call";
      end = opener + 1;
      while (
        end < messages.length &&
        (roleOf(messages[end]!) === "tool" ||
          (isWordless(messages[end]!) && !on.has(key("behind"))))
      ) {
        end += 1;
      }
    }
    groups.push(group(kind, messages.slice(start, end), turn));
    start = end;
  }
  return groups;
}

/** The place of the calling message that opens a tool group here, past what is reasoning only. */
function callerBehind(
  messages: readonly BaseMessage[],
  start: number,
  isWordless: (message: BaseMessage) => boolean,
): number | null {
  let at = start;
  while (at < messages.length && isWordless(messages[at]!)) {
    at += 1;
  }
  const message = messages[at];
  return message !== undefined && isCalling(message) ? at : null;
}

function isCalling(message: BaseMessage): boolean {
  return roleOf(message) === "ai" && callsOf(message).length > 0;
}

/** Reasoning alone; the reference takes a message without any part for one. */
function isReasoning(message: BaseMessage): boolean {
  return (
    roleOf(message) === "ai" &&
    !isCalling(message) &&
    (typeof message.content === "string"
      ? message.content === ""
      : message.content.every(({ type }) => type === "reasoning"))
  );
}

/** Our groups: a step with all its results, wherever they stand. */
function ourGroups(messages: readonly BaseMessage[]): SimulatedGroup[] {
  const { steps, stepOf, real } = readAnatomy(messages);
  const groups: SimulatedGroup[] = [];
  let turn = 0;
  for (let start = 0; start < messages.length;) {
    const step = stepOf[start] ?? null;
    const end = step === null ? start + 1 : steps[step]!.last + 1;
    const members = messages.slice(start, end);
    if (real[start] && step === null) {
      turn += 1;
    }
    groups.push(
      group(
        members.some(isCalling) ? "tool_call" : kindAlone(members[0]!),
        members,
        turn,
      ),
    );
    start = end;
  }
  return groups;
}

function group(
  kind: SimulatedGroup["kind"],
  members: BaseMessage[],
  turn: number,
): SimulatedGroup {
  return {
    kind,
    members,
    turn: kind === "system" ? null : turn,
    excluded: false,
    stays: false,
    unfoldable: false,
  };
}

function kindAlone(message: BaseMessage): SimulatedGroup["kind"] {
  if (message.additional_kwargs["context_compaction"] !== undefined) {
    return "summary";
  }
  switch (roleOf(message)) {
    case "system":
      return "system";
    case "human":
      return "user";
    default:
      return "assistant_text";
  }
}

/** The newest message of the model or the user, records aside. */
function newestWord(
  { roles, task }: Anatomy,
  messages: readonly BaseMessage[],
): number {
  const said = roles.map(
    (role, index) =>
      role === "ai" &&
      messages[index]!.additional_kwargs["context_compaction"] === undefined,
  );
  return Math.max(said.lastIndexOf(true), task?.last ?? -1);
}
