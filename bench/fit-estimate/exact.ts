import { get_encoding } from "tiktoken";

const o200k = get_encoding("o200k_base");
const bytes = new TextDecoder();

/** Exact o200k tokens of a text, by tiktoken's WASM build. */
export function exactTokens(text: string): number {
  return o200k.encode_ordinary(text).length;
}

/** All tokens of o200k that match a pattern, the commonest in its training first. */
export function tokensLike(pattern: RegExp): string[] {
  const found: string[] = [];
  for (let id = 0; id < 199_998; id++) {
    const text = bytes.decode(o200k.decode_single_token_bytes(id));
    if (pattern.test(text)) {
      found.push(text);
    }
  }
  return found;
}

/** The tokens of a text, each as the text that it stands for. */
export function tokensOf(text: string): string[] {
  return [...o200k.encode_ordinary(text)].map((id) =>
    bytes.decode(o200k.decode_single_token_bytes(id)),
  );
}
