import type { ProtocolServer } from "langchain-compaction/testing";

/** Sends a body as it is. */
export async function post(
  server: ProtocolServer,
  path: string,
  body: unknown,
): Promise<Response> {
  return fetch(`${server.anthropicURL}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** The events of a stream: name and parsed data, or the bare text where it is no JSON. */
export async function readEvents(
  response: Response,
): Promise<{ event?: string; data: Record<string, unknown> | string }[]> {
  const text = await response.text();
  return text
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => {
      const [, event] = /^event: (.*)$/m.exec(block) ?? [];
      const [, data] = /^data: (.*)$/m.exec(block)!;
      return { event, data: data!.startsWith("{") ? JSON.parse(data!) : data };
    });
}
