import type { BaseMessage } from "@langchain/core/messages";
import { pairToolResults } from "../../conversation/pairing.js";
import { callsOf } from "../../conversation/tool-calls.js";

/** For each result the name of the tool that was called, where its call says it. */
export function calledTools(
  messages: readonly BaseMessage[],
): ReadonlyMap<number, string> {
  const tools = new Map<number, string>();
  const namesIn = new Map<number, ReadonlyMap<unknown, string | undefined>>();
  pairToolResults(messages, ({ index, caller, callId }) => {
    if (caller < 0 || tools.has(index)) {
      return;
    }
    const names = namesIn.get(caller) ?? namesById(messages[caller]!);
    namesIn.set(caller, names);
    const name = names.get(callId);
    if (name !== undefined) {
      tools.set(index, name);
    }
  });
  return tools;
}

function namesById(
  message: BaseMessage,
): ReadonlyMap<unknown, string | undefined> {
  const { valid, invalid } = callsOf(message);
  return new Map([...invalid, ...valid].map(({ id, name }) => [id, name]));
}
