/** UTF-8 takes at most so many bytes for one unit of a string. */
export const BYTES_PER_UNIT = 3;

/**
 * Writes `text` from `start` to `end` into `bytes` as UTF-8 and returns how many bytes it took.
 *
 * A lone surrogate becomes U+FFFD, as with `TextEncoder`. For the short pieces that
 * texts are made of, this takes a fraction of a call to the encoder.
 */
export function writeUtf8(
  text: string,
  start: number,
  end: number,
  bytes: Uint8Array,
): number {
  let length = 0;
  for (let index = start; index < end; index++) {
    let code = text.codePointAt(index)!;
    if (code < 0x80) {
      bytes[length++] = code;
    } else if (code < 0x800) {
      bytes[length++] = 0xc0 | (code >>> 6);
      bytes[length++] = 0x80 | (code & 0x3f);
    } else if (code < 0x10000) {
      if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
      bytes[length++] = 0xe0 | (code >>> 12);
      bytes[length++] = 0x80 | ((code >>> 6) & 0x3f);
      bytes[length++] = 0x80 | (code & 0x3f);
    } else {
      bytes[length++] = 0xf0 | (code >>> 18);
      bytes[length++] = 0x80 | ((code >>> 12) & 0x3f);
      bytes[length++] = 0x80 | ((code >>> 6) & 0x3f);
      bytes[length++] = 0x80 | (code & 0x3f);
      index++;
    }
  }
  return length;
}
