import { runChild } from "../run-child.js";
import type { Bar, Measurement, Suite } from "../results.js";
import { summarize } from "../statistics.js";

const MESSAGES = 20_000;

/** What is remembered of a message. */
const rememberers: Readonly<Record<string, string>> = {
  "counts of messages": `
    const compactor = new SlidingWindowCompactor({ target: () => true, trigger: { tokens: 1 } });
    const use = (messages) => compactor.invoke(messages);`,
  "counts of messages, and the hook's list": `
    const hook = new CompactionHook({
      compactor: new SlidingWindowCompactor(),
      contextWindow: 1e12,
    });
    const use = (messages) => hook.compact(messages);`,
};

/** How much memory the counts of messages take, and whether they give it back. */
export const memory: Suite = {
  name: "memory",
  async run({ isQuick }) {
    const measurements: Measurement[] = [];
    for (const [contender, setUp] of Object.entries(rememberers)) {
      const used: number[] = [];
      const left: number[] = [];
      for (let round = 0; round < (isQuick ? 2 : 5); round += 1) {
        const bytes = await runChild<{ used: number; left: number }>(
          moduleOf(setUp),
        );
        used.push(bytes.used);
        left.push(bytes.left);
      }
      measurements.push(
        { contender, on: "while they live", value: summarize(used) },
        { contender, on: "when they are gone", value: summarize(left) },
      );
    }
    return {
      title: "Memory",
      about: `Bytes a message that counting ${MESSAGES.toLocaleString("en")} messages takes, after a garbage collection. What a WeakMap takes a message goes up and down between 24 and 48 bytes as it grows.`,
      measurements,
      bars: measurements
        .filter(({ on }) => on === "while they live")
        .map(({ contender, value }): Bar => ({
          demand: `bytes a message: ${contender}`,
          at: "most",
          bar: 100,
          measured: value.median,
        })),
    };
  },
};

function moduleOf(setUp: string): string {
  return `
    import { HumanMessage } from "@langchain/core/messages";
    import { CompactionHook, SlidingWindowCompactor } from "langchain-compaction";
    ${setUp}
    // Strings put together would take more memory once they are read.
    const flat = (text) => Buffer.from(text).toString();
    const make = (length) => Array.from(
      { length },
      (_, index) => new HumanMessage({ id: flat("m" + index), content: flat("message " + index) }),
    );
    const heap = async () => {
      // Until nothing of the pass is on the stack any more.
      await new Promise((resolve) => setTimeout(resolve, 20));
      gc();
      gc();
      return process.memoryUsage().heapUsed;
    };
    await use(make(100));
    const empty = await heap();
    let messages = make(${MESSAGES});
    const before = await heap();
    await use(messages);
    const after = await heap();
    const perMessage = (bytes) => bytes / ${MESSAGES};
    messages = undefined;
    console.log(JSON.stringify({
      used: perMessage(after - before),
      left: perMessage((await heap()) - empty),
    }));`;
}
