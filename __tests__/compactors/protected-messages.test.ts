import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import {
  SlidingWindowCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
} from "langchain-compaction";
import { ai, human, idsOf } from "../support/make-messages.js";

/** One token a message. */
const tokenCounter = (messages: readonly BaseMessage[]): number =>
  messages.length;

/** A result and words in one message, as Anthropic's format has it. */
const answerAndWords = new HumanMessage({
  id: "answer",
  content: [
    { type: "tool_result", tool_use_id: "c1", content: "done" },
    { type: "text", text: "And one more thing:" },
  ] as never,
});

describe("a task that begins inside a step", () => {
  it.each([
    ["SlidingWindowCompactor", new SlidingWindowCompactor()],
    ["TurnWindowCompactor", new TurnWindowCompactor({ minKeepTurns: 0 })],
    ["TruncationCompactor", new TruncationCompactor({ minKeepGroups: 0 })],
  ])("keeps that step: %s", async (_, compactor) => {
    const after = await compactor.compact(
      [
        human("h1"),
        ai("b1"),
        ai("b2"),
        human("h2"),
        ai("a1", ["c1"]),
        answerAndWords,
        human("task"),
      ],
      { target: { tokens: 4 }, tokenCounter },
    );
    expect(idsOf(after!).slice(-3)).toEqual(["a1", "answer", "task"]);
  });
});
