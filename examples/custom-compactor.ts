// A compactor of your own, for what only you know about your messages. Here: of
// a page that the agent is done with, the title is enough.
import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { CompactionHook, Compactor } from "langchain-compaction";
import { auditTask, createLedger, ledgerTools } from "./demo/ledger.js";
import { exampleModel } from "./support/example-model.js";

class PageTitlesCompactor extends Compactor {
  /** The messages are the caller's: make new ones where something changes. */
  async compact(
    messages: readonly BaseMessage[],
  ): Promise<BaseMessage[] | null> {
    const newestCall = messages.findLastIndex(({ type }) => type === "ai");
    const titles = messages.map((message, index) =>
      index < newestCall && ToolMessage.isInstance(message)
        ? titleOf(message)
        : message,
    );
    return titles.every((message, index) => message === messages[index])
      ? null
      : titles;
  }
}

function titleOf(message: ToolMessage): ToolMessage {
  const [title = "", ...lines] = message.text.split("\n");
  const { id, name, tool_call_id, status } = message;
  return lines.length === 0
    ? message
    : new ToolMessage({ id, name, tool_call_id, status, content: title });
}

const ledger = createLedger({ pages: 12 });

const agent = createReactAgent({
  llm: await exampleModel(),
  tools: ledgerTools(ledger),
  preModelHook: new CompactionHook({
    compactor: new PageTitlesCompactor(),
    contextWindow: 10_000,
    onReport: ({ outcome, tokensBefore, tokensAfter }) => {
      if (outcome === "compacted") {
        const saved = Math.round(tokensBefore - tokensAfter);
        console.log(`compacted: ${saved} tokens saved`);
      }
    },
  }),
});

const { messages } = await agent.invoke(
  { messages: [{ role: "user", content: auditTask(ledger) }] },
  { recursionLimit: 60 },
);
console.log(messages.at(-1)?.text);
