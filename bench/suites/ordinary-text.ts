import {
  defaultCounter,
  gptTokenizer,
  jsTiktoken,
  type Tokenizer,
  tiktokenCounter,
  tokenizers,
} from "../contenders/tokenizers.js";
import { Random } from "../data/random.js";
import { ordinaryTexts } from "../data/texts.js";
import { measureInTurns, type Timed } from "../measure.js";
import { type Bar, type Measurement, ratio, type Suite } from "../results.js";

const PART = 4_000;

/** Where js-tiktoken is the bar; elsewhere it is the slowest by far. */
const EXACT_KINDS = ["English", "code", "JSON"];

/** Counting messages of ordinary text of every kind. */
export const ordinaryText: Suite = {
  name: "ordinary-text",
  async run({ isQuick }) {
    const parts = isQuick ? 10 : 25;
    // Tables are built and code is compiled at first.
    await measureInTurns(
      timedOn(ordinaryTexts["English"]!, parts, tokenizers),
      {
        rounds: 0,
        turn: 0,
        warmUp: 500,
      },
    );
    const measurements: Measurement[] = [];
    for (const [kind, text] of Object.entries(ordinaryTexts)) {
      const measured = tokenizers.filter(
        (tokenizer) =>
          !isQuick || tokenizer !== jsTiktoken || EXACT_KINDS.includes(kind),
      );
      const summaries = await measureInTurns(timedOn(text, parts, measured), {
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
      about: `${parts} texts of ${PART.toLocaleString("en")} characters that were not counted before, by o200k_base.`,
      unit: "ms",
      reference: tiktokenCounter.name,
      measurements,
      bars: barsOf(measurements),
    };
  },
};

function timedOn(
  text: string,
  count: number,
  measured: readonly Tokenizer[],
): Timed[] {
  let parts: string[] = [];
  const random = new Random(6);
  return measured.map(({ name, countText }) => ({
    name,
    prepare: () => {
      // Never the same ones: counts of texts are remembered.
      parts = cutParts(text, count, random);
    },
    run: () => parts.reduce((sum, part) => sum + countText(part), 0),
  }));
}

function barsOf(measurements: readonly Measurement[]): Bar[] {
  const exact = EXACT_KINDS.map((kind) => ({
    demand: `${kind}: js-tiktoken takes times as long as TiktokenCounter`,
    at: "least" as const,
    bar: 3,
    measured: ratio(measurements, kind, jsTiktoken.name, tiktokenCounter.name),
  }));
  const ahead = EXACT_KINDS.map((kind) => ({
    demand: `${kind}: gpt-tokenizer with a cold cache takes times as long as TiktokenCounter`,
    at: "least" as const,
    bar: 1,
    measured: ratio(
      measurements,
      kind,
      gptTokenizer.name,
      tiktokenCounter.name,
    ),
  }));
  const estimated = Object.keys(ordinaryTexts).map((kind) => ({
    demand: `${kind}: gpt-tokenizer with a cold cache takes times as long as the default counter`,
    at: "least" as const,
    bar: 10,
    measured: ratio(measurements, kind, gptTokenizer.name, defaultCounter.name),
  }));
  return [...exact, ...ahead, ...estimated];
}

function cutParts(text: string, length: number, random: Random): string[] {
  return Array.from({ length }, () => {
    const start = random.below(text.length - PART);
    // In one piece, as a message has it, and not as a cut from a longer text.
    return Buffer.from(text.slice(start, start + PART)).toString();
  });
}
