import { isFunctionMessage } from "../function-message.js";
import type { CallView, HealthView } from "../health-view.js";
import { CALL_ID_FORMS } from "../rules/limits.js";
import { isSent } from "../sent-calls.js";
import type { Detector } from "./finding.js";

/** Ids of calls and results: missing, doubled in one message, of a wrong form. */
export const detectCallIds: Detector = function* (view, provider) {
  let seen = new Set<string>();
  for (const [index, calls] of view.calls.entries()) {
    // They join assistant messages that follow each other into one turn.
    const joins = provider === "anthropic" || provider === "openai-responses";
    if (seen.size > 0 && (!joins || view.conversation.roles[index] !== "ai")) {
      seen = new Set();
    }
    for (const call of calls) {
      if (call.place === "legacy") {
        yield { code: "legacy-function-call", index };
        continue;
      }
      if (!isSent(view, index, call, provider)) {
        continue;
      }
      const { id } = call;
      if (id === undefined) {
        // This client makes an id where a call has none.
        if (provider !== "mistral") {
          yield { code: "missing-call-id", index };
        }
      } else if (seen.has(id)) {
        // Gemini gets no ids: it refuses the message only where the numbers differ.
        if (provider !== "gemini" || isUneven(view, index, calls, id)) {
          yield { code: "doubled-call-id", index, callId: id };
        }
      } else {
        seen.add(id);
        if (isOfWrongForm(id, CALL_ID_FORMS[provider])) {
          yield { code: "call-id-form", index, callId: id };
        }
      }
    }
  }
  for (const { index, id, caller } of view.answers) {
    if (isFunctionMessage(view.messages[index]!)) {
      yield { code: "legacy-function-call", index };
    } else if (id === undefined && caller >= 0) {
      yield { code: "missing-call-id", index };
    }
  }
};

/** Whether more or fewer results than calls have this id. */
function isUneven(
  view: HealthView,
  index: number,
  calls: readonly CallView[],
  id: string,
): boolean {
  const results = view.answersTo
    .get(index)
    ?.filter((answer) => answer.id === id);
  return (
    (results?.length ?? 0) !== calls.filter((call) => call.id === id).length
  );
}

function isOfWrongForm(
  id: string,
  wanted: { readonly length?: number; readonly form?: RegExp } = {},
): boolean {
  return (
    id.length > (wanted.length ?? Infinity) || wanted.form?.test(id) === false
  );
}
