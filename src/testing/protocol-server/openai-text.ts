import { objectsIn, textOr } from "./json.js";

/** The text of a content of OpenAI's, which is one text or a list of parts. */
export function readText(content: unknown): string {
  return typeof content === "string"
    ? content
    : objectsIn(content)
        .map((part) => textOr(part.text ?? part.refusal))
        .join("");
}
