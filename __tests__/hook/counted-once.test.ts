import { beforeEach, describe, expect, it } from "@jest/globals";
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import {
  SlidingWindowCompactor,
  type CompactionHook,
  type TokenCounter,
} from "langchain-compaction";
import { agentThread, chatThread, hookOf, toolStep } from "./threads.js";

/** Which messages were counted since it was asked last. */
class Spy implements TokenCounter {
  #counted: BaseMessage[] = [];

  countMessage(message: BaseMessage): number {
    this.#counted.push(message);
    return 10;
  }

  countTools(): number {
    return 0;
  }

  /** Notes, which each pass makes anew, are left out. */
  take(): (string | undefined)[] {
    const ids = this.#counted.map(({ id }) => id);
    this.#counted = [];
    return ids.filter((id) => id?.startsWith("compaction-note") === false);
  }
}

let spy: Spy;
let hook: CompactionHook;

beforeEach(() => {
  spy = new Spy();
  hook = hookOf({
    contextWindow: 100_000,
    compactAt: { tokens: 300 },
    compactTo: { tokens: 150 },
    tokenCounter: spy,
  });
});

const idsOf = (messages: readonly BaseMessage[]): unknown[] =>
  messages.map(({ id }) => id);

/** Tokens by the hook's report. */
async function size(messages: readonly BaseMessage[]): Promise<number> {
  return (await hook.compact(messages)).report.tokensBefore;
}

describe("a message is counted once while it lives", () => {
  it("where a list grows", async () => {
    const thread = agentThread(5);
    expect(await size(thread)).toBe(120);
    expect(spy.take()).toEqual(idsOf(thread));
    const more = toolStep(6);
    expect(await size([...thread, ...more])).toBe(140);
    expect(spy.take()).toEqual(idsOf(more));
  });

  it("where the list is rewritten", async () => {
    const thread = agentThread(20);
    const { messages, report } = await hook.compact(thread);
    expect(report.outcome).toBe("compacted");
    expect(spy.take()).toEqual(idsOf(thread));
    const more = toolStep(21);
    expect(await size([...messages, ...more])).toBe(10 * messages.length + 20);
    expect(spy.take()).toEqual(idsOf(more));
  });

  it("where messages were taken out of the middle, and where a run goes two ways", async () => {
    const thread = agentThread(8);
    await size(thread);
    spy.take();
    expect(await size([...thread.slice(0, 4), ...thread.slice(8)])).toBe(140);
    expect(await size([...thread.slice(0, 6), ...toolStep(9)])).toBe(80);
    expect(spy.take()).toEqual(["a9", "r9"]);
    expect(await size(thread)).toBe(180);
    expect(spy.take()).toEqual([]);
  });

  it("by whichever hook or compactor counts with the counter", async () => {
    const thread = chatThread(30);
    const compactor = new SlidingWindowCompactor({
      target: ({ messages }) => messages <= 10,
      tokenCounter: spy,
    });
    await compactor.invoke(thread);
    expect(spy.take()).toEqual(idsOf(thread));
    await hookOf({ contextWindow: 1_000, tokenCounter: spy }).compact(thread);
    await compactor.compact(thread);
    expect(spy.take()).toEqual([]);
  });

  it("by a function that answers later, which two passes may wait for at once", async () => {
    let asked = 0;
    const slow = hookOf({
      contextWindow: 100_000,
      tokenCounter: async () => {
        asked += 1;
        await Promise.resolve();
        return 10;
      },
    });
    const thread = agentThread(5);
    const longer = [...thread, ...toolStep(6)];
    await slow.compact(thread);
    expect(asked).toBe(12);
    const sizes = await Promise.all(
      [longer, thread, longer].map(
        async (list) => (await slow.compact(list)).report.tokensBefore,
      ),
    );
    expect(sizes).toEqual([140, 120, 140]);
    asked = 0;
    await slow.compact(longer);
    expect(asked).toBe(0);
  });
});

describe("a message that changes in place", () => {
  it("is counted again where its content is replaced", async () => {
    const thread = agentThread(5);
    await size(thread);
    spy.take();
    thread[3]!.content = "another result";
    expect(await size(thread)).toBe(120);
    expect(spy.take()).toEqual(["r1"]);
  });

  it("is counted again where its tool calls are replaced", async () => {
    const thread = agentThread(5);
    await size(thread);
    spy.take();
    (thread[4] as AIMessage).tool_calls = [
      { id: "c2", name: "another", args: {} },
    ];
    expect(await size(thread)).toBe(120);
    expect(spy.take()).toEqual(["a2"]);
  });
});

describe("a pass towards a number of tokens", () => {
  it("counts what stays and what does not fit, and nothing older", async () => {
    const thread = chatThread(1_000);
    const compacted = await new SlidingWindowCompactor().compact(thread, {
      targetTokens: 100,
      tokenCounter: spy,
    });
    expect(compacted).toHaveLength(9);
    const counted = new Set(spy.take());
    // The removed ones are counted until they are known to be more than the note.
    expect([...counted].filter((id) => !idsOf(thread).includes(id))).toEqual(
      [],
    );
    expect(counted.size).toBeLessThan(20);
  });

  it.each([
    ["fits already", 2_000, null],
    ["fits by one message less", 1_990, 198],
  ])("finds out whether a list %s", async (_, targetTokens, length) => {
    const compacted = await new SlidingWindowCompactor({
      omissionNote: null,
    }).compact(chatThread(100), { targetTokens, tokenCounter: spy });
    expect(compacted?.length ?? null).toBe(length);
    expect(spy.take()).toHaveLength(200);
  });
});
