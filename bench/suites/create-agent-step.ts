import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { z } from "zod";
import {
  COMPACTION,
  emptyMiddleware,
  idleMiddleware,
  type MiddlewareContender,
} from "../contenders/middleware.js";
import { MadeConversation } from "../data/conversation.js";
import { InstantModel } from "../data/instant-model.js";
import { measureInTurns, type Timed } from "../measure.js";
import {
  type Bar,
  columnOf,
  type Measurement,
  ofLength,
  ratio,
  type Suite,
} from "../results.js";

/** Messages before the run. */
const LENGTHS = [50, 300, 1_000];
/** Model calls of a run, each but the last with a tool call. */
const STEPS = 40;

/**
 * Runs that make one sample.
 *
 * A run fills the young generation three or four times. By itself, one that
 * needs a little more would be charged for a whole collection, or for none.
 */
const RUNS = 5;

/** Milliseconds until the code is compiled, which takes thousands of steps: a server's agent is used for days. */
const WARM_UP = 8_000;

const BARE = "no middleware";

/** What a step of a real agent costs with middleware that has nothing to do yet. */
export const createAgentStep: Suite = {
  name: "create-agent-step",
  async run({ isQuick }) {
    const lengths = isQuick ? LENGTHS.slice(1, 2) : LENGTHS;
    const measurements: Measurement[] = [];
    for (const length of lengths) {
      const history = new MadeConversation(length).build();
      const on = ofLength(length);
      measurements.push(...(await measureFrom(() => history, on, isQuick)));
    }
    if (!isQuick) {
      const stored = new MadeConversation(300);
      const on = `${ofLength(300)}, just loaded`;
      measurements.push(
        ...(await measureFrom(() => stored.build(), on, isQuick)),
      );
    }
    return {
      title: "A step of createAgent",
      about: `${RUNS} runs of ${STEPS} model calls, each but the last with a tool call, that go on from a history; the model answers at once, so that all the time is the agent's. "Just loaded" are messages that nobody has counted yet, as a run finds them that a checkpoint was read for: what is counted then, once, is spread over the run's steps.`,
      unit: "ms",
      reference: BARE,
      measurements,
      bars: lengths.map(ofLength).map((on): Bar => ({
        demand: `a step with compactionMiddleware takes times as long as without, from ${on}`,
        at: "most",
        bar: 1.1,
        measured: ratio(measurements, on, COMPACTION, BARE),
      })),
    };
  },
};

async function measureFrom(
  history: () => BaseMessage[],
  on: string,
  isQuick: boolean,
): Promise<Measurement[]> {
  const contenders = isQuick
    ? [{ name: BARE }, ...idleMiddleware.slice(0, 1)]
    : [{ name: BARE }, ...idleMiddleware, ...emptyMiddleware];
  const summaries = await measureInTurns(
    contenders.map((contender) => asTimed(contender, history)),
    { rounds: isQuick ? 5 : 25, turn: 0, warmUp: isQuick ? 5_000 : WARM_UP },
  );
  return columnOf(on, summaries);
}

function asTimed(
  { name, make }: { name: string; make?: MiddlewareContender["make"] },
  history: () => BaseMessage[],
): Timed {
  let runs: ReturnType<typeof runFrom>[] = [];
  return {
    name,
    prepare: () => {
      runs = Array.from({ length: RUNS }, () => runFrom(history(), make));
    },
    run: async () => {
      for (const run of runs) {
        await run();
      }
    },
  };
}

function runFrom(
  messages: BaseMessage[],
  make: MiddlewareContender["make"] | undefined,
): () => Promise<unknown> {
  const agent = agentWith(make);
  return () => agent.invoke({ messages }, { recursionLimit: STEPS * 5 });
}

const lookUp = tool(async () => "Found nothing.", {
  name: "look_up",
  description: "Looks something up.",
  schema: z.object({ query: z.string() }),
});

function agentWith(
  make: MiddlewareContender["make"] | undefined,
): ReturnType<typeof createAgent> {
  return createAgent({
    model: new InstantModel(STEPS - 1),
    tools: [lookUp],
    systemPrompt: "You look things up.",
    middleware: make === undefined ? [] : [make()],
  }) as unknown as ReturnType<typeof createAgent>;
}
