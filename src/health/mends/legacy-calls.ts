import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { copyMessage } from "../../conversation/copy-message.js";
import { CallNames } from "../call-names.js";
import type { Draft, Mender } from "../draft.js";
import { toCall } from "./list-calls.js";

/** Makes tool calls and tool messages of the older `function_call` form. */
export const mendLegacyCalls: Mender = (draft, problems) => {
  const names = new CallNames(draft.view);
  for (const { index } of problems) {
    const { function_call, ...kwargs } = (draft.messages[index]!
      .additional_kwargs ?? {}) as { function_call?: FunctionCall };
    if (function_call === undefined) {
      continue;
    }
    const id = names.fresh("call_repaired");
    const call = toCall(id, function_call.name, function_call.arguments);
    draft.replace(
      index,
      copyMessage(draft.messages[index]!, {
        tool_calls: [call],
        additional_kwargs: kwargs,
      }),
    );
    for (const answer of draft.view.answersTo.get(index) ?? []) {
      draft.replace(answer.index, asToolMessage(draft, answer.index, id));
    }
  }
  for (const problem of problems) {
    if (draft.at(problem.index) === draft.messages[problem.index]) {
      draft.replace(
        problem.index,
        asToolMessage(draft, problem.index, names.fresh("call_repaired")),
      );
    }
    draft.report(problem, "gave the call and its result today's form");
  }
};

interface FunctionCall {
  readonly name?: string;
  readonly arguments?: string;
}

function asToolMessage(
  draft: Draft,
  index: number,
  callId: string,
): BaseMessage {
  const { id, name, content, additional_kwargs } = draft.messages[index]!;
  return new ToolMessage({
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    content,
    additional_kwargs,
    tool_call_id: callId,
  });
}
