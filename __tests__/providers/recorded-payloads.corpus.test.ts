import { expect, it } from "@jest/globals";
import { describeShared } from "../support/shared-files.js";
import { REFUSALS_BY } from "./wire/check-wire.js";
import type { Json, WireProvider } from "./wire/wire-provider.js";

// The requests behind recorded conversations were answered, so a checker that
// refuses one of them is wrong. They are put back into the form they were sent
// in, without LangChain, and judged before each answer.

interface Recording {
  id: string;
  format: string;
  messages: Json[];
}

const PROVIDER_OF: Readonly<Record<string, WireProvider>> = {
  openai: "openai",
  anthropic: "anthropic",
  responses: "openai-responses",
  gemini: "gemini",
};

/**
 * Recordings that are no requests of the provider itself: logs of an agent that
 * mends them before it sends, other tools' exports, open models served by others.
 */
const OTHER_LOGS = /^pi-|^inspect-|^verifiers-|gptoss|qwen/;

describeShared<Recording>(
  "recorded requests",
  "corpus/conversations.jsonl.gz",
  (recordings) => {
    it.each(Object.keys(PROVIDER_OF))("of the %s form are taken", (format) => {
      const provider = PROVIDER_OF[format]!;
      const refused: string[] = [];
      let judged = 0;
      for (const recording of recordings.filter(
        (row) => row.format === format && !OTHER_LOGS.test(row.id),
      )) {
        for (const end of requestEnds(recording.messages)) {
          const body = WIRE_FORM[provider]!(recording.messages.slice(0, end));
          const said = REFUSALS_BY[provider](body).map(
            ({ message }) => message,
          );
          judged += 1;
          refused.push(
            ...said.map(
              (message) => `${recording.id} before ${end}: ${message}`,
            ),
          );
        }
      }
      expect(judged).toBeGreaterThan(30);
      expect(refused).toEqual([]);
    });
  },
);

/** Where the model was asked: before each assistant message that follows somebody else. */
function requestEnds(messages: readonly Json[]): number[] {
  return messages.flatMap((message, index) =>
    message.role === "assistant" &&
    index > 0 &&
    ["user", "tool"].includes(messages[index - 1].role)
      ? [index]
      : [],
  );
}

const WIRE_FORM: Readonly<
  Partial<Record<WireProvider, (messages: Json[]) => Json>>
> = {
  openai: (messages) => ({ messages }),

  anthropic: (messages) => ({
    messages: messages
      .slice(messages.findIndex(({ role }) => role !== "system"))
      .map((message) =>
        message.role === "tool"
          ? {
              role: "user",
              content: [
                {
                  type: "tool_result",
                  tool_use_id: message.tool_call_id,
                  content: message.content,
                },
              ],
            }
          : { role: message.role, content: message.content ?? "" },
      ),
  }),

  "openai-responses": (messages) => ({
    input: messages.flatMap((message) => {
      if (message.role === "tool") {
        return [
          {
            type: "function_call_output",
            call_id: message.tool_call_id,
            output: message.content,
          },
        ];
      }
      return message.role === "assistant" && Array.isArray(message.content)
        ? message.content
        : [{ type: "message", role: message.role, content: message.content }];
    }),
  }),

  gemini: (messages) => ({
    contents: messages
      .filter(({ role }) => role !== "system")
      .map((message) => ({
        role: message.role === "assistant" ? "model" : "user",
        parts: message.content,
      })),
  }),
};
