import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { v4 as uuid } from "@langchain/core/utils/uuid";
import { Command } from "@langchain/langgraph";
import { copyMessage } from "../conversation/copy-message.js";
import type { ViewDecision } from "../conversation/marker.js";
import { isMessage, roleOf } from "../conversation/message.js";
import { stampDecision } from "../hook/stamp.js";

/** What the handler of a model call gives back. */
export type ModelAnswer = AIMessage | Command | StructuredAnswer;

/** How `createAgent` hands on an answer that it has parsed; its types do not say so. */
interface StructuredAnswer {
  readonly structuredResponse: unknown;
  readonly messages: readonly BaseMessage[];
}

/** An answer that is no Command, which would speak for itself. */
export type PlainAnswer = Exclude<ModelAnswer, Command>;

/**
 * The answer with what was decided for its call written down on its AI message.
 *
 * What `createAgent` itself says after a structured answer had no call.
 */
export function withDecision(
  answer: PlainAnswer,
  decision: ViewDecision,
): PlainAnswer {
  if (isMessage(answer)) {
    return stampDecision(answer, decision);
  }
  const reply = answer.messages.findIndex(
    (message) => roleOf(message) === "ai",
  );
  return {
    ...answer,
    messages: answer.messages.map((message, index) =>
      index === reply ? stampDecision(message, decision) : message,
    ),
  };
}

/**
 * The answer as an update of the state.
 *
 * @param before messages to put before it
 * @param values of other keys
 */
export function asUpdate(
  answer: PlainAnswer,
  before: readonly BaseMessage[] = [],
  values: Readonly<Record<string, unknown>> = {},
): Command {
  return new Command({
    update: isMessage(answer)
      ? { ...values, messages: [...before, answer] }
      : {
          ...values,
          structuredResponse: answer.structuredResponse,
          messages: [...before, ...answer.messages],
        },
  });
}

/**
 * Gives the model's reply an id, in place as LangGraph does.
 *
 * The agent adds the reply beside an update that holds a copy of it: only by
 * its id are they one.
 */
export function identifyReply(answer: PlainAnswer): void {
  const reply = isMessage(answer) ? answer : answer.messages[0];
  if (reply !== undefined && reply.id === undefined) {
    reply._updateId(uuid());
  }
}

/**
 * The reply under the name of its agent.
 *
 * The agent writes its name on the reply that it adds itself, not on the copy
 * in an update, which comes after; structured answers it leaves as they are.
 */
export function signedBy(
  agent: string | undefined,
  answer: PlainAnswer,
): PlainAnswer {
  return isMessage(answer)
    ? copyMessage(answer, { name: agent ?? UNNAMED_AGENT })
    : answer;
}

/** What `createAgent` calls an agent that was given no name. */
const UNNAMED_AGENT = "model";
