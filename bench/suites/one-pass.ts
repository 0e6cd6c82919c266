import { onePassContenders, SLIDING_WINDOW } from "../contenders/one-pass.js";
import { countChars } from "../data/chars-counter.js";
import { MadeConversation } from "../data/conversation.js";
import { measureInTurns } from "../measure.js";
import {
  type Bar,
  columnOf,
  type Measurement,
  ofLength,
  type Plan,
  ratio,
  type Suite,
} from "../results.js";

const SIZES = [100, 1_000, 10_000];
/** Longer than a turn: peers that take seconds a pass. */
const SLOW_FROM = 10_000;

/** One compaction of a conversation to 40 % of its tokens, beside peers. */
export const onePass: Suite = {
  name: "one-pass",
  async run(plan) {
    const measurements: Measurement[] = [];
    for (const size of plan.isQuick ? SIZES.slice(0, 2) : SIZES) {
      measurements.push(...(await measureSize(size, plan)));
    }
    return {
      title: "One pass",
      about:
        "One compaction to 40 % of the tokens, with messages that nothing has seen before, all with the same counter (four characters a token).",
      unit: "ms",
      reference: SLIDING_WINDOW,
      measurements,
      bars: peerBars(measurements),
    };
  },
};

async function measureSize(size: number, plan: Plan): Promise<Measurement[]> {
  const conversation = new MadeConversation(size);
  let messages = conversation.build();
  const budget = Math.floor(countChars(messages) * 0.4);
  const timed = onePassContenders
    .filter(({ mostMessages }) => size <= mostMessages)
    .map(({ name, compact }) => ({
      name,
      prepare: () => {
        messages = conversation.build();
      },
      run: () => compact(messages, budget, countChars),
    }));
  const isSlow = ({ name }: { name: string }): boolean =>
    size >= SLOW_FROM && PEERS.includes(name);
  const summaries = await measureInTurns(
    timed.filter((contender) => !isSlow(contender)),
    {
      rounds: plan.isQuick ? 3 : 15,
      turn: 10,
      warmUp: 100,
    },
  );
  const slow = timed.filter(isSlow);
  if (slow.length > 0 && !plan.isQuick) {
    const effort = { rounds: 3, turn: 0, warmUp: 0 };
    for (const [name, value] of await measureInTurns(slow, effort)) {
      summaries.set(name, value);
    }
  }
  return columnOf(ofLength(size), summaries);
}

const PEERS = ["trimMessages", "summarizationMiddleware"];

const PEER_BARS = [
  { size: 1_000, peer: "trimMessages", bar: 300 },
  { size: 1_000, peer: "summarizationMiddleware", bar: 100 },
  { size: 10_000, peer: "trimMessages", bar: 3_000 },
  { size: 10_000, peer: "summarizationMiddleware", bar: 1_000 },
];

function peerBars(measurements: readonly Measurement[]): Bar[] {
  return PEER_BARS.map(({ size, peer, bar }) => ({
    demand: `${peer} takes times as long at ${ofLength(size)}`,
    at: "least" as const,
    bar,
    measured: ratio(measurements, ofLength(size), peer, SLIDING_WINDOW),
  })).filter(({ measured }) => !Number.isNaN(measured));
}
