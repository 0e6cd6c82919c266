import type { IncomingMessage, ServerResponse } from "node:http";
import { isJson, type Json } from "./json.js";
import type { ServerSentEvent } from "./protocol.js";

/** The body of a request as a JSON object; `undefined` where it is none. */
export async function readBody(
  request: IncomingMessage,
): Promise<Json | undefined> {
  const parts: Buffer[] = [];
  for await (const part of request) {
    parts.push(part as Buffer);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
    return isJson(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: Json,
): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Sends server-sent events, each as a write of its own. */
export function sendEvents(
  response: ServerResponse,
  events: Iterable<ServerSentEvent>,
): void {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  for (const { event, data } of events) {
    const name = event === undefined ? "" : `event: ${event}\n`;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${name}data: ${text}\n\n`);
  }
  response.end();
}
