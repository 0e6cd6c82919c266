import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import type { summarizationMiddleware } from "langchain";

/** A model that answers at once, so that only the work around it is measured. */
export const freeSummarizer = {
  invoke: async () => ({ content: "What happened so far." }),
} as unknown as BaseChatModel;

type Update = { messages: BaseMessage[] } | undefined;

/** What the middleware does before a model call, without the agent around it. */
export function ownWorkOf(
  middleware: ReturnType<typeof summarizationMiddleware>,
): (messages: BaseMessage[]) => Promise<Update> {
  const beforeModel = middleware.beforeModel as (
    state: { messages: BaseMessage[] },
    runtime: { context: object },
  ) => Promise<Update>;
  return (messages) => beforeModel({ messages }, { context: {} });
}
