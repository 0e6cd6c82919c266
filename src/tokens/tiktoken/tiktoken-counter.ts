import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { invalidOption, requireKnownOptions, show } from "../../options.js";
import { countMessageWith } from "../message-cost.js";
import type { TokenCounter } from "../token-counter.js";
import { countToolsWith } from "../tool-cost.js";
import { countTokens, ENCODINGS, type TiktokenEncoding } from "./encoding.js";

export interface TiktokenCounterOptions {
  /**
   * The encoding of the model's tokenizer.
   *
   * @default "o200k_base"
   */
  encoding?: TiktokenEncoding;
}

/**
 * Counts the tokens of texts exactly as OpenAI's models read them.
 *
 * Gives the counts of `js-tiktoken` on every text, special tokens read as ordinary
 * text, but in a time that grows no faster than n log n: no text can stall
 * the process. What surrounds texts in a request is counted as the default
 * counter does it.
 *
 * The tables are built at the first count, once a process. The counts of long texts
 * are remembered, so that a conversation read back from a checkpoint is not
 * counted again.
 */
export class TiktokenCounter implements TokenCounter {
  readonly encoding: TiktokenEncoding;
  readonly #countText = (text: string): number => this.countText(text);

  /** @throws CompactionError `INVALID_OPTION` for an encoding that is not known. */
  constructor(options: TiktokenCounterOptions = {}) {
    requireKnownOptions("TiktokenCounter", options, ["encoding"]);
    const { encoding = "o200k_base" } = options;
    if (!ENCODINGS.includes(encoding)) {
      const expected = ENCODINGS.map(show).join(" or ");
      throw invalidOption("encoding", encoding, expected);
    }
    this.encoding = encoding;
  }

  /** Tokens of a text. */
  countText(text: string): number {
    return countTokens(this.encoding, text);
  }

  countMessage(message: BaseMessage): number {
    return countMessageWith(this.#countText, message);
  }

  countTools(tools: readonly BindToolsInput[]): number {
    return countToolsWith(this.#countText, tools);
  }
}
