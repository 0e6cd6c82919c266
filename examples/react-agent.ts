// The shortest way: the hook as `preModelHook` of an agent.
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { CompactionHook, SlidingWindowCompactor } from "langchain-compaction";
import { auditTask, createLedger, ledgerTools } from "./demo/ledger.js";
import { exampleModel } from "./support/example-model.js";
import { runsDirectly } from "./support/runs-directly.js";

const ledger = createLedger({ pages: 12 });

export const agent = createReactAgent({
  llm: await exampleModel(),
  tools: ledgerTools(ledger),
  preModelHook: new CompactionHook({
    compactor: new SlidingWindowCompactor({ minKeepSteps: 1 }),
    // Small, so that a short run shows something. Else your model's window.
    contextWindow: 10_000,
    compactAt: 0.7,
    compactTo: 0.4,
    onReport: ({ outcome, removedIds }) => {
      if (outcome === "compacted") {
        console.log(`compacted: ${removedIds.length} messages went`);
      }
    },
  }),
});

// `langgraph.json` serves the agent; run by itself, the file runs it once.
if (runsDirectly(import.meta.url)) {
  const { messages } = await agent.invoke(
    { messages: [{ role: "user", content: auditTask(ledger) }] },
    // Each model call takes three steps: the hook, the model, the tools.
    { recursionLimit: 60 },
  );
  console.log(messages.at(-1)?.text);
}
