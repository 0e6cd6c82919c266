import { describe, expect, it } from "@jest/globals";
import { AIMessage, FunctionMessage } from "@langchain/core/messages";
import { ai, human, tool } from "../support/make-messages.js";
import { compactTo, shown } from "../support/one-token-each.js";

describe("a call id", () => {
  it("that comes again in a later turn belongs to the nearest call before its result", async () => {
    const messages = [
      human("h1"),
      ai("a1", ["call_0"]),
      tool("t1", "call_0"),
      ai("a2"),
      human("h2"),
      ai("a3", ["call_0"]),
      tool("t3", "call_0"),
    ];
    expect(shown(await compactTo(5, messages))).toBe("* h2 a3 t3");
  });

  it("of a message that was loaded twice is answered in the newer copy alone", async () => {
    const messages = [
      human("h1"),
      ai("copy", ["call_x"]),
      human("h2"),
      ai("a2", ["call_x"]),
      tool("t2", "call_x"),
    ];
    expect(shown(await compactTo(4, messages))).toBe("* h2 a2 t2");
  });

  it("that is answered twice keeps both results with the call", async () => {
    const messages = [
      human("h0"),
      ai("a0"),
      human("h1"),
      ai("a1", ["c1"]),
      tool("t1", "c1"),
      tool("aborted", "c1"),
      ai("a2", ["c2"]),
      tool("t2", "c2"),
    ];
    // Which of two results is sent is for the repair to say, not for removal.
    expect(shown(await compactTo(7, messages))).toBe(
      "* h1 a1 t1 aborted a2 t2",
    );
    expect(shown(await compactTo(6, messages))).toBe("h1 * a2 t2");
  });

  it("that stands twice in one message is one call", async () => {
    const messages = [
      human("h1"),
      ai("a0"),
      ai("a1", ["c1", "c1"]),
      tool("t1", "c1"),
      human("h2"),
      ai("a2"),
    ];
    expect(shown(await compactTo(4, messages))).toBe("* h2 a2");
    expect(shown(await compactTo(3, messages, { pin: byId("t1") }))).toBe(
      "* a1 t1 h2 a2",
    );
  });

  it.each([
    ["missing", undefined],
    ["empty", ""],
  ])("that is %s is found by position", async (_, id) => {
    const messages = [
      human("h"),
      ai("a1", [id === undefined ? {} : { id }, "c2"]),
      tool("t1", id),
      tool("t2", "c2"),
      ai("a2", ["c3"]),
      tool("t3", "c3"),
    ];
    expect(shown(await compactTo(4, messages))).toBe("h * a2 t3");
  });

  it("is not needed by a call in the old form", async () => {
    const messages = [
      human("h"),
      new AIMessage({
        id: "a1",
        content: "",
        additional_kwargs: { function_call: { name: "old", arguments: "{}" } },
      }),
      new FunctionMessage({ id: "f1", name: "old", content: "done" }),
      ai("a2", ["c2"]),
      tool("t2", "c2"),
    ];
    expect(shown(await compactTo(4, messages))).toBe("h * a2 t2");
  });

  it("is read in content blocks where nothing else lists the call", async () => {
    const messages = [
      human("h"),
      new AIMessage({
        id: "a1",
        content: [{ type: "tool_use", id: "c1", name: "look_up", input: {} }],
      }),
      tool("t1", "c1"),
      ai("a2", ["c2"]),
      tool("t2", "c2"),
    ];
    expect(shown(await compactTo(4, messages))).toBe("h * a2 t2");
  });
});

function byId(id: string): (message: { id?: string | undefined }) => boolean {
  return (message) => message.id === id;
}
