import { type Json, type Refusal, refusal } from "./wire-provider.js";

// What the Responses API refuses in its `input`, with the texts of its errors.
// Source: https://platform.openai.com/docs/guides/function-calling and
// https://platform.openai.com/docs/guides/reasoning#keeping-reasoning-items-in-context

const OUTPUT_OF: Readonly<Record<string, string>> = {
  function_call_output: "function_call",
  custom_tool_call_output: "custom_tool_call",
  computer_call_output: "computer_call",
};

const CALLS: ReadonlySet<string> = new Set(Object.values(OUTPUT_OF));

export function refusalsByResponses(body: Json): Refusal[] {
  const input: Json[] = body.input;
  const found: Refusal[] = [];
  if (input.length === 0) {
    found.push(refusal("Invalid 'input': empty array."));
  }
  const called = new Map<string, number>();
  const answered = new Map<string, number>();
  const ids = new Set<string>();

  // Calls since somebody else than the model spoke.
  let calledHere = new Set<string>();

  input.forEach((item, index) => {
    if (
      item.type in OUTPUT_OF ||
      (item.type === "message" && item.role !== "assistant")
    ) {
      calledHere = new Set();
    }
    const callId = item.call_id;
    if (CALLS.has(item.type) || item.type in OUTPUT_OF) {
      checkCallId(callId, index, found);
    }
    if (CALLS.has(item.type)) {
      if (calledHere.has(callId)) {
        found.push(refusal(`Two function calls have call_id ${callId}.`));
      }
      calledHere.add(callId);
      count(called, callId);
    } else if (item.type in OUTPUT_OF) {
      if ((answered.get(callId) ?? 0) >= (called.get(callId) ?? 0)) {
        found.push(
          refusal(
            `No tool call found for function call output with call_id ${callId}.`,
          ),
        );
      }
      count(answered, callId);
    }
    if (typeof item.id === "string") {
      if (ids.has(item.id)) {
        found.push(
          refusal(
            `Duplicate item found with id ${item.id}. Remove duplicate items from your input and try again.`,
          ),
        );
      }
      ids.add(item.id);
    }
    if (item.type === "reasoning" && !isFollower(input[index + 1])) {
      found.push(
        refusal(
          `Item '${item.id}' of type 'reasoning' was provided without its required following item.`,
        ),
      );
    }
  });
  for (const [callId, times] of called) {
    if ((answered.get(callId) ?? 0) < times) {
      found.push(refusal(`No tool output found for function call ${callId}.`));
    }
  }
  return found;
}

/** What the model may have put out behind its reasoning. */
function isFollower(item: Json): boolean {
  return (
    item !== undefined &&
    !(item.type in OUTPUT_OF) &&
    (item.type !== "message" || item.role === "assistant")
  );
}

function checkCallId(callId: unknown, index: number, found: Refusal[]): void {
  if (typeof callId !== "string") {
    found.push(
      refusal(`Missing required parameter: 'input[${index}].call_id'.`),
    );
  } else if (callId.length === 0) {
    found.push(
      refusal(
        `Invalid 'input[${index}].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
      ),
    );
  } else if (callId.length > 64) {
    found.push(
      refusal(
        `Invalid 'input[${index}].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${callId.length} instead.`,
      ),
    );
  }
}

function count(map: Map<string, number>, key: string): void {
  map.set(key, (map.get(key) ?? 0) + 1);
}
