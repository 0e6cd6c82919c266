import { describe, expect, it } from "@jest/globals";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { CompactionHook, SlidingWindowCompactor } from "langchain-compaction";
import { startProtocolServer } from "langchain-compaction/testing";
import { auditor } from "../../../examples/demo/auditor.js";
import {
  auditTask,
  createLedger,
  expectedReport,
  ledgerTools,
} from "../../../examples/demo/ledger.js";
import { CLIENTS, clientNames } from "./clients.js";

const ledger = createLedger({ pages: 10, invoicesPerPage: 8 });
const contextWindow = 5_000;

async function audit(
  client: (typeof clientNames)[number],
  streamMode: "values" | "messages",
  preModelHook?: CompactionHook,
) {
  await using server = await startProtocolServer({
    respond: (request) => {
      const reply = auditor(request);
      // Models that reason bring a block that must stay where it is.
      return typeof reply === "object"
        ? { ...reply, reasoning: "Next." }
        : reply;
    },
    contextWindow,
  });
  const agent = createReactAgent({
    llm: CLIENTS[client](server),
    tools: ledgerTools(ledger),
    preModelHook,
  });
  const stream = await agent.stream(
    { messages: [{ role: "user", content: auditTask(ledger) }] },
    { streamMode: ["values", streamMode], recursionLimit: 60 },
  );
  let answer: string | undefined;
  for await (const [mode, chunk] of stream) {
    answer = mode === "values" ? chunk.messages.at(-1)?.text : answer;
  }
  const refused = server.requests.filter(({ status }) => status !== 200);
  return { answer, refused, calls: server.requests.length };
}

describe.each(
  clientNames.flatMap((client) =>
    (["values", "messages"] as const).map((mode) => [client, mode] as const),
  ),
)("an agent with the real client: %s, stream mode %s", (client, mode) => {
  it("dies on its context window without the hook", async () => {
    await expect(audit(client, mode)).rejects.toMatchObject({
      name: "ContextOverflowError",
    });
  });

  it("comes to the right end with it", async () => {
    let compactions = 0;
    const hook = new CompactionHook({
      compactor: new SlidingWindowCompactor(),
      contextWindow,
      onReport: ({ outcome }) => {
        compactions += outcome === "compacted" ? 1 : 0;
      },
    });
    const { answer, refused, calls } = await audit(client, mode, hook);
    expect(refused).toEqual([]);
    expect(answer).toBe(expectedReport(ledger));
    expect(calls).toBe(ledger.pages.size + 1);
    expect(compactions).toBeGreaterThan(0);
  });
});
