import { objectsIn, parseObject, textOr, type Json } from "./json.js";
import type { ModelMessage } from "./model.js";
import { openAIErrorBody, openAIFailure } from "./openai-problems.js";
import { responseBody, responseEvents } from "./openai-responses-output.js";
import { itemType, responsesProblems } from "./openai-responses-rules.js";
import { readText } from "./openai-text.js";
import type { Protocol, ReadRequest } from "./protocol.js";
import { splitSystem } from "./split-system.js";

/** OpenAI's Responses API, without stored responses. */
export const openAIResponses: Protocol = {
  name: "openai-responses",
  path: "/v1/responses",
  toolCallPrefix: "call_",
  problems: responsesProblems,
  read: readResponses,
  overflow: () => ({
    message:
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
    param: "input",
    code: "context_length_exceeded",
  }),
  errorBody: openAIErrorBody,
  failure: openAIFailure,
  answerBody: responseBody,
  answerEvents: responseEvents,
};

function readResponses(body: Json): ReadRequest {
  const input =
    typeof body.input === "string"
      ? [{ role: "user", content: body.input }]
      : objectsIn(body.input);
  const instructions: ModelMessage[] =
    typeof body.instructions === "string"
      ? [{ role: "system", text: body.instructions }]
      : [];
  return {
    model: textOr(body.model),
    ...splitSystem([...instructions, ...readItems(input)]),
    tools: objectsIn(body.tools).map((tool) => ({
      name: textOr(tool.name) || textOr(tool.type),
      description: textOr(tool.description),
      parameters: tool.parameters,
    })),
    stream: body.stream === true,
    // Here the reply may be cut at the window; room for it is not demanded.
    maxOutputTokens: 0,
  };
}

/** Joins the items of one answer to one assistant message. */
function readItems(items: readonly Json[]): ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (const item of items) {
    const next = readItem(item);
    const last = messages.at(-1);
    if (next.role === "assistant" && last?.role === "assistant") {
      messages[messages.length - 1] = {
        role: "assistant",
        text: last.text + next.text,
        reasoning: last.reasoning + next.reasoning,
        toolCalls: [...last.toolCalls, ...next.toolCalls],
      };
    } else {
      messages.push(next);
    }
  }
  return messages;
}

function readItem(item: Json): ModelMessage {
  switch (itemType(item)) {
    case "message":
      return readMessage(item);
    case "function_call_output":
      return {
        role: "tool",
        toolCallId: textOr(item.call_id),
        text: readText(item.output),
        media: mediaIn(item.output),
      };
    case "function_call":
    case "custom_tool_call": {
      const argsText = textOr(item.arguments ?? item.input);
      return assistant({
        toolCalls: [
          {
            id: textOr(item.call_id),
            name: textOr(item.name),
            args: parseObject(argsText),
            argsText,
          },
        ],
      });
    }
    case "reasoning":
      return assistant({ reasoning: readText(item.summary) });
    default:
      return assistant({ text: JSON.stringify(item) });
  }
}

function readMessage(item: Json): ModelMessage {
  const text = readText(item.content);
  switch (item.role) {
    case "assistant":
      return assistant({ text });
    case "system":
    case "developer":
      return { role: "system", text };
    default:
      return { role: "user", text, media: mediaIn(item.content) };
  }
}

function assistant(
  part: Partial<Extract<ModelMessage, { role: "assistant" }>>,
): ModelMessage {
  return { role: "assistant", text: "", reasoning: "", toolCalls: [], ...part };
}

function mediaIn(content: unknown): number {
  const media = ["input_image", "input_file"];
  return objectsIn(content).filter((part) => media.includes(textOr(part.type)))
    .length;
}
