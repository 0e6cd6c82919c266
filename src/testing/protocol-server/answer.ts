import type {
  ModelAnswer,
  ModelFailure,
  ModelRefusal,
  ModelReply,
  ModelStall,
} from "./model.js";
import type { Answer } from "./protocol.js";

/** What the server does with a reply. */
export type Outcome =
  | { kind: "answer"; answer: Answer }
  | { kind: "failure"; failure: ModelFailure }
  | { kind: "stall" };

/** Sorts a reply by what it asks for and fills in what it leaves out. */
export function outcomeOf(reply: ModelReply, newCallId: () => string): Outcome {
  if (typeof reply === "string") {
    return { kind: "answer", answer: fill({ text: reply }, newCallId) };
  }
  if (isStall(reply)) {
    return { kind: "stall" };
  }
  if (isFailure(reply)) {
    return { kind: "failure", failure: reply };
  }
  return { kind: "answer", answer: fill(reply, newCallId) };
}

function isStall(reply: object): reply is ModelStall {
  return "stall" in reply;
}

function isFailure(reply: object): reply is ModelFailure {
  return "status" in reply;
}

function fill(
  reply: ModelAnswer & Partial<ModelRefusal>,
  newCallId: () => string,
): Answer {
  const calls = reply.toolCalls ?? [];
  return {
    text: reply.text ?? "",
    refusal: reply.refusal ?? "",
    reasoning: reply.reasoning ?? "",
    toolCalls: calls.map((call) => ({
      id: call.id ?? newCallId(),
      name: call.name,
      args: call.args,
      argsText: JSON.stringify(call.args),
    })),
    chunks: reply.chunks ?? 3,
  };
}
