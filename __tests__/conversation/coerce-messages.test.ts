import { describe, expect, it } from "@jest/globals";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import {
  coerceMessages,
  requireMessages,
} from "../../src/conversation/coerce-messages.js";
import { ai, human, tool } from "../support/make-messages.js";

describe("coerceMessages", () => {
  it("gives a list of messages back as it is", () => {
    const messages = [human("q"), ai("a")];
    expect(coerceMessages(messages)).toBe(messages);
  });

  it("keeps the messages of a mixed list", () => {
    const message = human("q");
    const [first, second] = coerceMessages([message, ["ai", "hi"]]);
    expect(first).toBe(message);
    expect(second).toMatchObject({ type: "ai", content: "hi" });
  });

  it("makes whole messages of what toDict gives", () => {
    const messages = [human("q"), ai("a", ["1"]), tool("r", "1")];
    const back = coerceMessages(messages.map((m) => m.toDict()) as never);
    expect(back.map((m) => m.toDict())).toEqual(
      messages.map((m) => m.toDict()),
    );
  });

  it("takes a string and a prompt value", async () => {
    expect(coerceMessages("hi")).toMatchObject([
      { type: "human", content: "hi" },
    ]);
    const value = await ChatPromptTemplate.fromTemplate("hi").invoke({});
    expect(coerceMessages(value)).toMatchObject([
      { type: "human", content: "hi" },
    ]);
  });

  it.each<[string, unknown, RegExp]>([
    ["a number", 5, /got 5/],
    ["an object", { a: 1 }, /keys a/],
    ["an entry", [human("q"), 5], /Entry 1.*5/],
    [
      "a hole",
      Object.assign([human("q")], { length: 2 }),
      /Entry 1.*undefined/,
    ],
    [
      "arguments that are no JSON",
      [
        {
          role: "assistant",
          content: "",
          tool_calls: [
            {
              id: "1",
              type: "function",
              function: { name: "f", arguments: "{" },
            },
          ],
        },
      ],
      /Entry 0/,
    ],
  ])("names %s that is no message", (_name, input, text) => {
    expect(() => coerceMessages(input as never)).toThrow(
      expect.objectContaining({
        code: "INVALID_MESSAGES",
        message: expect.stringMatching(text),
      }),
    );
  });
});

describe("requireMessages", () => {
  it("takes messages and nothing that is like one", () => {
    expect(() => requireMessages([human("q")])).not.toThrow();
    expect(() => requireMessages([])).not.toThrow();
    expect(() => requireMessages([human("q"), ["ai", "hi"]])).toThrow(
      /Entry 1/,
    );
    expect(() => requireMessages("hi")).toThrow(/an array of messages/);
  });
});
