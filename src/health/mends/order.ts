import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { copyMessage } from "../../conversation/copy-message.js";
import {
  type CollapseMarker,
  MARKER_KEY,
  markerOf,
  type RepairMarker,
} from "../../conversation/marker.js";
import type { Mender } from "../draft.js";
import { joinContent } from "../join-content.js";
import { silentAssistant, silentUser } from "../stand-ins.js";

/** Joins a second instruction to the first; lets one further down speak as the user. */
export const mendSystemPlacement: Mender = (draft, problems) => {
  const { instructionsEnd } = draft.view.conversation;
  for (const problem of problems) {
    const { index } = problem;
    const message = draft.messages[index]!;
    if (index < instructionsEnd) {
      const content = joinContent(draft.at(0).content, message.content);
      draft.replace(0, copyMessage(draft.at(0), { content }));
      draft.remove(index);
      draft.report(problem, "joined the system message to the first one");
    } else {
      draft.replace(index, asHuman(message));
      draft.report(problem, "let the system message speak as the user");
    }
  }
};

/** Puts a human message in front of an assistant that begins. */
export const mendFirstRole: Mender = (draft, problems) => {
  for (const problem of problems) {
    const message = draft.messages[problem.index]!;
    draft.insertBefore(problem.index, silentUser(message, true));
    draft.report(problem, "put a human message in front");
  }
};

/** Puts a short message between two that may not follow each other; records of folded calls become one. */
export const mendRoleOrder: Mender = (draft, problems) => {
  let newest = -1;
  for (const problem of problems) {
    const { index } = problem;
    const message = draft.messages[index]!;
    // The message before may have gone into the newest record.
    const before = draft.isRemoved(index - 1) ? newest : index - 1;
    const record = before < 0 ? null : joinRecords(draft.at(before), message);
    if (record !== null) {
      draft.replace(before, record);
      draft.remove(index);
      draft.report(problem, "joined the record to the one before");
      newest = before;
    } else {
      const isAssistant = draft.view.conversation.roles[index] === "ai";
      draft.insertBefore(
        index,
        isAssistant ? silentUser(message, false) : silentAssistant(message),
      );
      draft.report(problem, "put a short message in between");
    }
  }
};

/** Two records of folded tool calls as one, or `null` where they are anything else. */
function joinRecords(
  first: BaseMessage,
  second: BaseMessage,
): BaseMessage | null {
  const [one, other] = [markerOf(first), markerOf(second)];
  if (
    one?.strategy !== "tool-call-collapse" ||
    other?.strategy !== "tool-call-collapse" ||
    first.type !== second.type
  ) {
    return null;
  }
  const marker: CollapseMarker = {
    ...one,
    collapsedMessages: one.collapsedMessages + other.collapsedMessages,
  };
  return copyMessage(first, {
    content: joinContent(first.content, second.content),
    additional_kwargs: { ...first.additional_kwargs, [MARKER_KEY]: marker },
  });
}

function asHuman(message: BaseMessage): HumanMessage {
  const marker: RepairMarker = { strategy: "repair", repairedMessages: 1 };
  return new HumanMessage({
    ...(message.id === undefined ? {} : { id: message.id }),
    ...(message.name === undefined ? {} : { name: message.name }),
    content: message.content,
    additional_kwargs: { ...message.additional_kwargs, [MARKER_KEY]: marker },
  });
}
