import {
  mapChatMessagesToStoredMessages,
  type BaseMessage,
} from "@langchain/core/messages";
import {
  END,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";

/** Messages as LangChain stores them and as a checkpointer keeps them, as texts. */
export async function storedForms(
  messages: readonly BaseMessage[],
): Promise<string[]> {
  const saver = new MemorySaver();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("nothing", () => ({}))
    .addEdge(START, "nothing")
    .addEdge("nothing", END)
    .compile({ checkpointer: saver });
  await graph.invoke(
    { messages: [...messages] },
    { configurable: { thread_id: "1" } },
  );
  return [
    JSON.stringify(mapChatMessagesToStoredMessages([...messages])),
    ...textsIn(saver.storage),
    ...textsIn(saver.writes),
  ];
}

function textsIn(kept: unknown): string[] {
  if (kept instanceof Uint8Array) {
    return [new TextDecoder().decode(kept)];
  }
  return typeof kept === "object" && kept !== null
    ? Object.values(kept).flatMap(textsIn)
    : [];
}
