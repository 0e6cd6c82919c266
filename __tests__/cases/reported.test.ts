import { expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import {
  CompactionHook,
  defaultTokenCounter,
  SlidingWindowCompactor,
} from "langchain-compaction";
import { markOf } from "../support/anatomy.js";
import {
  CASES,
  toCaseMessage,
  type ReportedCase,
} from "../support/reported-cases.js";
import {
  checkPass,
  checkSecondPass,
  snapshot,
} from "../support/rule-checkers.js";
import { runSlidingWindow } from "../support/run-sliding-window.js";
import { describeShared } from "../support/shared-files.js";
import { sum, type WindowRules } from "../support/sliding-window-rules.js";
import { DEFAULT_NOTE } from "../support/vectors.js";

/** The price of a note where a case counts messages, and where it counts tokens. */
const NOTE_PRICES = { count: [0, 1], costs: [0, 15] };

describeShared<ReportedCase>("reported cases", CASES, (cases) => {
  // Inputs to be blown up, and figures of the counter, have tests of their own.
  const asTheyAre = cases.filter(({ kind }) => kind !== "counting/performance");
  for (const reported of asTheyAre) {
    for (const noteTokens of notePrices(reported)) {
      it(`${reported.n}, ${reported.kind}, a note at ${noteTokens}`, async () => {
        await judge(reported, noteTokens);
      });
    }
  }
});

async function judge(
  reported: ReportedCase,
  noteTokens: number,
): Promise<void> {
  const { check } = reported;
  const before = reported.input.map(toCaseMessage);
  const rules = rulesOf(reported, before, noteTokens);
  const changes = snapshot(before);
  const total = sum(before.map(rules.count));
  const limit = limitOf(reported);
  const after = total > limit ? await runSlidingWindow(before, rules) : null;
  const out = after ?? before;

  expect(changes()).toEqual([]);
  if (total > limit) {
    expect(checkPass({ ...rules, before, after })).toEqual([]);
  }
  const notes = out.filter((message) => markOf(message)?.kind === "note");
  const ids = out
    .filter((message) => !notes.includes(message))
    .map((message) => message.id);
  if (check.keep !== undefined) {
    expect(ids).toEqual(check.keep);
  }
  expect(ids).toEqual(expect.arrayContaining(check.keep_at_least ?? []));
  expect(ids.filter((id) => check.drop_at_least?.includes(id!))).toEqual([]);
  for (const group of check.together ?? []) {
    expect([0, group.length]).toContain(
      group.filter((id) => ids.includes(id)).length,
    );
  }
  // What stayed is the very object, so nothing of it can have been edited.
  expect(
    out.filter(
      (message) => !notes.includes(message) && !before.includes(message),
    ),
  ).toEqual([]);
  const noteCount =
    check.note_count ??
    (check.note === undefined ? undefined : Number(check.note));
  if (noteCount !== undefined) {
    expect(notes).toHaveLength(noteCount);
  }
  if (check.over_budget) {
    const { report, messages } = await new CompactionHook({
      compactor: new SlidingWindowCompactor(),
      contextWindow: total + 1,
      compactAt: { tokens: total },
      compactTo: { tokens: limit },
      tokenCounter: ([message]) => rules.count(message!),
    }).compact(before);
    expect(report.overTarget).toBe(true);
    expect(messages.length).toBeGreaterThan(0);
  }
  if (check.idempotent && after !== null) {
    expect(checkSecondPass(await runSlidingWindow(after, rules))).toEqual([]);
  }
}

function notePrices({ settings }: ReportedCase): number[] {
  if (settings.counter === "default") {
    const note = new HumanMessage(DEFAULT_NOTE);
    return [defaultTokenCounter.countMessage(note)];
  }
  return settings.costs === undefined ? NOTE_PRICES.count : NOTE_PRICES.costs;
}

/** The budget that is left to messages. */
function limitOf({ settings }: ReportedCase): number {
  const budget = settings.effective_budget ?? settings.budget;
  return Number(budget) - (settings.overhead ?? 0);
}

function rulesOf(
  reported: ReportedCase,
  before: readonly BaseMessage[],
  noteTokens: number,
): WindowRules {
  const { settings } = reported;
  const known = new Set(before);
  const count = (message: BaseMessage): number => {
    if (settings.counter === "default") {
      return defaultTokenCounter.countMessage(message);
    }
    return known.has(message)
      ? (settings.costs?.[message.id ?? ""] ?? 1)
      : noteTokens;
  };
  return {
    target: settings.target ?? limitOf(reported),
    minKeepSteps: 1,
    note: DEFAULT_NOTE,
    count,
    noteTokens: () => noteTokens,
  };
}
