import { describe, expect, it } from "@jest/globals";
import { compactionMatchers } from "../../src/testing/matchers.js";
import type { CompactionMatchers } from "../../src/testing/matchers.js";
import { ai, human, tool } from "../support/make-messages.js";

expect.extend(compactionMatchers);

declare module "expect" {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type
  interface Matchers<R> extends CompactionMatchers<R> {}
}

const step = [human("h1"), ai("a1", ["c1"]), tool("t1", "c1")];
const interrupted = [human("h1"), ai("a1", ["c1"]), human("h2")];

describe("toBeValidFor", () => {
  it("passes for a request that the provider takes", () => {
    expect(step).toBeValidFor("anthropic");
    expect(step).toBeValidFor();
  });

  it("takes messages in any of LangChain's forms", () => {
    expect([{ role: "user", content: "hello" }]).toBeValidFor("openai");
  });

  it("says what is wrong, who says so, and what would mend it", () => {
    expect(() => expect(interrupted).toBeValidFor("openai")).toThrow(
      [
        "Expected 3 messages that are valid for openai, but:",
        '- message 1 ("a1"): a tool call was never answered, and the user went on (call "c1") [unanswered-call]',
        "  openai: An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
        "  To mend it: answer it with a result that says the call was interrupted.",
      ].join("\n"),
    );
  });

  it("can be turned round", () => {
    expect(interrupted).not.toBeValidFor("openai");
    expect(() => expect(step).not.toBeValidFor()).toThrow(
      "Expected every provider to refuse the 3 messages, but they are valid.",
    );
  });

  it("lets a thread rest where it is told so", () => {
    const answered = [...step, ai("a2")];
    expect(answered).not.toBeValidFor("mistral");
    expect(answered).toBeValidFor("mistral", { atRest: true });
  });
});
