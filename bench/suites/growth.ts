import { growthContenders } from "../contenders/one-pass.js";
import { countChars } from "../data/chars-counter.js";
import { MadeConversation } from "../data/conversation.js";
import { measureInTurns } from "../measure.js";
import {
  type Bar,
  columnOf,
  type Measurement,
  medianOf,
  ofLength,
  type Suite,
} from "../results.js";
import { growthExponent } from "../statistics.js";

const SIZES = [1_000, 10_000, 100_000];

/** How one pass grows with the conversation. */
export const growth: Suite = {
  name: "growth",
  async run({ isQuick }) {
    const sizes = isQuick ? SIZES.slice(0, 2) : SIZES;
    const measurements: Measurement[] = [];
    for (const size of sizes) {
      measurements.push(...(await measureSize(size, isQuick)));
    }
    return {
      title: "Growth",
      about:
        "The same over longer conversations; also a pipeline, and passes with a goal in code, which is asked after each removal.",
      unit: "ms",
      measurements,
      bars: barsBetween(sizes[0]!, sizes.at(-1)!, measurements),
    };
  },
};

async function measureSize(
  size: number,
  isQuick: boolean,
): Promise<Measurement[]> {
  const conversation = new MadeConversation(size);
  let messages = conversation.build();
  const budget = Math.floor(countChars(messages) * 0.4);
  const timed = growthContenders.map(({ name, compact }) => ({
    name,
    prepare: () => {
      messages = conversation.build();
    },
    run: () => compact(messages, budget, countChars),
  }));
  const summaries = await measureInTurns(timed, {
    rounds: isQuick ? 3 : 5,
    turn: 10,
    warmUp: 100,
  });
  return columnOf(ofLength(size), summaries);
}

function barsBetween(
  small: number,
  large: number,
  measurements: readonly Measurement[],
): Bar[] {
  return growthContenders.map(({ name }) => {
    const pointAt = (size: number): { size: number; time: number } => ({
      size,
      time: medianOf(measurements, ofLength(size), name),
    });
    return {
      demand: `${name}: exponent of the growth from ${ofLength(small)} to ${ofLength(large)}`,
      at: "most",
      bar: 1.2,
      measured: growthExponent(pointAt(small), pointAt(large)),
    };
  });
}
