import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import {
  END,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import type { ConversationMend } from "../../src/health/draft.js";
import { ConversationRepair } from "../../src/health/conversation-repair.js";
import { ai, human, idsOf, tool } from "../support/make-messages.js";

const broken = (): BaseMessage[] => [
  human("h1"),
  ai("a1", ["c1"]),
  human("h2"),
];
const healed = ["h1", "a1", "interrupted-a1-c1", "h2"];

describe("ConversationRepair", () => {
  it("mends what flows through a chain", async () => {
    const seen: ConversationMend[] = [];
    const chain = new ConversationRepair({
      provider: "anthropic",
      onMend: (mends) => seen.push(...mends),
    }).pipe(RunnableLambda.from((messages: BaseMessage[]) => idsOf(messages)));
    expect(await chain.invoke(broken())).toEqual(healed);
    expect(seen.map(({ code }) => code)).toEqual(["unanswered-call"]);
  });

  it("mends where its listener throws", async () => {
    const repair = new ConversationRepair({
      onMend: () => {
        throw new Error("full disk");
      },
    });
    expect(idsOf(await repair.invoke(broken()))).toContain("interrupted-a1-c1");
  });

  it("names an option that is wrong", () => {
    expect(() => new ConversationRepair({ onMend: 5 as never })).toThrow(
      'Option "onMend" must be a function, got 5.',
    );
  });

  it("passes a healthy list as it is, and takes a text", async () => {
    const repair = new ConversationRepair();
    const messages = [human("h1"), ai("a1", ["c1"]), tool("t1", "c1")];
    expect(await repair.invoke(messages)).toBe(messages);
    expect(await repair.invoke("hello")).toEqual([new HumanMessage("hello")]);
  });

  it("mends a thread's state for good, and streams nothing", async () => {
    const seen: string[][] = [];
    const graph = new StateGraph(MessagesAnnotation)
      .addNode(
        "repair",
        new ConversationRepair({ provider: "openai" }).asNode(),
      )
      .addNode("model", ({ messages }) => {
        seen.push(idsOf(messages));
        return { messages: [ai(`a${messages.length}`)] };
      })
      .addEdge(START, "repair")
      .addEdge("repair", "model")
      .addEdge("model", END)
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "1" } };

    const streamed: (string | undefined)[] = [];
    const first = await graph.stream(
      { messages: broken() },
      { ...config, streamMode: "messages" },
    );
    for await (const [message] of first) {
      streamed.push(message.id);
    }
    await graph.invoke({ messages: [human("h3")] }, config);

    expect(seen).toEqual([healed, [...healed, "a4", "h3"]]);
    expect(streamed).toEqual(["a4"]);
    const { values } = await graph.getState(config);
    expect(values.messages.map((message: BaseMessage) => message.type)).toEqual(
      ["human", "ai", "tool", "human", "ai", "human", "ai"],
    );
  });

  it("names the key that holds no messages", () => {
    expect(() =>
      new ConversationRepair().asNode("history")({} as never),
    ).toThrow(/under "history"/);
  });

  it("refuses an option that it does not have", () => {
    expect(
      () => new ConversationRepair({ providers: "openai" } as never),
    ).toThrow(/has no option "providers"/);
  });
});
