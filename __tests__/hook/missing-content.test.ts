import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import {
  CompactionHook,
  type Compactor,
  SlidingWindowCompactor,
  SummarizationCompactor,
  ToolCallCollapseCompactor,
  ToolResultPruningCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
} from "langchain-compaction";
import { ai, human, idsOf, system, tool } from "../support/make-messages.js";

/** A thread with messages that were written down without their content. */
function thread(content: null | undefined): BaseMessage[] {
  const messages: BaseMessage[] = [system("s")];
  for (let turn = 1; turn <= 12; turn += 1) {
    const caller = ai(`a${turn}`, [`c${turn}`]);
    const empty = tool(`e${turn}`, `c${turn}`);
    const question = human(`q${turn}`);
    for (const message of [caller, empty, question]) {
      message.content = content as unknown as string;
    }
    messages.push(
      human(`h${turn}`, { content: "What of it? ".repeat(30) }),
      caller,
      empty,
      ai(`b${turn}`, [`d${turn}`]),
      tool(`t${turn}`, `d${turn}`, { content: "Nothing. ".repeat(120) }),
      question,
      ai(`z${turn}`),
    );
  }
  return [...messages, human("task")];
}

const compactors: Readonly<Record<string, () => Compactor>> = {
  SlidingWindowCompactor: () => new SlidingWindowCompactor(),
  TurnWindowCompactor: () => new TurnWindowCompactor(),
  TruncationCompactor: () => new TruncationCompactor({ minKeepGroups: 2 }),
  ToolCallCollapseCompactor: () =>
    new ToolCallCollapseCompactor({ minKeepGroups: 2 }),
  ToolResultPruningCompactor: () => new ToolResultPruningCompactor(),
  SummarizationCompactor: () =>
    new SummarizationCompactor({
      model: { invoke: async () => "So far, so good." },
    }),
};

describe.each([null, undefined])("messages whose content is %s", (content) => {
  it.each(Object.entries(compactors))(
    "are compacted by %s like any other",
    async (_, make) => {
      const messages = thread(content);
      const hook = new CompactionHook({
        compactor: make(),
        contextWindow: 5_000,
      });
      const { messages: after, report } = await hook.compact(messages);
      expect([report.outcome, report.error]).toEqual(["compacted", undefined]);
      expect(idsOf(after)).toEqual(expect.arrayContaining(["s", "task"]));
      const left = new Set(idsOf(after));
      expect(
        idsOf(messages).filter(
          (id) => !left.has(id) && !report.removedIds.includes(String(id)),
        ),
      ).toEqual([]);
    },
  );

  it("stand in a view", async () => {
    const hook = new CompactionHook({
      compactor: new SlidingWindowCompactor(),
      contextWindow: 5_000,
      mode: "view",
    });
    const shown = await hook.view(thread(content));
    expect(shown.length).toBeLessThan(thread(content).length);
    expect(shown.at(-1)!.id).toBe("task");
  });

  it("are mended and checked without a crash", async () => {
    const hook = new CompactionHook({
      compactor: new SlidingWindowCompactor(),
      contextWindow: 5_000,
      repair: true,
    });
    const { report } = await hook.compact(thread(content));
    expect([report.outcome, report.error]).toEqual(["compacted", undefined]);
  });
});
