// A node of your own: call the hook in it and add to the update what you like.
//
// Returning a shorter list yourself removes nothing: the state's reducer only
// adds and replaces. The hook's update carries the removals that it takes.
import {
  Annotation,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
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
});

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  compactions: Annotation<number>({
    reducer: (count, more) => count + more,
    default: () => 0,
  }),
});

const graph = new StateGraph(State)
  .addNode("prepare", async (state, config) => {
    const update = await hook.invoke(state, config);
    return { ...update, compactions: update.messages ? 1 : 0 };
  })
  .addNode("model", async ({ messages }) => ({
    messages: [await model.invoke(messages)],
  }))
  .addNode("tools", new ToolNode(tools))
  .addEdge(START, "prepare")
  .addEdge("prepare", "model")
  .addConditionalEdges("model", toolsCondition)
  .addEdge("tools", "prepare")
  .compile();

const { messages, compactions } = await graph.invoke(
  { messages: [{ role: "user", content: auditTask(ledger) }] },
  { recursionLimit: 60 },
);
console.log(`${compactions} compactions, ${messages.length} messages left.`);
console.log(messages.at(-1)?.text);
