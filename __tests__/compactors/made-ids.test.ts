import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import {
  CompactionHook,
  type Compactor,
  SlidingWindowCompactor,
  SummarizationCompactor,
  ToolCallCollapseCompactor,
} from "langchain-compaction";
import { ai, human, idsOf, system, tool } from "../support/make-messages.js";

const makers: Readonly<Record<string, () => Compactor>> = {
  "compaction-note-h1": () => new SlidingWindowCompactor(),
  "compaction-record-a1": () =>
    new ToolCallCollapseCompactor({ minKeepGroups: 1, format: () => "." }),
  "compaction-summary-h1": () =>
    new SummarizationCompactor({
      model: { invoke: async () => "So far, so good." },
      approximateSummaryTokens: 10,
    }),
};

/** A thread in which the message at an index has an id of its own choosing. */
function thread(index: number, id: string): BaseMessage[] {
  const messages: BaseMessage[] = [system("s")];
  for (let turn = 1; turn <= 12; turn += 1) {
    messages.push(
      human(`h${turn}`, { content: "What of it? ".repeat(30) }),
      ai(`a${turn}`, [`c${turn}`]),
      tool(`t${turn}`, `c${turn}`, { content: "Nothing. ".repeat(30) }),
      ai(`b${turn}`),
    );
  }
  messages[index]!.id = id;
  return messages;
}

describe.each(Object.entries(makers))(
  "a message whose id happens to be %s",
  (id, make) => {
    it.each([
      ["stays", 48],
      ["goes", 6],
    ])("does not stop the pass in which it %s", async (_, index) => {
      const compact = async (): Promise<BaseMessage[]> => {
        const { messages, report } = await new CompactionHook({
          compactor: make(),
          contextWindow: 2_000,
        }).compact(thread(index, id));
        expect([report.outcome, report.error]).toEqual([
          "compacted",
          undefined,
        ]);
        return messages;
      };
      const ids = idsOf(await compact());
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toContain(`${id}-2`);
      expect(idsOf(await compact())).toEqual(ids);
    });
  },
);

it("two steps that begin with the same id leave two records", async () => {
  const messages = [
    human("task"),
    ...["c1", "c2", "c3"].flatMap((call) => [
      ai("a", [call]),
      tool(`t-${call}`, call, { content: "Nothing. ".repeat(30) }),
    ]),
    ai("end"),
  ];
  const after = await new ToolCallCollapseCompactor({
    minKeepGroups: 1,
  }).invoke(messages, { targetTokens: 1 });
  expect(idsOf(after)).toEqual([
    "task",
    "compaction-record-a",
    "compaction-record-a-2",
    "compaction-record-a-3",
    "end",
  ]);
});
