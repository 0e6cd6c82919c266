import type { BaseMessage } from "@langchain/core/messages";

// A second reading of what a conversation is made of, written from the rules
// alone: it imports nothing of the package, so that the two can disagree.

export type Role = "system" | "human" | "ai" | "tool" | "other";

/** What one of our markers makes of a message, and how many originals it stands for. */
export interface Mark {
  kind: "note" | "summary" | "collapse" | "pruned";
  standsFor: number;
}

/** First and last index, both included. */
export interface Span {
  first: number;
  last: number;
}

export interface Anatomy {
  roles: Role[];
  marks: (Mark | null)[];
  /** Whether a person wrote the message. */
  real: boolean[];
  /** Index after the leading system messages. */
  instructionsEnd: number;
  /** For every tool result the index of the AI message it answers. */
  answers: (number | null)[];
  /** Tool results that answer nothing. */
  orphans: Set<number>;
  steps: Span[];
  /** For every message the step it stands in. */
  stepOf: (number | null)[];
  /** Steps with an unanswered call that a real human message follows. */
  deadSteps: Set<number>;
  /** Steps with an unanswered call that no real human message follows. */
  pendingSteps: Set<number>;
  /** The newest run of real human messages. */
  task: Span | null;
}

export function readAnatomy(messages: readonly BaseMessage[]): Anatomy {
  const roles = messages.map(roleOf);
  const marks = messages.map(markOf);
  const real = messages.map((message) => isRealHuman(message));
  const pairing = pairResults(messages, roles);
  const { steps, stepOf } = findSteps(messages, roles, pairing);

  const newestReal = real.lastIndexOf(true);
  const deadSteps = new Set<number>();
  const pendingSteps = new Set<number>();
  for (const index of pairing.unanswered) {
    const step = stepOf[index];
    if (step !== null && step !== undefined) {
      (index < newestReal ? deadSteps : pendingSteps).add(step);
    }
  }

  let instructionsEnd = 0;
  while (roles[instructionsEnd] === "system") {
    instructionsEnd += 1;
  }
  let task: Span | null = null;
  if (newestReal >= 0) {
    let first = newestReal;
    while (first > 0 && real[first - 1]) {
      first -= 1;
    }
    task = { first, last: newestReal };
  }
  return {
    roles,
    marks,
    real,
    instructionsEnd,
    answers: pairing.answers,
    orphans: pairing.orphans,
    steps,
    stepOf,
    deadSteps,
    pendingSteps,
    task,
  };
}

/** Whether nothing spans the place before `index`. */
export function isLegalCut(anatomy: Anatomy, index: number): boolean {
  const before = anatomy.stepOf[index - 1] ?? null;
  return before === null || before !== (anatomy.stepOf[index] ?? null);
}

export function roleOf(message: BaseMessage): Role {
  const type = message.getType() as string;
  const name =
    type === "generic"
      ? (message as BaseMessage & { role?: string }).role
      : type;
  switch (name) {
    case "system":
    case "developer":
      return "system";
    case "human":
    case "user":
      return "human";
    case "ai":
    case "assistant":
      return "ai";
    case "tool":
    case "function":
      return "tool";
    default:
      return "other";
  }
}

const NOTE_STRATEGIES = ["sliding-window", "turn-window", "truncation"];

export function markOf(message: BaseMessage): Mark | null {
  const value: unknown = message.additional_kwargs?.["context_compaction"];
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return null;
  }
  const mark = value as Record<string, unknown>;
  const strategy = mark["strategy"];
  if (roleOf(message) === "tool") {
    return strategy === "tool-result-pruning" && isCount(mark["originalTokens"])
      ? { kind: "pruned", standsFor: 1 }
      : null;
  }
  if (roleOf(message) !== "human") {
    return null;
  }
  if (strategy === "summarization" && isCount(mark["summarizedMessages"])) {
    return { kind: "summary", standsFor: mark["summarizedMessages"] };
  }
  if (strategy === "tool-call-collapse" && isCount(mark["collapsedMessages"])) {
    return { kind: "collapse", standsFor: mark["collapsedMessages"] };
  }
  return isNoteMark(mark)
    ? { kind: "note", standsFor: mark["removedMessages"] as number }
    : null;
}

/** What the marker on a reply says was removed, where it bears one. */
export function stampOf(message: BaseMessage): number | null {
  const metadata: Record<string, unknown> = { ...message.response_metadata };
  const mark = metadata["context_compaction"];
  if (roleOf(message) !== "ai" || typeof mark !== "object" || mark === null) {
    return null;
  }
  const fields = mark as Record<string, unknown>;
  return isNoteMark(fields) ? (fields["removedMessages"] as number) : null;
}

function isNoteMark(mark: Record<string, unknown>): boolean {
  return (
    NOTE_STRATEGIES.includes(mark["strategy"] as string) &&
    isCount(mark["removedMessages"]) &&
    isCount(mark["keptMessages"]) &&
    ["string", "undefined"].includes(typeof mark["lastReportId"]) &&
    (mark["overheadTokens"] === undefined ||
      Number.isFinite(mark["overheadTokens"]))
  );
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

function isRealHuman(message: BaseMessage): boolean {
  return (
    roleOf(message) === "human" &&
    markOf(message) === null &&
    message.additional_kwargs?.["lc_source"] !== "summarization"
  );
}

export interface Call {
  id: string | null;
  /** Whether the provider is sent it, so that it needs an answer. */
  sent: boolean;
}

/** The calls of an AI message; one that is written down twice is one call. */
export function callsOf(message: BaseMessage): Call[] {
  const ai = message as BaseMessage & {
    tool_calls?: { id?: string }[];
    invalid_tool_calls?: { id?: string }[];
  };
  const calls: Call[] = [];
  const seen = new Set<string>();
  const add = (rawId: unknown, sent: boolean): void => {
    const id = typeof rawId === "string" && rawId !== "" ? rawId : null;
    if (id !== null && seen.has(id)) {
      return;
    }
    if (id !== null) {
      seen.add(id);
    }
    calls.push({ id, sent });
  };
  for (const call of ai.tool_calls ?? []) {
    add(call.id, true);
  }
  const listed = calls.length > 0;
  for (const block of blocksOf(message)) {
    // Without an id a block cannot be told from its twin in `tool_calls`.
    if (block["type"] === "tool_use" && (block["id"] || !listed)) {
      add(block["id"], true);
    }
  }
  if (!listed) {
    const raw = message.additional_kwargs?.["tool_calls"];
    for (const call of Array.isArray(raw) ? (raw as { id?: string }[]) : []) {
      add(call.id, true);
    }
  }
  if (calls.length === 0 && message.additional_kwargs?.["function_call"]) {
    add(null, true);
  }
  for (const call of ai.invalid_tool_calls ?? []) {
    add(call.id, false);
  }
  return calls;
}

function blocksOf(message: BaseMessage): Record<string, unknown>[] {
  return Array.isArray(message.content)
    ? (message.content as Record<string, unknown>[]).filter(
        (block) => typeof block === "object" && block !== null,
      )
    : [];
}

export interface Pairing {
  answers: (number | null)[];
  orphans: Set<number>;
  /** AI messages with a call that was sent and never answered. */
  unanswered: number[];
  callers: Set<number>;
}

interface OpenCall {
  at: number;
  answered: boolean;
  sent: boolean;
}

export function pairResults(
  messages: readonly BaseMessage[],
  roles: readonly Role[],
): Pairing {
  const answers: (number | null)[] = messages.map(() => null);
  const orphans = new Set<number>();
  const callers = new Set<number>();
  const all: OpenCall[] = [];
  const openById = new Map<string, OpenCall[]>();
  const newestById = new Map<string, OpenCall>();
  let callsInFront: OpenCall[] = [];

  messages.forEach((message, at) => {
    if (roles[at] !== "tool") {
      callsInFront = [];
    }
    if (roles[at] === "ai") {
      for (const { id, sent } of callsOf(message)) {
        const call = { at, answered: false, sent };
        all.push(call);
        callers.add(at);
        callsInFront.push(call);
        if (id !== null) {
          openById.set(id, openById.get(id) ?? []);
          openById.get(id)!.push(call);
          newestById.set(id, call);
        }
      }
      return;
    }
    if (roles[at] !== "tool") {
      return;
    }
    const id = (message as BaseMessage & { tool_call_id?: string })
      .tool_call_id;
    const call = id
      ? (newestOpen(openById.get(id)) ?? newestById.get(id))
      : (callsInFront.find((candidate) => !candidate.answered) ??
        callsInFront.at(-1));
    if (call === undefined) {
      orphans.add(at);
    } else {
      call.answered = true;
      answers[at] = call.at;
    }
  });
  return {
    answers,
    orphans,
    callers,
    unanswered: all
      .filter((call) => call.sent && !call.answered)
      .map((call) => call.at),
  };
}

function newestOpen(calls: OpenCall[] = []): OpenCall | undefined {
  while (calls.at(-1)?.answered) {
    calls.pop();
  }
  return calls.at(-1);
}

function findSteps(
  messages: readonly BaseMessage[],
  roles: readonly Role[],
  pairing: Pairing,
): Pick<Anatomy, "steps" | "stepOf"> {
  const lastOf = new Map<number, number>();
  pairing.answers.forEach((caller, at) => {
    if (caller !== null) {
      lastOf.set(caller, at);
    }
  });
  const spans = new Map<number, number>();
  roles.forEach((role, at) => {
    if (role !== "ai") {
      return;
    }
    let first = at;
    if (pairing.callers.has(at)) {
      while (first > 0 && isReasoningOnly(messages[first - 1]!)) {
        first -= 1;
      }
    }
    const last = lastOf.get(at) ?? at;
    spans.set(first, Math.max(spans.get(first) ?? first, last));
    spans.set(at, Math.max(spans.get(at) ?? at, last));
  });

  const steps: Span[] = [];
  const stepOf: (number | null)[] = messages.map(() => null);
  roles.forEach((_, at) => {
    const open = steps.at(-1);
    const last = spans.get(at);
    if (open !== undefined && at <= open.last) {
      open.last = Math.max(open.last, last ?? at);
    } else if (last !== undefined) {
      steps.push({ first: at, last });
    } else if (open?.last === at - 1 && pairing.orphans.has(at)) {
      open.last = at;
    } else {
      return;
    }
    stepOf[at] = steps.length - 1;
  });
  return { steps, stepOf };
}

const REASONING_BLOCKS = ["thinking", "redacted_thinking", "reasoning"];

/** An AI message with reasoning, without any call and without anything else. */
function isReasoningOnly(message: BaseMessage): boolean {
  if (roleOf(message) !== "ai" || callsOf(message).length > 0) {
    return false;
  }
  if (message.content.length === 0) {
    const kwargs = message.additional_kwargs ?? {};
    return Boolean(kwargs["reasoning_content"] ?? kwargs["reasoning"]);
  }
  const blocks = blocksOf(message);
  return (
    blocks.length > 0 &&
    blocks.every((block) => REASONING_BLOCKS.includes(block["type"] as string))
  );
}
