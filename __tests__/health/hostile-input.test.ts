import { afterEach, describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { checkConversation } from "../../src/health/check-conversation.js";
import { repairConversation } from "../../src/health/repair-conversation.js";
import { HOSTILE_CASES } from "./hostile-messages.js";

/** Text of a message, and of one that throws a word that it does. */
function textOf(message: BaseMessage): string {
  try {
    return message.text;
  } catch {
    return "unreadable";
  }
}

const namesOfObject = Object.getOwnPropertyNames(Object.prototype);

afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(namesOfObject);
});

describe.each(HOSTILE_CASES)("$name", ({ make }) => {
  it("neither crashes nor confuses the check", () => {
    const messages = make();
    const problems = checkConversation(messages);
    const places = problems.map(({ index }) => index);
    expect(places.filter((index) => index >= messages.length)).toEqual([]);
  });

  it("is repaired once, and loses no word of a person", () => {
    const messages = make();
    const { messages: mended } = repairConversation(messages);
    expect(repairConversation(mended).messages).toBe(mended);
    const left = new Set(mended.map(textOf));
    const said = messages.filter(({ type }) => type === "human").map(textOf);
    expect(said.filter((text) => !left.has(text))).toEqual([]);
  });
});

it("names the message that cannot be read, and leaves it where it is", () => {
  const { make } = HOSTILE_CASES.find(({ name }) =>
    name.includes("content that"),
  )!;
  const messages = make();
  expect(checkConversation(messages, { provider: "openai" })).toMatchObject([
    { code: "unreadable-message", index: 0 },
  ]);
  expect(repairConversation(messages, { provider: "openai" }).messages).toBe(
    messages,
  );
});
