import { blocksOf } from "./anthropic-blocks.js";
import { objectOr, textOr, type Json } from "./json.js";
import type { ProviderProblem } from "./protocol.js";

/** What holds between messages: unique calls, each answered right behind it, thinking first. */
export function* orderProblems(
  messages: readonly Json[],
  thinks: boolean,
): Generator<ProviderProblem> {
  yield* idProblems(messages);
  yield* pairingProblems(joinedTurns(messages));
  if (thinks) {
    yield* thinkingProblems(messages);
  }
}

function* idProblems(messages: readonly Json[]): Generator<ProviderProblem> {
  const seen = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    for (const [at, block] of blocksOf(message).entries()) {
      if (block.type === "tool_use") {
        if (seen.has(block.id)) {
          yield {
            message: `messages.${index}.content.${at}: \`tool_use\` ids must be unique`,
          };
        }
        seen.add(block.id);
      }
    }
  }
}

interface PlacedBlock {
  readonly block: Json;
  readonly message: number;
  readonly at: number;
}

interface Turn {
  readonly role: unknown;
  readonly blocks: readonly PlacedBlock[];
}

/** Neighbours of the same role count as one turn. */
function joinedTurns(messages: readonly Json[]): Turn[] {
  const turns: { role: unknown; blocks: PlacedBlock[] }[] = [];
  for (const [index, message] of messages.entries()) {
    if (turns.at(-1)?.role !== message.role) {
      turns.push({ role: message.role, blocks: [] });
    }
    for (const [at, block] of blocksOf(message).entries()) {
      turns.at(-1)!.blocks.push({ block, message: index, at });
    }
  }
  return turns;
}

/** Each call is answered once, at the head of the turn right behind it. */
function* pairingProblems(turns: readonly Turn[]): Generator<ProviderProblem> {
  for (const [index, turn] of turns.entries()) {
    const calls = idsOf(turns[index - 1], "tool_use", "id");
    yield* resultProblems(turn, new Set(calls));
    const answered = new Set(
      idsOf(headOf(turns[index + 1]), "tool_result", "tool_use_id"),
    );
    const open = idsOf(turn, "tool_use", "id").filter(
      (id) => !answered.has(id),
    );
    if (open.length > 0) {
      yield {
        message: `messages.${turn.blocks.at(-1)!.message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      };
    }
  }
}

function* resultProblems(
  turn: Turn,
  calls: ReadonlySet<string>,
): Generator<ProviderProblem> {
  const seen = new Set<string>();
  for (const { block, message, at } of turn.blocks) {
    if (block.type === "tool_result") {
      const id = textOr(block.tool_use_id);
      const place = `messages.${message}.content.${at}`;
      if (!calls.has(id)) {
        yield {
          message: `${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        };
      }
      if (seen.has(id)) {
        yield {
          message: `${place}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
        };
      }
      seen.add(id);
    }
  }
}

/** A turn up to its first block that is no tool result. */
function headOf(turn: Turn | undefined): Turn | undefined {
  const end = turn?.blocks.findIndex(
    ({ block }) => block.type !== "tool_result",
  );
  return end === undefined || end === -1
    ? turn
    : { role: turn?.role, blocks: turn?.blocks.slice(0, end) ?? [] };
}

function idsOf(turn: Turn | undefined, type: string, key: string): string[] {
  return (turn?.blocks ?? [])
    .filter(({ block }) => block.type === type)
    .map(({ block }) => textOr(block[key]));
}

/** With thinking on, the step that is still under way starts with its thinking. */
function* thinkingProblems(
  messages: readonly Json[],
): Generator<ProviderProblem> {
  const index = messages.findLastIndex(({ role }) => role === "assistant");
  const first = blocksOf(objectOr(messages[index]))[0];
  const isUnderWay = messages
    .slice(index + 1)
    .some((message) =>
      blocksOf(message).some((block) => block.type === "tool_result"),
    );
  if (
    isUnderWay &&
    first?.type !== "thinking" &&
    first?.type !== "redacted_thinking"
  ) {
    yield {
      message: `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first?.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
    };
  }
}
