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
/** Messages that come in a thread; then another one begins, so that all are about as long. */
const GROWTH = 200;

const REDUCER = "LangGraph's messagesStateReducer";
const APPROXIMATE_COUNT = "countTokensApproximately";

/** What middleware does itself for a model call, on a thread below its trigger. */
export const middleware: Suite = {
  name: "middleware",
  async run({ isQuick }) {
    const measurements: Measurement[] = [];
    for (const size of isQuick ? SIZES.slice(-1) : SIZES) {
      const summaries = await measureInTurns(contendersAt(size), {
        rounds: isQuick ? 3 : 9,
        turn: 10,
        warmUp: 100,
      });
      measurements.push(...columnOf(ofLength(size), summaries));
    }
    return {
      title: "Middleware below its trigger",
      about:
        "What each does itself for one model call, without the agent around it, on a thread that it saw at the call before; beside LangGraph's own work to add one message to that thread, and one count of it. All with their own counters.",
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
      [REDUCER]: () => (messages) => reduce(messages, [reply]),
      [APPROXIMATE_COUNT]: () => countTokensApproximately,
    };
  return Object.entries(perThread).map(([name, start]) =>
    onThread(name, size, conversation, start),
  );
}

/** A contender that gets a thread of a size, and a little longer at each sample. */
function onThread(
  name: string,
  size: number,
  conversation: MadeConversation,
  start: () => (messages: BaseMessage[]) => unknown,
): Timed {
  let calls: BaseMessage[][] = [];
  let work = start();
  let messages: BaseMessage[] = [];
  return {
    name,
    prepare: async () => {
      if (calls.length === 0) {
        calls = callsFrom(size, conversation.build());
        work = start();
        await work(calls.shift()!);
      }
      const call = calls.shift()!;
      // As in an agent, where it has just been at work on the same messages.
      messages = reduce(call.slice(0, -1), call.slice(-1));
    },
    run: () => work(messages),
  };
}

function reduce(state: BaseMessage[], update: BaseMessage[]): BaseMessage[] {
  return messagesStateReducer(state, update) as BaseMessage[];
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
