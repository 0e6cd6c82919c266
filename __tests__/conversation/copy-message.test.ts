import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  mapStoredMessagesToChatMessages,
  ToolMessage,
} from "@langchain/core/messages";
import { copyMessage } from "../../src/conversation/copy-message.js";

const answer = (): AIMessage =>
  new AIMessage({
    id: "a",
    content: "a long secret",
    name: "bot",
    tool_calls: [{ id: "1", name: "f", args: { deep: [1] } }],
    usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    response_metadata: { model: "x" },
  });

const stored = (message: BaseMessage): string =>
  JSON.stringify([message.toDict(), message, message.lc_kwargs]);

describe("a copy", () => {
  it("is a new object of the same class with everything else", () => {
    const message = answer();
    const copy = copyMessage(message, { content: "short" });

    expect(copy).not.toBe(message);
    expect(copy.constructor).toBe(AIMessage);
    expect(AIMessage.isInstance(copy)).toBe(true);
    expect(copy).toMatchObject({
      id: "a",
      content: "short",
      name: "bot",
      tool_calls: message.tool_calls,
      usage_metadata: message.usage_metadata,
      response_metadata: { model: "x" },
    });
    expect(message.content).toBe("a long secret");
  });

  it("holds no trace of what was replaced, however often it is copied", () => {
    let copy = answer();
    for (let times = 0; times < 5; times += 1) {
      copy = copyMessage(copy, { content: `short ${times}` });
    }
    expect(stored(copy)).not.toContain("secret");
    expect(stored(copy)).not.toContain("short 3");
    expect(stored(copy).length).toBeLessThan(stored(answer()).length);
  });

  it("survives a checkpoint, fields that were set later and all", () => {
    const message = answer();
    message.id = "later";
    message.usage_metadata = {
      input_tokens: 70,
      output_tokens: 7,
      total_tokens: 77,
    };
    const copy = copyMessage(message, { content: "short" });
    const [back] = mapStoredMessagesToChatMessages(
      JSON.parse(JSON.stringify([copy.toDict()])) as never,
    );
    expect(back).toMatchObject({
      id: "later",
      content: "short",
      usage_metadata: { input_tokens: 70 },
    });
  });

  it("of a chunk stays a chunk, with its calls as they are", () => {
    const chunk = new AIMessageChunk({
      id: "c",
      content: "x",
      tool_call_chunks: [{ id: "1", name: "f", args: '{"a":1}', index: 0 }],
    });
    const copy = copyMessage(chunk, { content: "y" });
    expect(copy.constructor).toBe(AIMessageChunk);
    expect(copy.tool_calls).toEqual(chunk.tool_calls);
  });

  it("keeps a result's artifact and status", () => {
    const result = new ToolMessage({
      id: "r",
      content: "x",
      tool_call_id: "1",
      artifact: { rows: 3 },
      status: "error",
    });
    expect(copyMessage(result, { content: "y" })).toMatchObject({
      tool_call_id: "1",
      artifact: { rows: 3 },
      status: "error",
    });
  });

  it("of a frozen message is made, and may be changed", () => {
    const copy: AIMessage = copyMessage(Object.freeze(answer()), {
      content: "short",
    });
    copy.id = "other";
    expect(copy).toMatchObject({ id: "other", content: "short", name: "bot" });
  });
});
