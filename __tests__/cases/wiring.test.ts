import { describe, expect, it } from "@jest/globals";
import { fakeModel } from "@langchain/core/testing";
import { MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { CompactionHook, SlidingWindowCompactor } from "langchain-compaction";
import { ai, human } from "../support/make-messages.js";
import { shown } from "../support/one-token-each.js";

/** A hook over a window of 4 messages that goes down to 2. */
const hook = (): CompactionHook =>
  new CompactionHook({
    compactor: new SlidingWindowCompactor(),
    contextWindow: 4,
    compactAt: 1,
    compactTo: 0.5,
    tokenCounter: () => 1,
  });

describe("a hook before the model", () => {
  it("gives the model exactly the compacted list, also in later runs of a thread", async () => {
    const llm = fakeModel()
      .respond(ai("a1"))
      .respond(ai("a2"))
      .respond(ai("a3"))
      .respond(ai("a4"));
    const agent = createReactAgent({
      llm,
      tools: [],
      preModelHook: hook(),
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: "riddles" } };
    for (const id of ["h1", "h2", "h3", "h4"]) {
      await agent.invoke({ messages: [human(id)] }, config);
    }
    expect(llm.calls.map((call) => shown(call.messages))).toEqual([
      "h1",
      "h1 a1 h2",
      "* h3",
      "* h4",
    ]);
    const { values } = await agent.getState(config);
    expect(shown(values.messages)).toBe("* h4 a4");
  });

  it("streams what the agent says, once, and nothing of its own", async () => {
    const llm = fakeModel().respond(ai("a9"));
    const agent = createReactAgent({ llm, tools: [], preModelHook: hook() });
    const streamed: string[] = [];
    const stream = await agent.stream(
      { messages: [human("h1"), ai("a1"), human("h2"), ai("a2"), human("h3")] },
      { streamMode: "messages" },
    );
    for await (const [message] of stream) {
      streamed.push(message.id ?? "?");
    }
    expect(new Set(streamed)).toEqual(new Set(["a9"]));
  });

  it("needs no ids, since it names none", async () => {
    const llm = fakeModel().respond(ai("a9"));
    const agent = createReactAgent({ llm, tools: [], preModelHook: hook() });
    const messages = [
      human("h1"),
      ai("a1"),
      human("h2"),
      ai("a2"),
      human("h3"),
    ];
    for (const message of messages) {
      delete message.id;
    }
    const after = await agent.invoke({ messages });
    expect(after.messages.at(-1)!.id).toBe("a9");
    expect(llm.calls[0]!.messages).toHaveLength(2);
  });
});
