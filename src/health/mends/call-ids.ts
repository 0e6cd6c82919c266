import { CallNames, plainCallId } from "../call-names.js";
import type { Draft, Mender } from "../draft.js";
import type { ConversationProblem } from "../problem.js";
import { renameAnswers, renameCalls } from "./rename-calls.js";

/** Gives calls without an id one, and the results that answer them the same. */
export const mendMissingCallIds: Mender = (draft, problems) => {
  const names = new CallNames(draft.view);
  const callers = new Set(
    problems.map(({ index }) => callerOf(draft, index) ?? index),
  );
  for (const caller of callers) {
    const made = draft.view.calls[caller]!.filter(
      ({ id }) => id === undefined,
    ).map(() => names.fresh("call_repaired"));
    if (made.length > 0) {
      draft.replace(
        caller,
        renameCalls(draft.at(caller), (id, n) => id ?? made[n]),
      );
    }
    let next = 0;
    for (const { index, id, callId } of answersTo(draft, caller)) {
      if (id === undefined) {
        const target =
          callId ??
          made[next] ??
          made.at(-1) ??
          draft.view.calls[caller]!.at(-1)!.id;
        next += callId === undefined ? 1 : 0;
        draft.replace(
          index,
          renameAnswers(draft.at(index), (old) => old || target),
        );
      }
    }
  }
  reportAll(draft, problems, "gave the call and its result an id");
};

/** Gives the later of two calls with one id, and its own result, another. */
export const mendDoubledCallIds: Mender = (draft, problems) => {
  const names = new CallNames(draft.view);
  const done = new Set<string>();
  for (const problem of problems) {
    const { index: caller, callId } = problem;
    if (done.has(`${caller} ${callId}`)) {
      continue;
    }
    done.add(`${caller} ${callId}`);
    const isTaken = isCalledBefore(draft, caller, callId);
    const ids = draft.view.calls[caller]!.filter(({ id }) => id === callId).map(
      (_, n) => (n === 0 && !isTaken ? callId! : names.fresh(callId!)),
    );
    draft.replace(
      caller,
      renameCalls(draft.at(caller), (id, n) =>
        id === callId ? (ids[n] ?? id) : id,
      ),
    );
    answersTo(draft, caller)
      .filter(({ id }) => id === callId)
      .slice(0, ids.length)
      .forEach(({ index }, n) => {
        draft.replace(
          index,
          renameAnswers(draft.at(index), (id) => (id === callId ? ids[n] : id)),
        );
      });
  }
  reportAll(draft, problems, "gave the later call and its result another id");
};

/** Gives calls, and their results, ids that every provider asked for takes. */
export const mendCallIdForms: Mender = (draft, problems) => {
  const names = new CallNames(draft.view);
  const renamed = new Map<string, string>();
  for (const { callId } of problems) {
    if (!renamed.has(callId!)) {
      renamed.set(callId!, names.fresh(plainCallId(callId!)));
    }
  }
  const rename = (id: string | undefined): string | undefined =>
    id === undefined ? id : (renamed.get(id) ?? id);
  for (const [index, calls] of draft.view.calls.entries()) {
    if (calls.some(({ id }) => renamed.has(id!))) {
      draft.replace(index, renameCalls(draft.messages[index]!, rename));
    }
  }
  for (const { index, id } of draft.view.answers) {
    if (renamed.has(id!)) {
      draft.replace(index, renameAnswers(draft.at(index), rename));
    }
  }
  reportAll(draft, problems, "gave the call and its result a plainer id");
};

/** Whether an AI message directly before this one, or before that, has the id too. */
function isCalledBefore(
  { view }: Draft,
  caller: number,
  callId: string | undefined,
): boolean {
  let index = caller - 1;
  while (view.conversation.roles[index] === "ai") {
    if (view.calls[index]!.some(({ id }) => id === callId)) {
      return true;
    }
    index -= 1;
  }
  return false;
}

function answersTo(draft: Draft, caller: number): Draft["view"]["answers"] {
  return draft.view.answersTo.get(caller) ?? [];
}

function callerOf(draft: Draft, index: number): number | undefined {
  return draft.view.answersAt.get(index)?.[0]?.caller;
}

function reportAll(
  draft: Draft,
  problems: readonly ConversationProblem[],
  what: string,
): void {
  for (const problem of problems) {
    draft.report(problem, what);
  }
}
