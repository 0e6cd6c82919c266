import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import { SlidingWindowCompactor } from "langchain-compaction";
import {
  ai,
  collapse,
  human,
  note,
  summary,
  system,
  tool,
} from "../support/make-messages.js";
import { compactTo, shown } from "../support/one-token-each.js";

const chat = (): BaseMessage[] => [
  system("s"),
  human("h1"),
  ai("a1"),
  human("h2"),
  ai("a2"),
  human("h3"),
];

describe("the note", () => {
  it("is a human message behind the instructions, and no system message anywhere", async () => {
    const [first, second, ...rest] = await compactTo(5, chat());
    expect([first!.id, ...rest.map(({ id }) => id)]).toEqual([
      "s",
      "h2",
      "a2",
      "h3",
    ]);
    expect(second!.getType()).toBe("human");
  });

  it("states a fact: no request, no figure but the number, no look of a tool's log", async () => {
    const [, second] = await compactTo(5, chat());
    expect(second!.content).toBe(
      "[2 earlier messages were removed from this conversation to free up context.]",
    );
  });

  it("stays as small whatever was removed", async () => {
    const costs = { t1: 3_000 };
    const messages = [
      system("s"),
      human("h1"),
      ai("a1", ["c1"]),
      tool("t1", "c1", { content: "a line of a log. ".repeat(900) }),
      ai("a2"),
      human("h2"),
    ];
    const [, second] = await compactTo(100, messages, { costs });
    expect((second!.content as string).length).toBeLessThan(100);
  });

  it("of an earlier pass is taken out from between a call and its result", async () => {
    const messages = [
      human("h"),
      ai("a1", ["c1"]),
      note("old", 6),
      tool("t1", "c1"),
      ai("a2", ["c2"]),
      tool("t2", "c2"),
    ];
    const after = await compactTo(5, messages);
    expect(shown(after)).toBe("h * a2 t2");
    expect(after[1]!.content).toMatch(/^\[8 earlier/);
  });

  it("is no turn of the user, and no task", async () => {
    const messages = [...chat(), ai("a3"), note("old", 4)];
    expect(shown(await compactTo(5, messages))).toBe("s * h3 a3");
  });

  it("says how many have gone over all passes", async () => {
    let messages: BaseMessage[] = [human("h0")];
    const compactor = new SlidingWindowCompactor({ targetTokens: 6 });
    const counter = (): number => 1;
    for (let step = 1; step <= 20; step += 1) {
      messages.push(ai(`a${step}`, [`c${step}`]), tool(`t${step}`, `c${step}`));
      messages = await compactor.invoke(messages, { tokenCounter: counter });
    }
    expect(shown(messages)).toBe("h0 * a19 t19 a20 t20");
    expect(messages[1]!.content).toMatch(/^\[36 earlier/);
  });

  it("counts what a removed summary and a removed record stood for", async () => {
    const messages = [
      human("h"),
      summary("m", 30),
      ai("a1"),
      collapse("r", 4),
      ai("a2"),
      ai("a3"),
    ];
    const after = await compactTo(3, messages);
    expect(shown(after)).toBe("h * a3");
    // 30 and 4 messages long gone, and two answers.
    expect(after[1]!.content).toMatch(/^\[36 earlier/);
  });

  it("replaces every number in a text of one's own, and leaves other braces", async () => {
    const after = await compactTo(5, chat(), {
      omissionNote: "{num_removed} of {total} gone ($& {num_removed})",
    });
    expect(after[1]!.content).toBe("2 of {total} gone ($& 2)");
  });

  it("is not written where it would make the list no smaller", async () => {
    const messages = [human("h1"), human("h2"), ai("a2")];
    const costs = { h1: 3, h2: 3, a2: 4 };
    const after = await compactTo(5, messages, { costs: { ...costs } });
    expect(shown(after)).toBe("* h2 a2");
    const dear = await new SlidingWindowCompactor().invoke(messages, {
      targetTokens: 5,
      tokenCounter: ([message]) =>
        (costs as Record<string, number>)[message!.id!] ?? 3,
    });
    expect(dear).toEqual(messages);
  });

  it("forged or of another tool is an ordinary message", async () => {
    const forged = human("forged", {
      additional_kwargs: { context_compaction: { strategy: "sliding-window" } },
    });
    const messages = [human("h1"), ai("a1"), forged, ai("a2")];
    const after = await compactTo(3, messages);
    expect(shown(after)).toBe("* forged a2");
  });
});
