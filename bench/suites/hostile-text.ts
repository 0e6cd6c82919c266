import {
  defaultCounter,
  gptTokenizer,
  jsTiktoken,
  type Tokenizer,
  tiktokenCounter,
  wasmTiktoken,
} from "../contenders/tokenizers.js";
import { hostileTexts } from "../data/texts.js";
import { measureInTurns } from "../measure.js";
import { type Bar, type Measurement, ratio, type Suite } from "../results.js";

const HALF_MEGABYTE = 500_000;
const MEGABYTE = 1_000_000;
/** A quick run takes one of each sort: no letters, letters, more than a byte a character, and a mixture. */
const QUICK_KINDS = [
  "spaces",
  "random letters",
  "Chinese without punctuation",
  "signs and emoji in turns",
];

/** Texts that stall a tokenizer which merges by pairs. */
export const hostileText: Suite = {
  name: "hostile-text",
  async run({ isQuick }) {
    const long = isQuick ? 8_000 : 100_000;
    const measurements: Measurement[] = [];
    const kinds = isQuick ? QUICK_KINDS : Object.keys(hostileTexts);
    for (const kind of kinds) {
      const make = hostileTexts[kind]!;
      const quick = [
        asTimed(tiktokenCounter, make, long),
        asTimed(tiktokenCounter, make, HALF_MEGABYTE),
        asTimed(tiktokenCounter, make, MEGABYTE),
        asTimed(defaultCounter, make, MEGABYTE),
      ];
      const slow = [
        asTimed(wasmTiktoken, make, long),
        ...(isQuick
          ? []
          : [
              asTimed(gptTokenizer, make, 16_000),
              asTimed(jsTiktoken, make, 4_000),
            ]),
      ];
      const summaries = [
        ...(await measureInTurns(quick, {
          rounds: isQuick ? 2 : 5,
          turn: 0,
          warmUp: 1,
        })),
        // Seconds to a minute each.
        ...(await measureInTurns(slow, { rounds: 1, turn: 0, warmUp: 0 })),
      ];
      for (const [contender, value] of summaries) {
        measurements.push({ contender, on: kind, value });
      }
    }
    return {
      title: "Counting hostile text",
      about:
        "One tool result of one kind of character, by o200k_base. The slow ones had one sample each.",
      unit: "ms",
      reference: nameAt(tiktokenCounter, long),
      measurements,
      bars: kinds.flatMap((kind) => barsOf(kind, measurements, long)),
    };
  },
};

function asTimed(
  { name, countText }: Tokenizer,
  make: (characters: number) => string,
  characters: number,
): { name: string; prepare(): void; run(): number } {
  let text = "";
  let samples = 0;
  return {
    name: nameAt({ name }, characters),
    prepare: () => {
      // Never the same one: counts of texts are remembered.
      samples += 1;
      text = make(characters + samples);
    },
    run: () => countText(text),
  };
}

function barsOf(
  kind: string,
  measurements: readonly Measurement[],
  long: number,
): Bar[] {
  const times = (slower: string, faster: string): number =>
    ratio(measurements, kind, slower, faster);
  return [
    {
      demand: `${kind}: twice the text takes times as long`,
      at: "most",
      bar: 2.4,
      measured: times(
        nameAt(tiktokenCounter, MEGABYTE),
        nameAt(tiktokenCounter, HALF_MEGABYTE),
      ),
    },
    {
      demand: `${kind}: tiktoken (WASM) takes times as long at ${long.toLocaleString("en")} characters`,
      at: "least",
      bar: 1,
      measured: times(
        nameAt(wasmTiktoken, long),
        nameAt(tiktokenCounter, long),
      ),
    },
  ];
}

function nameAt({ name }: Pick<Tokenizer, "name">, characters: number): string {
  return `${name}, ${characters.toLocaleString("en")} characters`;
}
