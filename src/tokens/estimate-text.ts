/** Tokens of a text, estimated in one pass over its characters. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / 3);
}
