import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../../conversation/copy-message.js";
import type { Draft, Mender } from "../draft.js";
import { joinContent } from "../join-content.js";
import { interruptedResult } from "../stand-ins.js";

/** Removes results that answer no call. */
export const mendOrphanResults: Mender = (draft, problems) => {
  for (const problem of problems) {
    removeAnswers(draft, problem.index, (id) => {
      const answer = draft.view.answersAt
        .get(problem.index)
        ?.find((given) => given.id === id);
      return answer !== undefined && answer.caller < 0;
    });
    draft.report(problem, "removed the result, which answers no call");
  }
};

/** Keeps the first result of a call; what a later one says is joined to it. */
export const mendRepeatedResults: Mender = (draft, problems) => {
  const { view } = draft;
  for (const problem of problems) {
    const { index } = problem;
    const answer = view.answersAt.get(index)!.find(({ repeated }) => repeated)!;
    const first = view.answersTo
      .get(answer.caller)!
      .find(({ id }) => id === answer.id)!.index;
    if (view.conversation.roles[index] !== "tool" || first === index) {
      removeRepeatedBlocks(draft, index);
      draft.report(problem, "removed the second result of the call");
      continue;
    }
    draft.remove(index);
    const isLate = draft.messages
      .slice(first, index)
      .some((_, n) => view.conversation.roles[first + n] !== "tool");
    if (isLate && view.conversation.roles[first] === "tool") {
      const joined = joinContent(
        draft.at(first).content,
        draft.messages[index]!.content,
      );
      draft.replace(first, copyMessage(draft.at(first), { content: joined }));
      draft.report(problem, "joined the late result to the first one");
    } else {
      draft.report(problem, "removed the second result of the call");
    }
  }
};

/** Moves results directly behind the message with their call, in the order in which they came. */
export const mendMisplacedResults: Mender = (draft, problems) => {
  const { answersAt } = draft.view;
  const callers = new Set(
    problems.map(({ index }) => answersAt.get(index)![0]!.caller),
  );
  for (const caller of callers) {
    for (const { index } of draft.view.answersTo.get(caller)!) {
      // A message that answers several callers follows the newest of them.
      const newest = Math.max(
        ...answersAt.get(index)!.map((answer) => answer.caller),
      );
      if (newest === caller && !draft.isRemoved(index)) {
        draft.insertAfter(caller, draft.messages[index]!);
        draft.remove(index);
      }
    }
  }
  for (const problem of problems) {
    draft.report(problem, "moved the result directly behind its call");
  }
};

/** Answers calls that were interrupted, behind the results that are there. */
export const mendUnansweredCalls: Mender = (draft, problems) => {
  const byCaller = new Map<number, { place: number; calls: CallsById }>();
  for (const problem of problems) {
    const { index, callId } = problem;
    const caller = draft.messages[index]!;
    const known = byCaller.get(index) ?? {
      place: lastResultOf(draft, index),
      calls: describeCalls(caller),
    };
    byCaller.set(index, known);
    const { name, didParse } = known.calls.get(callId) ?? UNNAMED;
    draft.insertAfter(
      known.place,
      interruptedResult(caller, { id: callId!, name }, didParse),
    );
    draft.report(problem, "answered the call: it was interrupted");
  }
};

/** The last of the results that directly follow the message with the call. */
function lastResultOf({ view }: Draft, caller: number): number {
  let last = caller;
  while (
    view.conversation.roles[last + 1] === "tool" &&
    view.answersAt.get(last + 1)?.[0]?.caller === caller
  ) {
    last += 1;
  }
  return last;
}

const UNNAMED = { name: undefined, didParse: true } as const;

type CallsById = ReadonlyMap<
  string | undefined,
  { readonly name?: string | undefined; readonly didParse: boolean }
>;

/** The names of a message's calls, wherever it keeps them, and whether they could be read. */
function describeCalls(caller: BaseMessage): CallsById {
  const { tool_calls = [], invalid_tool_calls = [] } = caller as {
    tool_calls?: readonly NamedCall[];
    invalid_tool_calls?: readonly NamedCall[];
  };
  const blocks = Array.isArray(caller.content)
    ? (caller.content as unknown as readonly (NamedCall | null)[])
    : [];
  const calls = new Map<
    string | undefined,
    { name: string | undefined; didParse: boolean }
  >();
  for (const call of invalid_tool_calls) {
    calls.set(call.id || undefined, { name: call.name, didParse: false });
  }
  for (const call of [...blocks, ...tool_calls]) {
    if (call?.name !== undefined) {
      const id = (call.call_id ?? call.id) || undefined;
      calls.set(id, { name: call.name, didParse: true });
    }
  }
  return calls;
}

interface NamedCall {
  readonly id?: string;
  readonly call_id?: string;
  readonly name?: string;
}

/** Removes a result, or of a human message the result blocks in question. */
function removeAnswers(
  draft: Draft,
  index: number,
  isWrong: (id: string | undefined) => boolean,
): void {
  if (draft.view.conversation.roles[index] !== "human") {
    draft.remove(index);
    return;
  }
  const content = (
    draft.at(index).content as unknown as readonly ResultBlock[]
  ).filter(
    ({ type, tool_use_id }) =>
      type !== "tool_result" || !isWrong(tool_use_id || undefined),
  );
  if (content.length === 0) {
    draft.remove(index);
  } else {
    draft.replace(index, copyMessage(draft.at(index), { content }));
  }
}

/** Keeps the first result block of each call. */
function removeRepeatedBlocks(draft: Draft, index: number): void {
  const repeated = new Set(
    draft.view.answersAt
      .get(index)!
      .filter((answer) => answer.repeated)
      .map(({ id }) => id),
  );
  const isFirstHere = new Set(
    draft.view.answersAt
      .get(index)!
      .filter((answer) => !answer.repeated)
      .map(({ id }) => id),
  );
  const seen = new Set<string | undefined>();
  removeAnswers(draft, index, (id) => {
    const isKept = isFirstHere.has(id) && !seen.has(id);
    seen.add(id);
    return repeated.has(id) && !isKept;
  });
}

interface ResultBlock {
  readonly type?: string;
  readonly tool_use_id?: string;
}
