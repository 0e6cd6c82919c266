import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../../conversation/copy-message.js";
import { MARKER_KEY, type PruningMarker } from "../../conversation/marker.js";
import { roleOf } from "../../conversation/message.js";
import { holdsTrace, traceOf } from "./text-trace.js";

/** Whether a tool result says that its call failed. */
export function isErrorResult(message: BaseMessage): boolean {
  const { status, content } = message as BaseMessage & { status?: unknown };
  return (
    status === "error" ||
    (Array.isArray(content) &&
      content.some(
        (block) => (block as { is_error?: unknown } | null)?.is_error === true,
      ))
  );
}

/**
 * A tool result whose content is a short text, or `null` where a provider takes no text for it.
 *
 * What it answers and how it went stays; the artifact goes, and so does
 * whatever else in the message repeats the content.
 */
export function clearResult(
  message: BaseMessage,
  text: string,
  marker: PruningMarker,
): BaseMessage | null {
  if (isScreenshot(message)) {
    return null;
  }
  const { content, artifact, metadata } = message as BaseMessage & {
    artifact?: unknown;
    metadata?: unknown;
  };
  const trace = traceOf(content);
  const withoutCopies = (fields: unknown): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(fields ?? {}).filter(
        ([, value]) => !holdsTrace(value, [trace]),
      ),
    );
  return copyMessage(message, {
    content:
      roleOf(message) === "tool"
        ? text
        : (content as object[]).map((block) => ({ ...block, content: text })),
    additional_kwargs: {
      ...withoutCopies(message.additional_kwargs),
      [MARKER_KEY]: marker,
    },
    response_metadata: withoutCopies(message.response_metadata),
    ...(metadata === undefined ? {} : { metadata: withoutCopies(metadata) }),
    ...(artifact === undefined ? {} : { artifact: undefined }),
  });
}

/** OpenAI's computer use takes an image as a result and nothing else. */
function isScreenshot({ content, additional_kwargs }: BaseMessage): boolean {
  return (
    additional_kwargs?.type === "computer_call_output" ||
    (Array.isArray(content) &&
      content.some((block) => block?.type === "computer_screenshot"))
  );
}
