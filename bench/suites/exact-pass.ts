import type { BaseMessage } from "@langchain/core/messages";
import {
  type CountMessages,
  onePassContenders,
  SLIDING_WINDOW,
} from "../contenders/one-pass.js";
import {
  gptTokenizerWarm,
  jsTiktoken,
  type Tokenizer,
  tiktokenCounter,
  wasmTiktoken,
} from "../contenders/tokenizers.js";
import { MadeConversation } from "../data/conversation.js";
import { measureInTurns } from "../measure.js";
import { type Measurement, ratio, type Suite } from "../results.js";

const MESSAGES = 100;
const CONTENDERS = [SLIDING_WINDOW, "trimMessages"];

/** One compaction of a short conversation, counted by real tokenizers. */
export const exactPass: Suite = {
  name: "exact-pass",
  async run({ isQuick }) {
    const tokenizers = [jsTiktoken, gptTokenizerWarm, wasmTiktoken];
    const measurements: Measurement[] = [];
    for (const tokenizer of isQuick ? tokenizers.slice(0, 1) : tokenizers) {
      measurements.push(...(await measureWith(tokenizer, isQuick)));
    }
    if (!isQuick) {
      measurements.push(...(await measureWith(tiktokenCounter, isQuick)));
    }
    return {
      title: "One pass with an exact tokenizer",
      about: `One compaction of ${MESSAGES} messages to 40 % of the tokens, both with the same tokenizer. TiktokenCounter and gpt-tokenizer remember what they counted, which helps most who counts a text many times.`,
      unit: "ms",
      reference: SLIDING_WINDOW,
      measurements,
      bars: [jsTiktoken.name].map((name) => ({
        demand: `trimMessages takes times as long with ${name}`,
        at: "least" as const,
        bar: 30,
        measured: ratio(measurements, name, "trimMessages", SLIDING_WINDOW),
      })),
    };
  },
};

async function measureWith(
  tokenizer: Tokenizer,
  isQuick: boolean,
): Promise<Measurement[]> {
  // Its tables are made at the first count.
  tokenizer.countText("Hello");
  const count = countWith(tokenizer);
  const countForBudget = countWith(wasmTiktoken);
  const timed = onePassContenders
    .filter(({ name }) => CONTENDERS.includes(name))
    .map(({ name, compact }) => {
      let samples = 0;
      let messages: BaseMessage[] = [];
      let budget = 0;
      return {
        name,
        prepare: () => {
          // Both get the same conversations, and none of them twice.
          samples += 1;
          messages = new MadeConversation(MESSAGES, samples).build();
          budget = Math.floor(countForBudget(messages) * 0.4);
        },
        run: () => compact(messages, budget, count),
      };
    });
  const summaries = await measureInTurns(timed, {
    rounds: isQuick ? 1 : 5,
    turn: 0,
    warmUp: 1,
  });
  return [...summaries].map(([contender, value]) => ({
    contender,
    on: tokenizer.name,
    value,
  }));
}

function countWith({ countText }: Tokenizer): CountMessages {
  return (messages) => {
    let tokens = 0;
    for (const message of messages) {
      const { content, tool_calls: calls } = message as BaseMessage & {
        tool_calls?: readonly unknown[];
      };
      tokens += countText(content as string);
      if (calls !== undefined && calls.length > 0) {
        tokens += countText(JSON.stringify(calls));
      }
    }
    return tokens;
  };
}
