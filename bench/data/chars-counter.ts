import type { BaseMessage } from "@langchain/core/messages";

/**
 * The counter that all contenders share where the counter is not the question:
 * four characters a token, tool calls as JSON. Costs little, so that the work around it shows.
 */
export function countChars(messages: readonly BaseMessage[]): number {
  let tokens = 0;
  for (const message of messages) {
    const { content, tool_calls: calls } = message as BaseMessage & {
      tool_calls?: readonly unknown[];
    };
    tokens += Math.ceil((content as string).length / 4);
    if (calls !== undefined && calls.length > 0) {
      tokens += Math.ceil(JSON.stringify(calls).length / 4);
    }
  }
  return tokens;
}
