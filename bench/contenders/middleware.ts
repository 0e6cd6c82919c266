import {
  AIMessage,
  type BaseMessage,
  SystemMessage,
} from "@langchain/core/messages";
import {
  type AgentMiddleware,
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createMiddleware,
  summarizationMiddleware,
} from "langchain";
import { SlidingWindowCompactor } from "langchain-compaction";
import { compactionMiddleware } from "langchain-compaction/middleware";
import { freeSummarizer } from "./summarization.js";

/** Middleware of an agent, for one thread. */
export interface MiddlewareContender {
  readonly name: string;
  make(): AgentMiddleware;
}

/** Tokens that no thread has. */
const NEVER = 1_000_000_000;

export const COMPACTION = "compactionMiddleware";

/** One entry is one contender among middleware that has nothing to do yet, each with its own counter. */
export const idleMiddleware: readonly MiddlewareContender[] = [
  {
    name: COMPACTION,
    make: () =>
      compactionMiddleware({
        compactor: new SlidingWindowCompactor(),
        contextWindow: NEVER,
      }) as AgentMiddleware,
  },
  {
    name: "summarizationMiddleware",
    make: () =>
      summarizationMiddleware({
        model: freeSummarizer,
        trigger: { tokens: NEVER },
      }) as unknown as AgentMiddleware,
  },
  {
    name: "contextEditingMiddleware",
    make: () =>
      contextEditingMiddleware({
        edits: [new ClearToolUsesEdit({ trigger: { tokens: NEVER } })],
      }),
  },
];

/** What it costs to have middleware at all. */
export const emptyMiddleware: readonly MiddlewareContender[] = [
  {
    name: "an empty wrapModelCall",
    make: () =>
      createMiddleware({
        name: "EmptyWrapper",
        wrapModelCall: (request, handler) => handler(request),
      }),
  },
  {
    name: "an empty beforeModel",
    make: () =>
      createMiddleware({ name: "EmptyNode", beforeModel: () => undefined }),
  },
];

/** What middleware does for one model call, without the agent around it. */
export function ownWorkOf({
  beforeModel,
  wrapModelCall,
}: AgentMiddleware): (messages: BaseMessage[]) => unknown {
  const systemMessage = new SystemMessage("You look things up.");
  const answer = new AIMessage({ id: "answer", content: "Done." });
  const runtime = { context: {} };
  return (messages) => {
    const state = { messages };
    const request = {
      model: freeSummarizer,
      messages,
      systemMessage,
      systemPrompt: systemMessage.text,
      tools: [],
      state,
      runtime,
    };
    return wrapModelCall === undefined
      ? (beforeModel as OwnHook)(state, runtime)
      : (wrapModelCall as OwnHook)(request, async () => answer);
  };
}

/** As `createAgent` calls it, with as much as is looked at. */
type OwnHook = (...given: unknown[]) => unknown;
