import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
} from "@langchain/core/messages";
import type { FreeIds } from "../conversation/free-ids.js";
import { type CollapseMarker, MARKER_KEY } from "../conversation/marker.js";
import { idOf } from "../conversation/message.js";
import { CompactionError } from "../errors.js";
import { show } from "../options.js";
import type { FoldedCall, FoldedStep } from "./folded-step.js";

/** The text of a record: a function of the step alone. */
export type RecordFormat = (step: FoldedStep) => string;

/** Who a record is from. */
export type RecordRole = "human" | "ai";

/**
 * The message that a folded step leaves; `null` where its text is empty.
 *
 * @throws CompactionError `COMPACTION_FAILED` where the format fails
 */
export function createRecord(
  step: FoldedStep,
  format: RecordFormat,
  role: RecordRole,
  collapsedMessages: number,
  ids: FreeIds,
): BaseMessage | null {
  const content = textFor(step, format);
  if (content.trim() === "") {
    return null;
  }
  const marker: CollapseMarker = {
    strategy: "tool-call-collapse",
    collapsedMessages,
  };
  const first = step.messages.find(idOf);
  const fields = {
    ...(first && { id: ids.take(`record-${idOf(first)}`) }),
    content,
    additional_kwargs: { [MARKER_KEY]: marker },
  };
  return role === "human" ? new HumanMessage(fields) : new AIMessage(fields);
}

/**
 * One line in brackets: which tools were called and, quoted, how each result begins.
 *
 * It is prose and no tool log, since models write on in the form of what they
 * read. Results are quoted so that none can pass for the user's own words.
 */
export function describeStep({ calls }: FoldedStep): string {
  return `[Earlier tool calls, shortened to free up context: ${calls.map(describeCall).join("; ")}.]`;
}

// Characters of a result that stay.
const RESULT_LENGTH = 200;

function describeCall({ name, result, isError }: FoldedCall): string {
  if (result === undefined) {
    return `${name} was called`;
  }
  const start = shorten(result);
  if (isError) {
    return `${name} failed${start === "" ? "" : ` with ${JSON.stringify(start)}`}`;
  }
  return `${name} returned ${start === "" ? "nothing" : JSON.stringify(start)}`;
}

/** The beginning of a text on one line. */
function shorten(text: string): string {
  const line = text
    .slice(0, 4 * RESULT_LENGTH)
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= RESULT_LENGTH && text.length <= 4 * RESULT_LENGTH) {
    return line;
  }
  // Half a surrogate pair is no character.
  return `${line.slice(0, RESULT_LENGTH).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function textFor(step: FoldedStep, format: RecordFormat): string {
  let text: unknown;
  try {
    text = format(step);
  } catch (cause) {
    throw new CompactionError(
      "COMPACTION_FAILED",
      'Option "format" threw for a step.',
      { cause },
    );
  }
  if (typeof text !== "string") {
    throw new CompactionError(
      "COMPACTION_FAILED",
      `Option "format" must return a text, it returned ${show(text)}.`,
    );
  }
  return text;
}
