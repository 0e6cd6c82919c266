// Today's agents: the middleware shows the model a compacted view, and the state stays whole.
import { createAgent } from "langchain";
import { SlidingWindowCompactor } from "langchain-compaction";
import { compactionMiddleware } from "langchain-compaction/middleware";
import { auditTask, createLedger, ledgerTools } from "./demo/ledger.js";
import { exampleModel } from "./support/example-model.js";
import { runsDirectly } from "./support/runs-directly.js";

const ledger = createLedger({ pages: 12 });

export const agent = createAgent({
  model: await exampleModel(),
  tools: ledgerTools(ledger),
  middleware: [
    compactionMiddleware({
      compactor: new SlidingWindowCompactor({ minKeepSteps: 1 }),
      // Small, so that a short run shows something. Else leave it out: the
      // window of the called model is taken.
      contextWindow: 10_000,
      compactAt: 0.7,
      compactTo: 0.4,
      onReport: ({ outcome, removedIds }) => {
        if (outcome === "compacted") {
          console.log(`compacted: ${removedIds.length} messages left out`);
        }
      },
    }),
  ],
});

if (runsDirectly(import.meta.url)) {
  const { messages } = await agent.invoke(
    { messages: [{ role: "user", content: auditTask(ledger) }] },
    // Each model call takes two steps: the model, the tools.
    { recursionLimit: 60 },
  );
  console.log(`${messages.length} messages in the state`);
  console.log(messages.at(-1)?.text);
}
