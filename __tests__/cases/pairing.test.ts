import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { ai, human, system, tool } from "../support/make-messages.js";
import { compactTo, shown } from "../support/one-token-each.js";

// Faults that people reported of other tools, each as a small conversation.

describe("a call and its results", () => {
  it("go with their whole turn, so that no result opens the list", async () => {
    const messages = [
      human("h1"),
      ai("a1", ["c1"]),
      tool("t1", "c1"),
      human("h2"),
      ai("a2"),
      human("h3"),
      ai("a3"),
    ];
    expect(shown(await compactTo(5, messages))).toBe("* h2 a2 h3 a3");
  });

  it("stay together where a batch is larger than the whole target", async () => {
    const calls = ["c1", "c2", "c3", "c4", "c5"];
    const messages = [
      human("h"),
      ai("a", calls),
      ...calls.map((call, index) => tool(`t${index}`, call)),
    ];
    expect(await compactTo(4, messages)).toEqual(messages);
  });

  it("are one block where two AI messages in a row call and the results follow both", async () => {
    const messages = [
      human("h"),
      ai("a1", ["c1"]),
      ai("a2", ["c2"]),
      tool("t1", "c1"),
      tool("t2", "c2"),
      ai("a3", ["c3"]),
      tool("t3", "c3"),
    ];
    expect(shown(await compactTo(4, messages))).toBe("h * a3 t3");
  });

  it("stay together around a human message that came while the tool ran", async () => {
    const messages = [
      human("h0"),
      ai("a0"),
      human("h1"),
      ai("a1", ["c1"]),
      human("meanwhile"),
      tool("t1", "c1"),
      ai("a2", ["c2"]),
      tool("t2", "c2"),
    ];
    expect(shown(await compactTo(6, messages))).toBe("* a1 meanwhile t1 a2 t2");
  });

  it("stay together where the final result comes turns after an interim one", async () => {
    const messages = [
      human("h0"),
      ai("a0"),
      human("h1"),
      ai("a1", ["job"]),
      tool("queued", "job"),
      human("h2"),
      ai("a2"),
      tool("finished", "job"),
    ];
    expect(shown(await compactTo(6, messages))).toBe(
      "* a1 queued h2 a2 finished",
    );
  });

  it("appear once and in order where the results of a batch go", async () => {
    const messages = [
      human("h"),
      ai("a1", ["c1", "c2"]),
      tool("t1", "c1"),
      tool("t2", "c2"),
      ai("a2", ["c3"]),
      tool("t3", "c3"),
    ];
    const once = await compactTo(4, messages);
    expect(shown(once)).toBe("h * a2 t3");
    expect(await compactTo(4, once)).toEqual(once);
  });
});

describe("a result without its call", () => {
  it("goes alone, also from amid the results of another step", async () => {
    const messages = [
      system("s"),
      human("h"),
      ai("a1", ["c1"]),
      tool("t1", "c1"),
      ai("a2", ["c2"]),
      tool("lost", "gone"),
      tool("t2", "c2"),
    ];
    expect(shown(await compactTo(5, messages))).toBe("s h * a2 t2");
  });
});

describe("a call without its result", () => {
  it("goes where the user has gone on", async () => {
    const messages = [
      human("h0"),
      ai("a0"),
      human("h1"),
      ai("a1", ["never"]),
      human("h2"),
    ];
    expect(shown(await compactTo(3, messages))).toBe("* h1 h2");
  });

  it("takes the results along that the rest of its batch has", async () => {
    const messages = [
      system("s"),
      human("h1"),
      ai("a1", ["refused", "never"]),
      tool("t1", "refused"),
      human("h2"),
    ];
    expect(shown(await compactTo(4, messages))).toBe("s * h1 h2");
  });

  it("stays where it waits for an approval", async () => {
    const messages = [
      human("h"),
      ai("a1", ["c1"]),
      tool("t1", "c1"),
      ai("a2", ["approve"]),
    ];
    expect(shown(await compactTo(1, messages, { minKeepSteps: 0 }))).toBe(
      "h * a2",
    );
  });

  it("goes where its arguments did not parse and the raw call would be sent again", async () => {
    const broken = new AIMessage({
      id: "a1",
      content: "",
      invalid_tool_calls: [
        { id: "c1", name: "write", args: "{", type: "invalid_tool_call" },
      ],
    });
    broken.additional_kwargs["tool_calls"] = [
      {
        id: "c1",
        type: "function",
        function: { name: "write", arguments: "{" },
      },
    ];
    const messages = [
      system("s"),
      human("h1"),
      broken,
      human("h2"),
      ai("a2", ["c2"]),
      tool("t2", "c2"),
    ];
    expect(shown(await compactTo(5, messages))).toBe("s * h2 a2 t2");
    expect(shown(await compactTo(6, messages))).toBe("s h1 a1 h2 a2 t2");
  });

  it("is answered by an error result for a call that did not parse", async () => {
    const broken = new AIMessage({
      id: "a1",
      content: "",
      invalid_tool_calls: [
        { id: "c1", name: "write", args: "{", type: "invalid_tool_call" },
      ],
    });
    const messages = [
      human("h0"),
      ai("a0"),
      human("h1"),
      broken,
      tool("error", "c1"),
      ai("a2"),
    ];
    expect(shown(await compactTo(5, messages))).toBe("* h1 a1 error a2");
  });
});
