import type { BaseMessage } from "@langchain/core/messages";
import { callsOf } from "../../conversation/tool-calls.js";
import { CompactionError } from "../../errors.js";
import { show } from "../../options.js";
import { textOf } from "./transcript.js";

/**
 * The summary in a model's answer.
 *
 * @throws CompactionError `SUMMARIZATION_FAILED` for an answer that is no
 *   whole summary: blank, refused, cut short, or a tool call
 */
export function readAnswer(answer: BaseMessage | string): string {
  if (typeof answer === "string") {
    return requireText(answer);
  }
  if (typeof answer !== "object" || answer === null) {
    throw unusable(`The summariser answered with ${show(answer)}.`);
  }
  const metadata = (answer.response_metadata ?? {}) as Metadata;
  if (isRefusal(answer, metadata)) {
    throw unusable("The summariser refused to answer.");
  }
  if (endings(metadata).some((ending) => CUT_SHORT.has(ending))) {
    throw unusable("The summariser's answer was cut short at its limit.");
  }
  const { valid, invalid } = callsOf(answer);
  if (valid.length > 0 || invalid.length > 0) {
    throw unusable("The summariser called a tool instead of answering.");
  }
  return requireText(textOf(answer.content));
}

/** What a call came to nothing for. */
export function unusable(message: string, cause?: unknown): CompactionError {
  return new CompactionError(
    "SUMMARIZATION_FAILED",
    message,
    cause === undefined ? undefined : { cause },
  );
}

interface Metadata {
  readonly finish_reason?: unknown;
  readonly finishReason?: unknown;
  readonly stop_reason?: unknown;
  readonly stopReason?: unknown;
  readonly done_reason?: unknown;
  readonly incomplete_details?: { readonly reason?: unknown } | null;
  readonly messageStop?: { readonly stopReason?: unknown } | null;
}

// Each provider's word for an answer that met its length limit.
const CUT_SHORT: ReadonlySet<string> = new Set([
  "length",
  "max_tokens",
  "max_output_tokens",
  "model_length",
  "model_context_window_exceeded",
]);

// And for one that was withheld.
const WITHHELD: ReadonlySet<string> = new Set([
  "content_filter",
  "content_filtered",
  "guardrail_intervened",
  "refusal",
  "safety",
  "recitation",
  "prohibited_content",
  "blocklist",
  "spii",
]);

function isRefusal(answer: BaseMessage, metadata: Metadata): boolean {
  const { content } = answer;
  return (
    Boolean(answer.additional_kwargs?.refusal) ||
    (Array.isArray(content) &&
      content.some((block) => block?.type === "refusal")) ||
    endings(metadata).some((ending) => WITHHELD.has(ending))
  );
}

/** Why the answer ended, in whichever field the provider says it. */
function endings(metadata: Metadata): string[] {
  return [
    metadata.finish_reason,
    metadata.finishReason,
    metadata.stop_reason,
    metadata.stopReason,
    metadata.done_reason,
    metadata.incomplete_details?.reason,
    metadata.messageStop?.stopReason,
  ].flatMap((reason) =>
    typeof reason === "string" ? [reason.toLowerCase()] : [],
  );
}

function requireText(text: string): string {
  if (text.trim() === "") {
    throw unusable("The summariser answered without any text.");
  }
  return text.trim();
}
