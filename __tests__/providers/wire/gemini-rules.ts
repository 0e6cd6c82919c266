import { type Json, type Refusal, refusal } from "./wire-provider.js";

// What generateContent refuses, with the texts of its errors.
// Source: https://ai.google.dev/gemini-api/docs/function-calling and
// https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling
//
// The client sends every result of a parallel call as a content of its own.
// Reports differ on whether that is taken; it does so for every conversation,
// so contents that hold nothing but function responses are taken as one here.

interface Turn {
  role: "user" | "model";
  parts: Json[];
}

export function refusalsByGemini(body: Json): Refusal[] {
  const contents: Json[] = body.contents;
  const found: Refusal[] = [];
  if (contents.length === 0) {
    return [
      refusal("* GenerateContentRequest.contents: contents is not specified"),
    ];
  }
  contents.forEach((content, index) => {
    if (content.parts.length === 0) {
      found.push(
        refusal(
          `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`,
        ),
      );
    }
    const responses = content.parts.filter(isResponse).length;
    if (responses > 0 && responses < content.parts.length) {
      found.push(
        refusal("A function response turn must hold function responses only."),
      );
    }
  });

  const turns = combine(contents);
  turns.forEach((turn, index) => {
    const previous = turns[index - 1];
    const next = turns[index + 1];
    const calls = turn.role === "model" ? turn.parts.filter(isCall).length : 0;
    if (calls > 0) {
      if (previous === undefined) {
        found.push(
          refusal(
            "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
          ),
        );
      }
      if ((next?.parts.filter(isResponse).length ?? 0) !== calls) {
        found.push(
          refusal(
            "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
          ),
        );
      }
    }
    if (turn.parts.some(isResponse) && !previous?.parts.some(isCall)) {
      found.push(
        refusal(
          "Please ensure that function response turn comes immediately after a function call turn.",
        ),
      );
    }
  });
  if (turns.at(-1)!.role === "model") {
    found.push(refusal("Requests ending with a model turn are not supported."));
  }
  return found;
}

function combine(contents: readonly Json[]): Turn[] {
  const turns: Turn[] = [];
  for (const { role, parts } of contents) {
    const last = turns.at(-1);
    const bothAnswer = parts.some(isResponse) && last?.parts.some(isResponse);
    if (last?.role === role && (role === "model" || bothAnswer)) {
      last!.parts = [...last!.parts, ...parts];
    } else {
      turns.push({ role, parts });
    }
  }
  return turns;
}

function isCall(part: Json): boolean {
  return "functionCall" in part;
}

function isResponse(part: Json): boolean {
  return "functionResponse" in part;
}
