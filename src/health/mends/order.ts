import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { copyMessage } from "../../conversation/copy-message.js";
import { MARKER_KEY, type RepairMarker } from "../../conversation/marker.js";
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

/** Puts a short message between two that may not follow each other. */
export const mendRoleOrder: Mender = (draft, problems) => {
  for (const problem of problems) {
    const message = draft.messages[problem.index]!;
    const isAssistant = draft.view.conversation.roles[problem.index] === "ai";
    draft.insertBefore(
      problem.index,
      isAssistant ? silentUser(message, false) : silentAssistant(message),
    );
    draft.report(problem, "put a short message in between");
  }
};

function asHuman(message: BaseMessage): HumanMessage {
  const marker: RepairMarker = { strategy: "repair", repairedMessages: 1 };
  return new HumanMessage({
    ...(message.id === undefined ? {} : { id: message.id }),
    ...(message.name === undefined ? {} : { name: message.name }),
    content: message.content,
    additional_kwargs: { ...message.additional_kwargs, [MARKER_KEY]: marker },
  });
}
