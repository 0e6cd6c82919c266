import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { MARKER_KEY, type RepairMarker } from "../conversation/marker.js";

const PUT_IN: RepairMarker = { strategy: "repair", repairedMessages: 0 };

/** The result of a call that was interrupted, which says so. */
export function interruptedResult(
  caller: BaseMessage,
  call: { readonly id: string; readonly name: string | undefined },
  didParse: boolean,
): ToolMessage {
  return new ToolMessage({
    ...idFrom("interrupted", caller, call.id),
    content: didParse
      ? "This tool call was interrupted. It returned no result."
      : "This tool call did not run, because its arguments could not be read.",
    tool_call_id: call.id,
    ...(call.name === undefined ? {} : { name: call.name }),
    status: "error",
  });
}

/** Stands where the assistant would have had to speak before the message given. */
export function silentAssistant(before: BaseMessage): AIMessage {
  return new AIMessage({
    ...idFrom("no-reply", before),
    content: "[The assistant did not reply here.]",
    additional_kwargs: { [MARKER_KEY]: PUT_IN },
  });
}

/** Stands where the user would have had to speak before the message given. */
export function silentUser(
  before: BaseMessage,
  isFirst: boolean,
): HumanMessage {
  return new HumanMessage({
    ...idFrom("no-question", before),
    content: isFirst
      ? "[This conversation begins with the assistant.]"
      : "[The user said nothing here.]",
    additional_kwargs: { [MARKER_KEY]: PUT_IN },
  });
}

/** What an image or a block says that had to go. */
export function removedBlock(what: string): { type: "text"; text: string } {
  return { type: "text", text: `[${what} stood here and was removed.]` };
}

/** The content of a human message that has none. */
export const EMPTY_HUMAN_MESSAGE = "[This message is empty.]";

/** An id that follows from a neighbour's, so that the same repair gives the same message. */
function idFrom(
  kind: string,
  neighbour: BaseMessage,
  more?: string,
): { id?: string } {
  const { id } = neighbour;
  if (typeof id !== "string" || id === "") {
    return {};
  }
  return { id: more === undefined ? `${kind}-${id}` : `${kind}-${id}-${more}` };
}
