import { type Json, type Refusal, refusal } from "./wire-provider.js";

// Ollama renders whatever it gets through the model's template; it refuses
// only roles that it does not know and arguments that are no object.
// Source: https://github.com/ollama/ollama/blob/main/docs/api.md

const ROLES = ["system", "user", "assistant", "tool"];

export function refusalsByOllama(body: Json): Refusal[] {
  const found: Refusal[] = [];
  for (const message of body.messages as Json[]) {
    if (!ROLES.includes(message.role)) {
      found.push(refusal(`invalid role: ${message.role}`));
    }
    for (const call of message.tool_calls ?? []) {
      if (typeof call.function?.arguments !== "object") {
        found.push(
          refusal(
            "json: cannot unmarshal string into Go struct field .arguments",
          ),
        );
      }
    }
  }
  return found;
}
