import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { messagesStateReducer } from "@langchain/langgraph";
import { countTokensApproximately } from "langchain";
import {
  COMPACTION,
  idleMiddleware,
  ownWorkOf,
} from "../contenders/middleware.js";
import { MadeConversation } from "../data/conversation.js";
import { measureInTurns, type Timed } from "../measure.js";
import {
  type Bar,
  columnOf,
  type Measurement,
  ofLength,
  ratio,
  type Suite,
} from "../results.js";

const SIZES = [1_000, 10_000];
/** Model calls of a sample, one after the other as in an agent. */
const CALLS = 10;
/** Messages that come in them, and more. */
const GROWTH = 100;

const REDUCER = "LangGraph's messagesStateReducer";
const APPROXIMATE_COUNT = "countTokensApproximately";

/** What middleware does itself for a model call, on a thread below its trigger. */
export const middleware: Suite = {
  name: "middleware",
  async run({ isQuick }) {
    const measurements: Measurement[] = [];
    for (const size of isQuick ? SIZES.slice(-1) : SIZES) {
      const summaries = await measureInTurns(contendersAt(size), {
        rounds: isQuick ? 3 : 15,
        turn: 0,
        warmUp: isQuick ? 100 : 500,
      });
      measurements.push(...columnOf(ofLength(size), summaries));
    }
    return {
      title: "Middleware below its trigger",
      about:
        "What each does itself for ten model calls in a row, without the agent around it, on a thread that it knows up to the newest messages; beside LangGraph's own work to add a message ten times, and ten counts of the thread. All with their own counters.",
      unit: "ms",
      reference: COMPACTION,
      measurements,
      bars: barsAt(ofLength(10_000), measurements),
    };
  },
};

function contendersAt(size: number): Timed[] {
  const conversation = new MadeConversation(size + GROWTH);
  const reply = new AIMessage({ id: "reply", content: "Done." });
  const perThread: Record<string, () => (messages: BaseMessage[]) => unknown> =
    {
      ...Object.fromEntries(
        idleMiddleware.map(({ name, make }) => [name, () => ownWorkOf(make())]),
      ),
      [REDUCER]: () => (messages) => messagesStateReducer(messages, [reply]),
      [APPROXIMATE_COUNT]: () => countTokensApproximately,
    };
  return Object.entries(perThread).map(([name, start]) =>
    onThread(name, size, conversation, start),
  );
}

/** A contender that gets a new thread at each sample, and sees it once beforehand. */
function onThread(
  name: string,
  size: number,
  conversation: MadeConversation,
  start: () => (messages: BaseMessage[]) => unknown,
): Timed {
  let calls: BaseMessage[][] = [];
  let work = start();
  return {
    name,
    prepare: async () => {
      const [first, ...others] = callsFrom(size, conversation.build());
      work = start();
      await work(first!);
      calls = others.slice(0, CALLS);
    },
    run: async () => {
      for (const messages of calls) {
        await work(messages);
      }
    },
  };
}

/** The list that each model call gets, from a size on. */
function callsFrom(size: number, thread: BaseMessage[]): BaseMessage[][] {
  return thread.flatMap(({ type }, index) =>
    index >= size && type === "ai" ? [thread.slice(0, index)] : [],
  );
}

function barsAt(on: string, measurements: readonly Measurement[]): Bar[] {
  return [
    { peer: REDUCER, bar: 0.2 },
    { peer: APPROXIMATE_COUNT, bar: 0.1 },
  ].map(({ peer, bar }) => ({
    demand: `compactionMiddleware's own work at ${on}, as part of ${peer}`,
    at: "most",
    bar,
    measured: ratio(measurements, on, COMPACTION, peer),
  }));
}
