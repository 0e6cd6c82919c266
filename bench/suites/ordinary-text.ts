import {
  defaultCounter,
  gptTokenizer,
  jsTiktoken,
  tiktokenCounter,
  tokenizers,
} from "../contenders/tokenizers.js";
import { Random } from "../data/random.js";
import { ordinaryTexts } from "../data/texts.js";
import { measureInTurns } from "../measure.js";
import { type Bar, type Measurement, ratio, type Suite } from "../results.js";

const PART = 4_000;
const PARTS = 25;

/** Counting messages of ordinary text of every kind. */
export const ordinaryText: Suite = {
  name: "ordinary-text",
  async run({ isQuick }) {
    const measurements: Measurement[] = [];
    for (const [kind, text] of Object.entries(ordinaryTexts)) {
      let parts: string[] = [];
      const random = new Random(6);
      const timed = tokenizers.map(({ name, countText }) => ({
        name,
        prepare: () => {
          // Never the same ones: counts of texts are remembered.
          parts = cutParts(text, random);
        },
        run: () => parts.reduce((sum, part) => sum + countText(part), 0),
      }));
      const summaries = await measureInTurns(timed, {
        rounds: isQuick ? 2 : 9,
        turn: isQuick ? 10 : 50,
        warmUp: isQuick ? 50 : 300,
      });
      for (const [contender, value] of summaries) {
        measurements.push({ contender, on: kind, value });
      }
    }
    return {
      title: "Counting ordinary text",
      about: `${PARTS} texts of ${PART.toLocaleString("en")} characters that were not counted before, by o200k_base.`,
      unit: "ms",
      reference: tiktokenCounter.name,
      measurements,
      bars: barsOf(measurements),
    };
  },
};

function barsOf(measurements: readonly Measurement[]): Bar[] {
  const exact = ["English", "code", "JSON"].map((kind) => ({
    demand: `${kind}: js-tiktoken takes times as long as TiktokenCounter`,
    at: "least" as const,
    bar: 3,
    measured: ratio(measurements, kind, jsTiktoken.name, tiktokenCounter.name),
  }));
  const estimated = Object.keys(ordinaryTexts).map((kind) => ({
    demand: `${kind}: gpt-tokenizer with a cold cache takes times as long as the default counter`,
    at: "least" as const,
    bar: 10,
    measured: ratio(measurements, kind, gptTokenizer.name, defaultCounter.name),
  }));
  return [...exact, ...estimated];
}

function cutParts(text: string, random: Random): string[] {
  return Array.from({ length: PARTS }, () => {
    const start = random.below(text.length - PART);
    return text.slice(start, start + PART);
  });
}
