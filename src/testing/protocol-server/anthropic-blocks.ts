import { objectsIn, type Json } from "./json.js";

/** A message's content as blocks, a text alone as one of them. */
export function blocksOf(message: Json): Json[] {
  return typeof message.content === "string" && message.content !== ""
    ? [{ type: "text", text: message.content }]
    : objectsIn(message.content);
}
