import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
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

/** The answer as an update that puts other messages in the place of those before it. */
export function withHistory(
  answer: PlainAnswer,
  history: readonly BaseMessage[],
): Command {
  return new Command({
    update: isMessage(answer)
      ? { messages: [...history, answer] }
      : {
          structuredResponse: answer.structuredResponse,
          messages: [...history, ...answer.messages],
        },
  });
}
