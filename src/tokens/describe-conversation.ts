import type { BaseMessageLike } from "@langchain/core/messages";
import { readMessages } from "../conversation/coerce-messages.js";
import { type GroupKind, groupsOf } from "../conversation/groups.js";
import { idOf } from "../conversation/message.js";
import { requireKnownOptions } from "../options.js";
import { defaultTokenCounter } from "./default-counter.js";
import { measure } from "./measured-conversation.js";
import type { ConversationMetrics } from "./metrics.js";
import { requireTokenCounter, type TokenCounterLike } from "./token-counter.js";

/** Options of `describeConversation`. */
export interface DescribeConversationOptions {
  /** @default an estimate that needs no tokenizer */
  tokenCounter?: TokenCounterLike;
}

/** A step, or one message that is in no step, as compactors see it. */
export interface DescribedGroup {
  readonly kind: GroupKind;
  /** Number of its turn, from 1; 0 before the first turn, `null` for a system message. */
  readonly turn: number | null;
  /** Ids of its messages, in order; `null` where a message has none. */
  readonly messageIds: readonly (string | null)[];
  readonly tokens: number;
}

/** What a conversation is made of; as a text it is a table. */
export interface ConversationDescription {
  readonly groups: readonly DescribedGroup[];
  /** The sizes that conditions read. */
  readonly metrics: ConversationMetrics;
  toString(): string;
}

/**
 * Shows a conversation as compactors see it: its groups, and the sizes that conditions read.
 *
 * Only reads; `String(description)` is a table, and so is `console.table(description.groups)`.
 *
 * @throws CompactionError `INVALID_OPTION`, `INVALID_MESSAGES`, `COUNTER_FAILED`
 */
export async function describeConversation(
  messages: readonly BaseMessageLike[],
  options: DescribeConversationOptions = {},
): Promise<ConversationDescription> {
  requireKnownOptions("describeConversation", options, ["tokenCounter"]);
  requireTokenCounter(options.tokenCounter);
  const given = readMessages(messages);
  const counter = options.tokenCounter ?? defaultTokenCounter;
  const measured = await measure(given, counter);
  const groups = groupsOf(measured.conversation).map(
    ({ kind, turn = null, start, end }) => {
      let tokens = 0;
      for (let index = start; index < end; index += 1) {
        tokens += measured.counts[index]!;
      }
      const messageIds = given
        .slice(start, end)
        .map((one) => idOf(one) ?? null);
      return { kind, turn, messageIds, tokens };
    },
  );
  const running = measured.metrics();
  const metrics: ConversationMetrics = {
    tokens: running.tokens,
    messages: running.messages,
    turns: running.turns,
    steps: running.steps,
    groups: running.groups,
    toolCalls: running.toolCalls,
  };
  return { groups, metrics, toString: () => tableOf(groups, metrics) };
}

function tableOf(
  groups: readonly DescribedGroup[],
  metrics: ConversationMetrics,
): string {
  const rows = groups.map(({ kind, turn, tokens, messageIds }) => [
    kind,
    turn === null ? "-" : String(turn),
    String(tokens),
    messageIds.map((id) => id ?? "?").join(" "),
  ]);
  const lines = alignColumns([HEADER, ...rows]);
  const totals = Object.entries(metrics).map(
    ([name, size]) => `${name} ${size}`,
  );
  return [...lines, totals.join(", ")].join("\n");
}

const HEADER = ["group", "turn", "tokens", "messages"];

/** Texts to the left, numbers to the right; the last column is as long as it is. */
function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = HEADER.map((_, column) =>
    rows.reduce((most, row) => Math.max(most, row[column]!.length), 0),
  );
  return rows.map(([kind, turn, tokens, ids]) =>
    [
      kind!.padEnd(widths[0]!),
      turn!.padStart(widths[1]!),
      tokens!.padStart(widths[2]!),
      ids!,
    ].join("  "),
  );
}
