import { estimateTextTokens } from "./estimate-text.js";
import { countMessageWith } from "./message-cost.js";
import type { TokenCounter } from "./token-counter.js";
import { countToolsWith } from "./tool-cost.js";

/**
 * The counter that is used where none is given.
 *
 * Estimates texts in one pass over their characters; needs no network, no
 * table and no other package.
 */
export const defaultTokenCounter: TokenCounter = Object.freeze({
  // Whole, so that what is remembered of a message takes less memory.
  countMessage: (message) =>
    Math.round(countMessageWith(estimateTextTokens, message)),
  countTools: (tools) => countToolsWith(estimateTextTokens, tools),
} satisfies TokenCounter);
