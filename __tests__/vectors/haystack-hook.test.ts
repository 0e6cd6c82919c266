import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import {
  CompactionHook,
  SlidingWindowCompactor,
  SummarizationCompactor,
  ToolResultPruningCompactor,
  type CompactionReport,
  type CompactorLike,
  type TokenCounter,
} from "langchain-compaction";
import { idsOf } from "../support/make-messages.js";
import { checkPass } from "../support/rule-checkers.js";
import { describeShared } from "../support/shared-files.js";
import {
  expectedSlidingWindow,
  sum,
  type WindowRules,
} from "../support/sliding-window-rules.js";
import {
  countById,
  noteOption,
  toMessage,
  type ConfigRow,
  type HookCompactor,
  type HookRow,
} from "../support/vectors.js";

/** What a hook decides before it asks its compactor. */
interface Arithmetic {
  estimated: number;
  triggered: boolean;
  target: number | null;
  overhead: number | null;
  warns: boolean;
}

type Reference = HookRow["expected"][number];

/**
 * Why the reference's numbers or order do not come out of a hook. The first
 * hook of a row sees the list as it is; a later one sees what the first left.
 */
const DIFFERENCES = {
  none: "the reference's numbers and order",
  selection:
    "this or an earlier compactor kept something else, by its own rules",
  report: "the reported size stands on an AI message, and this list has none",
} as const;

type Difference = keyof typeof DIFFERENCES;

const HOOKS_PER_DIFFERENCE = {
  [DIFFERENCES.none]: 138,
  [DIFFERENCES.selection]: 15,
  [DIFFERENCES.report]: 3,
};

describeShared<HookRow | ConfigRow>(
  "the hook on the reference's rows",
  "vectors/haystack-hook.jsonl.gz",
  (rows) => {
    const hookRows = rows.filter((row): row is HookRow => "hooks" in row);
    const configRows = rows.filter((row): row is ConfigRow => "what" in row);

    it.each(hookRows.map((row) => ({ name: `${row.id}, ${row.source}`, row })))(
      "$name",
      async ({ row }) => {
        const differences = await followRow(row);
        expect(differences).toHaveLength(row.hooks.length);
      },
    );

    it("differs from the reference in a known number of hooks", async () => {
      const counts: Record<string, number> = {};
      for (const row of hookRows) {
        for (const difference of await followRow(row)) {
          const words = DIFFERENCES[difference];
          counts[words] = (counts[words] ?? 0) + 1;
        }
      }
      expect(counts).toEqual(HOOKS_PER_DIFFERENCE);
    });

    describe("takes and refuses the reference's settings", () => {
      const ours = configRows.filter(({ what }) =>
        [
          "compaction_hook",
          "sliding_window",
          "tool_result_pruning",
          "summarization",
        ].includes(what),
      );

      it.each(ours)("$id", ({ what, params, expected }) => {
        const make = (): unknown => MAKERS[what]!(params);
        if (expected === "ok") {
          expect(make()).toBeDefined();
        } else {
          expect(make).toThrow(/^Option "/);
        }
      });
    });
  },
);

/** What a row's settings are given to. */
const MAKERS: Record<string, (params: ConfigRow["params"]) => unknown> = {
  compaction_hook: (params) =>
    new CompactionHook({
      compactor: new SlidingWindowCompactor(),
      contextWindow: params["context_window"]!,
      compactAt: params["compact_at"]!,
      compactTo: params["compact_to"]!,
    }),
  sliding_window: (params) =>
    new SlidingWindowCompactor({ minKeepSteps: params["min_keep_steps"]! }),
  tool_result_pruning: (params) =>
    new ToolResultPruningCompactor({
      minKeepSteps: params["min_keep_steps"]!,
      minTokens: params["min_tokens"]!,
    }),
  summarization: (params) =>
    new SummarizationCompactor({
      model: { invoke: async () => "" },
      minKeepSteps: params["min_keep_steps"]!,
      approximateSummaryTokens: params["approximate_summary_tokens"]!,
    }),
};

/** Sends a row through its hooks, holds each to the rules and says how it differs. */
async function followRow(row: HookRow): Promise<Difference[]> {
  let state = stateOf(row);
  let sameSoFar = true;
  const differences: Difference[] = [];
  const counter = new CounterOfRow(row);
  for (const [index, hook] of row.hooks.entries()) {
    const reference = row.expected[index]!;
    const before = state;
    const made = await new CompactionHook({
      compactor: counter.compactor(hook.compactor, reference, before),
      contextWindow: hook.context_window,
      compactAt: hook.compact_at,
      compactTo: hook.compact_to,
      tools: row.tools as never,
      tokenCounter: counter,
    }).compact(before);
    state = made.messages;

    const arithmetic = arithmeticOf(made.report, hook);
    const wanted = referenceArithmetic(reference);
    const differs = JSON.stringify(arithmetic) !== JSON.stringify(wanted);
    const order = orderOf(state);
    const referenceOrder = reference.order.map((id) =>
      /^n\d/.test(id) ? "@note" : id,
    );
    const sameOrder = JSON.stringify(order) === JSON.stringify(referenceOrder);
    let difference: Difference = "none";
    if (differs && sameSoFar) {
      expect(before.some((message) => message.getType() === "ai")).toBe(false);
      difference = "report";
    } else if (differs || !sameOrder) {
      difference = "selection";
    }
    differences.push(difference);
    if (row.clean) {
      expect([arithmetic, order]).toEqual([wanted, referenceOrder]);
    }
    sameSoFar &&= sameOrder;
    checkSelection(row, hook.compactor, made, before, counter);
  }
  return differences;
}

/** The row's list, with the size that the provider reported on the newest reply. */
function stateOf(row: HookRow): BaseMessage[] {
  const messages = row.messages.map(toMessage);
  const newest = messages.findLastIndex(
    (message) => message.getType() === "ai",
  );
  if (newest >= 0 && row.context_tokens > 0) {
    const reply = messages[newest] as AIMessage;
    messages[newest] = new AIMessage({
      id: reply.id!,
      content: reply.content,
      tool_calls: reply.tool_calls!,
      additional_kwargs: reply.additional_kwargs,
      usage_metadata: {
        input_tokens: row.context_tokens,
        output_tokens: 0,
        total_tokens: row.context_tokens,
      },
    });
  }
  return messages;
}

/** Counts as the row says, also what its compactors make. */
class CounterOfRow implements TokenCounter {
  readonly #row: HookRow;
  readonly #byId: (message: BaseMessage) => number;

  constructor(row: HookRow) {
    this.#row = row;
    this.#byId = countById(row.messages, row.counter.note_tokens);
  }

  countMessage(message: BaseMessage): number {
    const isPruned =
      message.getType() === "tool" && message.text.startsWith("[The output of");
    return isPruned
      ? this.#row.counter.placeholder_tokens
      : this.#byId(message);
  }

  countTools(tools: readonly unknown[]): number {
    return sum((tools as HookRow["tools"]).map((tool) => tool.tokens));
  }

  compactor(
    { kind, min_keep_steps, min_tokens, omission_note }: HookCompactor,
    reference: Reference,
    before: readonly BaseMessage[],
  ): CompactorLike {
    if (kind === "sliding_window") {
      return new SlidingWindowCompactor({
        minKeepSteps: min_keep_steps!,
        omissionNote: noteOption(omission_note!),
      });
    }
    if (kind === "tool_result_pruning") {
      return new ToolResultPruningCompactor({
        minKeepSteps: min_keep_steps!,
        minTokens: min_tokens!,
        skip: () => false,
      });
    }
    // A scripted compactor is played: it gives what the reference's gave.
    return {
      compact: async () =>
        reference.compacted
          ? before.filter(({ id }) => reference.order.includes(id!))
          : null,
    };
  }
}

function arithmeticOf(
  report: CompactionReport,
  hook: HookRow["hooks"][number],
): Arithmetic {
  expect(report.error).toBeUndefined();
  const triggered = report.reason !== "below-trigger";
  expect(triggered).toBe(
    report.tokensBefore >= hook.context_window * hook.compact_at,
  );
  return {
    estimated: report.tokensBefore,
    triggered,
    target: report.targetTokens ?? null,
    overhead: report.overheadTokens ?? null,
    warns: report.warnings.includes("counter-overestimates"),
  };
}

function referenceArithmetic(reference: Reference): Arithmetic {
  return {
    estimated: reference.estimated,
    triggered: reference.triggered,
    target: reference.target_tokens,
    overhead: reference.overhead,
    warns: reference.warns_counter_too_high,
  };
}

function orderOf(messages: readonly BaseMessage[]): string[] {
  return idsOf(messages).map((id) => (/^m\d+$/.test(id) ? id : "@note"));
}

/** Holds what the sliding window made within the hook to the second reading of its rules. */
function checkSelection(
  row: HookRow,
  { kind, min_keep_steps, omission_note }: HookCompactor,
  { messages, report }: { messages: BaseMessage[]; report: CompactionReport },
  before: readonly BaseMessage[],
  counter: CounterOfRow,
): void {
  if (kind !== "sliding_window" || report.targetTokens === undefined) {
    return;
  }
  const rules: WindowRules = {
    target: report.targetTokens,
    minKeepSteps: min_keep_steps!,
    note: noteOption(omission_note!),
    count: (message) => counter.countMessage(message),
    noteTokens: () => row.counter.note_tokens,
  };
  const expected = expectedSlidingWindow(before, rules);
  const isCompacted = report.outcome === "compacted";
  expect(isCompacted).toBe(expected !== null);
  // The one message that the hook marks is read as the one it copies.
  const byId = new Map(before.map((message) => [message.id, message]));
  const after = messages.map((message) => byId.get(message.id) ?? message);
  expect(
    checkPass({ ...rules, before, after: isCompacted ? after : null }),
  ).toEqual([]);
  expect(report.overTarget).toBe(
    sum(messages.map((message) => counter.countMessage(message))) >
      rules.target,
  );
}
