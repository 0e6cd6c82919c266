import { objectsIn, textOr, type Json } from "./json.js";
import { REASONED } from "./openai-responses-rules.js";
import { pieces } from "./pieces.js";
import type { Answer, ServerSentEvent, TokenUsage, Turn } from "./protocol.js";

/** A whole response. */
export function responseBody(answer: Answer, turn: Turn): Json {
  return envelope(turn, "completed", outputItems(answer, turn));
}

/** A response as the events of a stream. */
export function* responseEvents(
  answer: Answer,
  turn: Turn,
): Generator<ServerSentEvent> {
  const items = outputItems(answer, turn);
  const response = envelope(turn, "in_progress", []);
  let sequence = 0;
  const event = (type: string, data: Json): ServerSentEvent => ({
    event: type,
    data: { type, sequence_number: sequence++, ...data },
  });
  yield event("response.created", { response });
  yield event("response.in_progress", { response });
  for (const [index, item] of items.entries()) {
    const added = { ...item, ...EMPTY[textOr(item.type)] };
    yield event("response.output_item.added", {
      output_index: index,
      item: added,
    });
    const at = { item_id: item.id, output_index: index };
    for (const { type, data } of itemEvents(item, answer.chunks)) {
      yield event(type, { ...at, ...data });
    }
    yield event("response.output_item.done", { output_index: index, item });
  }
  yield event("response.completed", {
    response: { ...envelope(turn, "completed", items), id: response.id },
  });
}

/** The items of an answer: reasoning, then text or refusal, then the calls. */
function outputItems(answer: Answer, turn: Turn): Json[] {
  const items: Json[] = [];
  let nextId = (prefix: string): string => turn.newId(prefix);
  if (answer.reasoning !== "") {
    const shared = turn.newId(REASONED);
    items.push({
      id: `rs_${shared}`,
      type: "reasoning",
      summary: [{ type: "summary_text", text: answer.reasoning }],
    });
    nextId = (prefix) => {
      nextId = turn.newId;
      return `${prefix}${shared}`;
    };
  }
  if (answer.text !== "" || answer.refusal !== "") {
    items.push({
      id: nextId("msg_"),
      type: "message",
      status: "completed",
      role: "assistant",
      content: [
        ...(answer.text === "" ? [] : [textPart(answer.text)]),
        ...(answer.refusal === ""
          ? []
          : [{ type: "refusal", refusal: answer.refusal }]),
      ],
    });
  }
  for (const call of answer.toolCalls) {
    items.push({
      id: nextId("fc_"),
      type: "function_call",
      status: "completed",
      call_id: call.id,
      name: call.name,
      arguments: call.argsText,
    });
  }
  return items;
}

function textPart(text: string): Json {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function envelope(turn: Turn, status: string, output: readonly Json[]): Json {
  return {
    id: turn.newId("resp_"),
    object: "response",
    created_at: turn.created,
    status,
    error: null,
    incomplete_details: null,
    instructions: turn.body.instructions ?? null,
    model: turn.model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    tool_choice: turn.body.tool_choice ?? "auto",
    tools: turn.body.tools ?? [],
    text: turn.body.text ?? { format: { type: "text" } },
    usage: status === "completed" ? usageBody(turn.usage) : null,
    metadata: {},
  };
}

function usageBody(usage: TokenUsage): Json {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}

// What an item lacks when it is announced.
const EMPTY: Readonly<Record<string, Json>> = {
  reasoning: { summary: [] },
  message: { status: "in_progress", content: [] },
  function_call: { status: "in_progress", arguments: "" },
};

interface ItemEvent {
  readonly type: string;
  readonly data: Json;
}

function* itemEvents(item: Json, chunks: number): Generator<ItemEvent> {
  switch (item.type) {
    case "reasoning":
      yield* partEvents(objectsIn(item.summary), chunks, "summary_index");
      break;
    case "message":
      yield* partEvents(objectsIn(item.content), chunks, "content_index");
      break;
    default: {
      const type = "response.function_call_arguments";
      const args = textOr(item.arguments);
      for (const delta of pieces(args, chunks)) {
        yield { type: `${type}.delta`, data: { delta } };
      }
      yield { type: `${type}.done`, data: { arguments: args } };
    }
  }
}

// How each kind of part is streamed: its text's key and the names of its events.
const PARTS: Readonly<
  Record<string, { key: string; part: string; text: string }>
> = {
  summary_text: {
    key: "text",
    part: "response.reasoning_summary_part",
    text: "response.reasoning_summary_text",
  },
  output_text: {
    key: "text",
    part: "response.content_part",
    text: "response.output_text",
  },
  refusal: {
    key: "refusal",
    part: "response.content_part",
    text: "response.refusal",
  },
};

function* partEvents(
  parts: readonly Json[],
  chunks: number,
  indexKey: string,
): Generator<ItemEvent> {
  for (const [index, part] of parts.entries()) {
    const names = PARTS[textOr(part.type)]!;
    const at = { [indexKey]: index };
    const whole = textOr(part[names.key]);
    const empty = { ...part, [names.key]: "" };
    yield { type: `${names.part}.added`, data: { ...at, part: empty } };
    for (const delta of pieces(whole, chunks)) {
      yield { type: `${names.text}.delta`, data: { ...at, delta } };
    }
    yield { type: `${names.text}.done`, data: { ...at, [names.key]: whole } };
    yield { type: `${names.part}.done`, data: { ...at, part } };
  }
}
