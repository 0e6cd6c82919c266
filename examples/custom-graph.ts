// A graph of your own: the hook is a node before the model's.
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { CompactionHook, SlidingWindowCompactor } from "langchain-compaction";
import { auditTask, createLedger, ledgerTools } from "./demo/ledger.js";
import { exampleModel } from "./support/example-model.js";

const ledger = createLedger({ pages: 12 });
const tools = ledgerTools(ledger);
const model = (await exampleModel()).bindTools(tools);

const hook = new CompactionHook({
  compactor: new SlidingWindowCompactor(),
  contextWindow: 10_000,
  onReport: ({ outcome, removedIds }) => {
    if (outcome === "compacted") {
      console.log(`compacted: ${removedIds.length} messages went`);
    }
  },
});

const graph = new StateGraph(MessagesAnnotation)
  // It rewrites the messages, so no other node may run beside it.
  .addNode("compact", hook)
  .addNode("model", async ({ messages }) => ({
    messages: [await model.invoke(messages)],
  }))
  .addNode("tools", new ToolNode(tools))
  .addEdge(START, "compact")
  .addEdge("compact", "model")
  .addConditionalEdges("model", toolsCondition)
  .addEdge("tools", "compact")
  .compile();

const { messages } = await graph.invoke(
  { messages: [{ role: "user", content: auditTask(ledger) }] },
  { recursionLimit: 60 },
);
console.log(messages.at(-1)?.text);
