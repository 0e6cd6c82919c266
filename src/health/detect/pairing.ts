import { isToolResult } from "../../conversation/tool-calls.js";
import { groupBy } from "../group-by.js";
import type { CallView, HealthView } from "../health-view.js";
import type { Provider } from "../provider.js";
import { isFunctionMessage } from "../function-message.js";
import { isSent } from "../sent-calls.js";
import type { Detector, Finding } from "./finding.js";

/** Calls without results and results without calls, or in places where they are not seen. */
export const detectPairing: Detector = function* (view, provider) {
  yield* unansweredCalls(view, provider);
  yield* wrongAnswers(view, provider);
};

function* unansweredCalls(
  view: HealthView,
  provider: Provider,
): Iterable<Finding> {
  for (const [index, calls] of view.calls.entries()) {
    for (const call of calls) {
      if (!call.isAnswered && isSent(view, index, call, provider)) {
        const isDead = index < view.conversation.taskIndex;
        const code = isDead ? "unanswered-call" : "pending-call";
        yield { code, index, callId: call.id };
      }
    }
  }
}

function* wrongAnswers(
  view: HealthView,
  provider: Provider,
): Iterable<Finding> {
  const order = readOrder(view);
  const callsById = new Map<number, CallsById>();
  for (const { index, caller, id, repeated } of view.answers) {
    if (isFunctionMessage(view.messages[index]!)) {
      // OpenAI takes it anywhere, and for the others its form is the problem.
      continue;
    }
    if (caller < 0) {
      yield { code: "orphan-result", index, callId: id };
      continue;
    }
    const byId =
      callsById.get(caller) ?? groupBy(view.calls[caller]!, ({ id }) => id);
    callsById.set(caller, byId);
    const calls = byId.get(id) ?? [];
    if (calls[0] !== undefined && !isSent(view, caller, calls[0], provider)) {
      yield { code: "call-not-in-tool-calls", index: caller, callId: id };
    } else if (repeated) {
      // Two calls with one id are another problem, which their results only follow from.
      if (calls.length < 2) {
        yield { code: "repeated-result", index, callId: id };
      }
    } else if (!followsCall(order, caller, index, provider)) {
      yield { code: "misplaced-result", index, callId: id };
    }
  }
}

type CallsById = ReadonlyMap<string | undefined, readonly CallView[]>;

/** Where runs of results and of AI messages begin, so that nothing is walked twice. */
interface Order {
  /** The nearest earlier message that is no result. */
  readonly beforeResults: Int32Array;
  /** The first of the run of AI messages that a message ends, or -1. */
  readonly aiRunStart: Int32Array;
}

function readOrder({ conversation }: HealthView): Order {
  const { messages, roles } = conversation;
  const beforeResults = new Int32Array(messages.length);
  const aiRunStart = new Int32Array(messages.length);
  let other = -1;
  for (let index = 0; index < messages.length; index += 1) {
    beforeResults[index] = other;
    const isAi = roles[index] === "ai";
    const continues = isAi && index > 0 && aiRunStart[index - 1]! >= 0;
    aiRunStart[index] = continues ? aiRunStart[index - 1]! : isAi ? index : -1;
    other = isToolResult(messages[index]!) ? other : index;
  }
  return { beforeResults, aiRunStart };
}

/** Whether a provider takes what stands between a call and its result. */
function followsCall(
  { beforeResults, aiRunStart }: Order,
  caller: number,
  index: number,
  provider: Provider,
): boolean {
  const before = beforeResults[index]!;
  switch (provider) {
    case "openai-responses":
      return true;
    case "anthropic":
    case "gemini":
      // They join assistant messages that follow each other into one turn.
      return (
        before === caller ||
        (aiRunStart[before]! >= 0 && aiRunStart[before]! <= caller)
      );
    default:
      return before === caller;
  }
}
