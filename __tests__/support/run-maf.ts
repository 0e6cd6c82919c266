import type { BaseMessage } from "@langchain/core/messages";
import {
  CompactorPipeline,
  ContextWindowCompactor,
  ToolCallCollapseCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
} from "../../src/index.js";
import {
  toMafMessage,
  toPredicate,
  toTrigger,
  type MafParams,
  type MafRow,
  type MafStrategy,
} from "./maf-vectors.js";

type MafCompactor =
  | CompactorPipeline
  | TurnWindowCompactor
  | TruncationCompactor
  | ToolCallCollapseCompactor;

/** Our compactor for the parameters of a row, with no note as the reference leaves none. */
export function mafCompactor(params: MafParams): MafCompactor {
  switch (params.kind) {
    case "pipeline":
      return new CompactorPipeline(params.strategies.map(mafStrategy));
    case "context_window":
      return new ContextWindowCompactor({
        contextWindow: params.max_context_window_tokens,
        reserveOutputTokens: params.max_output_tokens,
        collapseAt: params.tool_eviction_threshold,
        truncateAt: params.truncation_threshold,
        omissionNote: null,
      });
    default:
      return mafStrategy(params);
  }
}

function mafStrategy(params: MafStrategy): MafCompactor {
  const conditions = {
    trigger: toTrigger(params.trigger),
    ...(params.target === null ? {} : { target: toPredicate(params.target) }),
  };
  switch (params.kind) {
    case "sliding_window":
      return new TurnWindowCompactor({
        ...conditions,
        minKeepTurns: Math.max(params.minimum_preserved_turns, 0),
        omissionNote: null,
      });
    case "truncation":
      return new TruncationCompactor({
        ...conditions,
        minKeepGroups: Math.max(params.minimum_preserved_groups, 0),
        omissionNote: null,
      });
    case "tool_result":
      return new ToolCallCollapseCompactor({
        ...conditions,
        minKeepGroups: Math.max(params.minimum_preserved_groups, 0),
      });
  }
}

/** The messages of a row that are in the list: what was excluded before is not. */
export function mafMessages(row: MafRow): BaseMessage[] {
  const excluded = new Set(
    row.pre_excluded_groups.flatMap((group) => row.groups_before[group]!.ids),
  );
  return row.messages.filter(({ id }) => !excluded.has(id)).map(toMafMessage);
}

/** The row's price for a message; whatever is made costs what the row says of it. */
function mafCounter(row: MafRow): (message: BaseMessage) => number {
  const tokens = new Map(
    row.messages.map((message) => [message.id, message.tokens]),
  );
  return (message) =>
    tokens.get(message.id ?? "") ?? row.counter.collapsed_tokens;
}

/** A result as ids, a record as `@` and the number of messages that it stands for. */
export function outcomeOfMaf(
  after: readonly BaseMessage[] | null,
): string[] | null {
  return (
    after?.map((message) => {
      const { collapsedMessages } = (message.additional_kwargs[
        "context_compaction"
      ] ?? {}) as { collapsedMessages?: number };
      return message.id?.startsWith("compaction-")
        ? `@${collapsedMessages}`
        : (message.id ?? "?");
    }) ?? null
  );
}

/** The same of the reference's result. */
export function referenceOutcomeOfMaf({ expected }: MafRow): string[] | null {
  return (
    expected?.order.map((id) => {
      const note = expected.notes.find((one) => one.id === id);
      return note === undefined ? id : `@${note.replaces.length}`;
    }) ?? null
  );
}

export async function runMaf(
  row: MafRow,
  messages = mafMessages(row),
): Promise<BaseMessage[] | null> {
  const count = mafCounter(row);
  return mafCompactor(row.params).compact(messages, {
    tokenCounter: ([message]) => count(message!),
  });
}
