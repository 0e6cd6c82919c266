import type { BaseMessage } from "@langchain/core/messages";
import {
  clearMergeCache,
  countTokens as countWithGptTokenizer,
} from "gpt-tokenizer/encoding/o200k_base";
import { Tiktoken } from "js-tiktoken/lite";
import o200kBase from "js-tiktoken/ranks/o200k_base";
import { defaultTokenCounter } from "langchain-compaction";
import { TiktokenCounter } from "langchain-compaction/tiktoken";
import { get_encoding, type Tiktoken as WasmTiktoken } from "tiktoken";

/** Something that says how many tokens a text has. */
export interface Tokenizer {
  readonly name: string;
  countText(text: string): number;
}

// Tables are built at the first count.
const exact = new TiktokenCounter();

export const defaultCounter: Tokenizer = {
  name: "default counter (an estimate)",
  countText: (content) =>
    defaultTokenCounter.countMessage({ content } as BaseMessage),
};

export const tiktokenCounter: Tokenizer = {
  name: "TiktokenCounter",
  countText: (text) => exact.countText(text),
};

let jsEncoding: Tiktoken | undefined;

export const jsTiktoken: Tokenizer = {
  name: "js-tiktoken",
  countText: (text) =>
    (jsEncoding ??= new Tiktoken(o200kBase)).encode(text, [], []).length,
};

/** It remembers the pieces that it has merged, here for no longer than a text. */
export const gptTokenizer: Tokenizer = {
  name: "gpt-tokenizer, cache cold",
  countText: (text) => {
    clearMergeCache();
    return countWithGptTokenizer(text);
  },
};

export const gptTokenizerWarm: Tokenizer = {
  name: "gpt-tokenizer, cache warm",
  countText: (text) => countWithGptTokenizer(text),
};

let wasmEncoding: WasmTiktoken | undefined;

export const wasmTiktoken: Tokenizer = {
  name: "tiktoken (WASM)",
  countText: (text) =>
    (wasmEncoding ??= get_encoding("o200k_base")).encode(text, [], []).length,
};

/** One entry is one contender on ordinary text. */
export const tokenizers: readonly Tokenizer[] = [
  defaultCounter,
  tiktokenCounter,
  jsTiktoken,
  gptTokenizer,
  gptTokenizerWarm,
  wasmTiktoken,
];
