import type { BaseMessage } from "@langchain/core/messages";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import type { CompactionHook } from "langchain-compaction";
import {
  type RecordedRequest,
  startProtocolServer,
} from "langchain-compaction/testing";
import { auditor } from "./auditor.js";
import { auditTask, type Ledger, ledgerTools } from "./ledger.js";

/** An audit to run. */
export interface AuditOptions {
  readonly ledger: Ledger;
  /** Tokens. */
  readonly contextWindow: number;
  readonly preModelHook?: CompactionHook;
  /** Hears of each model call. */
  readonly onRequest?: (request: RecordedRequest) => void;
}

/** How an audit ended. */
export interface AuditResult {
  readonly requests: readonly RecordedRequest[];
  /** The agent's last words, or nothing where it failed. */
  readonly answer?: string;
  readonly error?: unknown;
}

/** Lets a real agent with the real client audit the ledger, against the local server. */
export async function runAudit(options: AuditOptions): Promise<AuditResult> {
  const { ledger, contextWindow, preModelHook, onRequest } = options;
  await using server = await startProtocolServer({
    respond: auditor,
    contextWindow,
    onRequest,
  });
  const agent = createReactAgent({
    llm: new ChatOpenAI({
      model: "gpt-4.1",
      apiKey: "not needed here",
      configuration: { baseURL: server.baseURL },
    }),
    tools: ledgerTools(ledger),
    preModelHook,
  });
  const { requests } = server;
  try {
    let messages: BaseMessage[] = [];
    // "messages" makes the model stream, as it does behind a user interface.
    const stream = await agent.stream(
      { messages: [{ role: "user", content: auditTask(ledger) }] },
      {
        streamMode: ["values", "messages"],
        // Three steps a page: the hook, the model, the tools.
        recursionLimit: 3 * ledger.pages.size + 10,
      },
    );
    for await (const [mode, chunk] of stream) {
      if (mode === "values") {
        messages = chunk.messages;
      }
    }
    return { requests, answer: messages.at(-1)?.text };
  } catch (error) {
    return { requests, error };
  }
}
