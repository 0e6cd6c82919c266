// How one pass grows with the conversation: medians of five, from 1,000 to
// 100,000 messages, and the exponent between them. The bar is 1.2.
//
//   npm run bench:growth
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import {
  type Compactor,
  CompactionHook,
  CompactorPipeline,
  SlidingWindowCompactor,
  ToolCallCollapseCompactor,
  ToolResultPruningCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
} from "langchain-compaction";

const SIZES = [1_000, 10_000, 100_000];
const ROUNDS = 5;
const BAR = 1.2;

const tokenCounter = ([message]: BaseMessage[]): number =>
  Math.ceil((message!.content as string).length / 4) + 4;

/** Turns of nine tool steps each, results of 30 to 300 words. */
function conversation(size: number): BaseMessage[] {
  const messages: BaseMessage[] = [new SystemMessage("You look things up.")];
  for (let step = 0; messages.length < size; step += 1) {
    if (step % 9 === 0) {
      messages.push(
        new HumanMessage({ id: `h${step}`, content: "Look it up." }),
      );
    }
    messages.push(
      new AIMessage({
        id: `a${step}`,
        content: "",
        tool_calls: [{ id: `c${step}`, name: "look", args: { step } }],
      }),
      new ToolMessage({
        id: `t${step}`,
        tool_call_id: `c${step}`,
        content: "found ".repeat(30 + ((step * 37) % 270)),
      }),
    );
  }
  return messages;
}

/** Down to 40 % of the tokens; conditions in code are asked after each removal. */
function contenders(total: number): Record<string, Compactor> {
  const targetTokens = Math.floor(total * 0.4);
  const number = { targetTokens, tokenCounter };
  const predicate = {
    trigger: ({ tokens }: { tokens: number }) => tokens > targetTokens,
    tokenCounter,
  };
  return {
    "sliding window": new SlidingWindowCompactor(number),
    "sliding window, predicate": new SlidingWindowCompactor(predicate),
    "turn window": new TurnWindowCompactor(number),
    "turn window, predicate": new TurnWindowCompactor(predicate),
    truncation: new TruncationCompactor(number),
    "truncation, predicate": new TruncationCompactor(predicate),
    "tool call collapse": new ToolCallCollapseCompactor(number),
    "tool result pruning": new ToolResultPruningCompactor(number),
    "pipeline of three": new CompactorPipeline(
      [
        new ToolResultPruningCompactor(),
        new TruncationCompactor(),
        new SlidingWindowCompactor(),
      ],
      number,
    ),
  };
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  // Once for the compiler, and to count: later passes know the counts.
  await work();
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
}

const times = new Map<string, number[]>();
const note = (name: string, time: number): void => {
  times.set(name, [...(times.get(name) ?? []), time]);
};
for (let warmUp = 0; warmUp < 50; warmUp += 1) {
  const messages = conversation(500);
  for (const compactor of Object.values(contenders(20_000))) {
    await compactor.invoke(messages);
  }
}
for (const size of SIZES) {
  const messages = conversation(size);
  let total = 0;
  for (const message of messages) {
    total += tokenCounter([message]);
  }
  for (const [name, compactor] of Object.entries(contenders(total))) {
    note(name, await median(() => compactor.invoke(messages)));
  }
  // A hook of its own each time: nothing of the view is remembered.
  note(
    "view of a whole history",
    await median(() =>
      new CompactionHook({
        compactor: new SlidingWindowCompactor(),
        contextWindow: 200_000,
        tokenCounter,
      }).view(messages),
    ),
  );
}

const rows = [...times].map(([name, medians]) => {
  const exponent =
    Math.log(medians.at(-1)! / medians[0]!) /
    Math.log(SIZES.at(-1)! / SIZES[0]!);
  return {
    name,
    ...Object.fromEntries(
      SIZES.map((size, index) => [`${size} ms`, medians[index]!.toFixed(2)]),
    ),
    exponent: exponent.toFixed(2),
    [`at most ${BAR}`]: exponent <= BAR ? "met" : "MISSED",
  };
});
console.table(rows);
