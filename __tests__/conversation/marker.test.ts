import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import {
  isNote,
  markerOf,
  originalsBehind,
  stampOf,
} from "../../src/conversation/marker.js";
import { ai, human, system, tool } from "../support/make-messages.js";

const marked = (
  make: typeof human | typeof system,
  marker: unknown,
): BaseMessage => make("m", withMarker(marker));

const markedResult = (marker: unknown): BaseMessage =>
  tool("m", "call", withMarker(marker));

const withMarker = (marker: unknown) => ({
  additional_kwargs: { context_compaction: marker },
});

const removal = {
  strategy: "sliding-window",
  removedMessages: 3,
  keptMessages: 2,
};

describe("a marker of ours", () => {
  it.each<[string, BaseMessage, boolean, number]>([
    ["of a note", marked(human, removal), true, 3],
    [
      "of a note with all that the hook adds",
      marked(human, { ...removal, lastReportId: "a", overheadTokens: -5.5 }),
      true,
      3,
    ],
    [
      "of a note of turns",
      marked(human, { ...removal, strategy: "turn-window" }),
      true,
      3,
    ],
    [
      "of a summary",
      marked(human, { strategy: "summarization", summarizedMessages: 7 }),
      false,
      7,
    ],
    [
      "of a record",
      marked(human, { strategy: "tool-call-collapse", collapsedMessages: 4 }),
      false,
      4,
    ],
    [
      "of a pruned result",
      markedResult({
        strategy: "tool-result-pruning",
        originalTokens: 900,
      }),
      false,
      1,
    ],
    [
      "of a repair",
      marked(human, { strategy: "repair", repairedMessages: 0 }),
      false,
      0,
    ],
  ])("%s is read", (_name, message, isOfNote, originals) => {
    const marker = markerOf(message);
    expect(marker).toBeDefined();
    expect(isNote(marker)).toBe(isOfNote);
    expect(originalsBehind(marker)).toBe(originals);
  });
});

describe("what is no marker of ours", () => {
  it.each<[string, BaseMessage]>([
    ["a text", marked(human, "sliding-window")],
    ["nothing", marked(human, null)],
    [
      "a strategy that we do not have",
      marked(human, { ...removal, strategy: "other" }),
    ],
    ["a note without numbers", marked(human, { strategy: "sliding-window" })],
    ["a negative number", marked(human, { ...removal, removedMessages: -1 })],
    ["a fraction", marked(human, { ...removal, keptMessages: 0.5 })],
    ["a number as text", marked(human, { ...removal, removedMessages: "3" })],
    ["an id that is no text", marked(human, { ...removal, lastReportId: 5 })],
    [
      "an overhead that is no number",
      marked(human, { ...removal, overheadTokens: Number.NaN }),
    ],
    ["a note on a system message", marked(system, removal)],
    ["a note on a tool result", markedResult(removal)],
    [
      "a pruned result on a human message",
      marked(human, { strategy: "tool-result-pruning", originalTokens: 1 }),
    ],
    [
      "a note on an AI message",
      ai("m", [], { additional_kwargs: { context_compaction: removal } }),
    ],
  ])("%s", (_name, message) => {
    expect(markerOf(message)).toBeUndefined();
    expect(originalsBehind(markerOf(message))).toBe(1);
  });
});

describe("the stamp on an AI message", () => {
  const stamped = (stamp: unknown): BaseMessage =>
    ai("m", [], { response_metadata: { context_compaction: stamp } });

  it("is read where it stands", () => {
    expect(
      stampOf(stamped({ ...removal, strategy: "summarization" })),
    ).toMatchObject({
      removedMessages: 3,
    });
  });

  it.each<[string, BaseMessage]>([
    [
      "on a human message",
      human("m", { response_metadata: { context_compaction: removal } }),
    ],
    [
      "of a strategy that we do not have",
      stamped({ ...removal, strategy: "x" }),
    ],
    ["without numbers", stamped({ strategy: "sliding-window" })],
    ["as text", stamped("x")],
    ["nowhere", ai("m")],
  ])("is none %s", (_name, message) => {
    expect(stampOf(message)).toBeUndefined();
  });
});
