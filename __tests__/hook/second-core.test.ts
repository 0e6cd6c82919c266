import { describe, expect, it } from "@jest/globals";
import { createRequire } from "node:module";
import { AIMessage } from "@langchain/core/messages";
import type * as Messages from "@langchain/core/messages";
import { SlidingWindowCompactor } from "langchain-compaction";
import { idsOf } from "../support/make-messages.js";
import { hookOf } from "./threads.js";

/** The CommonJS build of core, whose classes are not those of the ESM build. */
const other = createRequire(import.meta.url)(
  "@langchain/core/messages",
) as typeof Messages;

function otherThread(chunks: boolean): Messages.BaseMessage[] {
  const messages: Messages.BaseMessage[] = [
    new other.SystemMessage({ id: "s", content: "be brief" }),
    new other.HumanMessage({ id: "task", content: "go" }),
  ];
  for (let step = 1; step <= 6; step += 1) {
    const call = { id: `c${step}`, name: "look_up", args: {} };
    messages.push(
      chunks
        ? new other.AIMessageChunk({
            id: `a${step}`,
            content: "",
            tool_calls: [call],
          })
        : new other.AIMessage({
            id: `a${step}`,
            content: "",
            tool_calls: [call],
          }),
      new other.ToolMessage({
        id: `r${step}`,
        content: "done",
        tool_call_id: `c${step}`,
      }),
    );
  }
  return messages;
}

it("is another copy", () => {
  expect(other.AIMessage).not.toBe(AIMessage);
});

describe.each([
  ["messages", false],
  ["chunks", true],
])("%s of another copy of core", (_name, chunks) => {
  it("are what they are to a hook", async () => {
    const before = otherThread(chunks);
    const { messages, report } = await hookOf().compact(before);
    expect(report.outcome).toBe("compacted");
    expect(idsOf(messages)).toEqual([
      "s",
      "task",
      "compaction-note-a1",
      "a6",
      "r6",
    ]);
    expect(messages[3]).toBe(before.at(-2));
  });

  it("are what they are to a compactor", async () => {
    const before = otherThread(chunks);
    const messages = await new SlidingWindowCompactor({
      target: { messages: 5 },
    }).invoke(before);
    expect(idsOf(messages)).toEqual([
      "s",
      "task",
      "compaction-note-a1",
      "a6",
      "r6",
    ]);
  });

  it("are marked by a copy of their own class", async () => {
    const before = otherThread(chunks);
    const answer = before.at(-2) as Messages.AIMessage;
    answer.usage_metadata = {
      input_tokens: 150,
      output_tokens: 5,
      total_tokens: 155,
    };
    const { messages } = await hookOf({
      compactor: new SlidingWindowCompactor({ omissionNote: null }),
    }).compact(before);
    const copy = messages.at(-2)!;
    expect(copy.constructor).toBe(answer.constructor);
    expect(copy.response_metadata).toHaveProperty("context_compaction");
  });
});
