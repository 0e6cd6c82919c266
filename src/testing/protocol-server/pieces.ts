/** Cuts a text into at most so many pieces of about the same length, never inside a character. */
export function* pieces(text: string, count: number): Generator<string> {
  const length = Math.max(1, Math.ceil(text.length / count));
  let start = 0;
  while (start < text.length) {
    let end = start + length;
    if (isLowSurrogate(text.charCodeAt(end))) {
      end += 1;
    }
    yield text.slice(start, end);
    start = end;
  }
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
