import type { BaseMessage } from "@langchain/core/messages";
import {
  APPEND_ONLY_LIMIT,
  type BeforeModelCall,
  loopContenders,
  type LoopLimits,
  REWRITING_HOOK,
} from "../contenders/agent-loop.js";
import { countChars } from "../data/chars-counter.js";
import { MadeConversation } from "../data/conversation.js";
import { measureInTurns } from "../measure.js";
import { type Bar, type Measurement, ratio, type Suite } from "../results.js";

const LIMITS: LoopLimits = {
  window: 200_000,
  trigger: 140_000,
  target: 80_000,
};

/** An agent's run that grows message by message, with a check before each model call. */
export const agentLoop: Suite = {
  name: "agent-loop",
  async run({ isQuick }) {
    const lengths = isQuick ? [10_000] : [100, 1_000, 10_000];
    const measurements: Measurement[] = [];
    for (const length of lengths) {
      measurements.push(...(await measureLength(length, isQuick)));
    }
    // Of the two of ours the one that does its own work only, as the peers do:
    // whoever is a graph's node is traced by the graph, peers too.
    const bars = barsAt(columnOf(10_000), measurements);
    return {
      title: "An agent's run",
      about:
        "All that a run pays for its checks. Before each model call the state is checked, and what comes back replaces it; window 200,000 tokens, compaction at 140,000 to 80,000, four characters a token, no usage reports from the provider. The bars are judged on each one's own work: `hook.compact()`, the middlewares' functions, `trimMessages()`. What `preModelHook` runs is the traced Runnable, which costs what LangChain's tracing costs besides; a graph traces a peer in a node just so.",
      unit: "ms",
      reference: REWRITING_HOOK,
      measurements,
      bars,
    };
  },
};

async function measureLength(
  length: number,
  isQuick: boolean,
): Promise<Measurement[]> {
  const conversation = new MadeConversation(length);
  let history = conversation.build();
  const timed = loopContenders
    .filter(({ mostMessages }) => length <= mostMessages)
    .map(({ name, start }) => ({
      name,
      prepare: () => {
        history = conversation.build();
      },
      run: () => runThrough(history, start(LIMITS, countChars)),
    }));
  const summaries = await measureInTurns(timed, {
    rounds: isQuick ? 2 : 9,
    turn: 20,
    // The first runs of the hook are many times slower than the rest.
    warmUp: 2_000,
  });
  return [...summaries].map(([contender, value]) => ({
    contender,
    on: columnOf(length),
    value,
  }));
}

/** What an agent's graph does with its state, and nothing else. */
async function runThrough(
  history: readonly BaseMessage[],
  beforeModelCall: BeforeModelCall,
): Promise<void> {
  let state: BaseMessage[] = [];
  for (const message of history) {
    if (message.type === "ai") {
      state = await beforeModelCall(state);
    }
    state.push(message);
  }
}

function barsAt(on: string, measurements: readonly Measurement[]): Bar[] {
  const times = (contender: string): number =>
    ratio(measurements, on, contender, REWRITING_HOOK);
  return [
    {
      demand: `trimMessages at each step takes times as long in a run to ${on}`,
      at: "least",
      bar: 100,
      measured: times("trimMessages at each step"),
    },
    {
      demand: `summarizationMiddleware takes times as long in a run to ${on}`,
      at: "least",
      bar: 25,
      measured: times("summarizationMiddleware"),
    },
    {
      demand: `times the append-only limit in a run to ${on}`,
      at: "most",
      bar: 6,
      measured: 1 / times(APPEND_ONLY_LIMIT),
    },
  ];
}

function columnOf(length: number): string {
  return `${length.toLocaleString("en")} messages`;
}
