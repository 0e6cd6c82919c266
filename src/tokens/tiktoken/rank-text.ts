import { CompactionError } from "../../errors.js";
import { RankTable } from "./rank-table.js";

/**
 * Builds the table of an encoding from the rank text of `js-tiktoken`: a header, then all
 * tokens in base64 in the order of their ranks, with spaces between them.
 *
 * @throws CompactionError `COUNTER_FAILED` if the text starts in another way.
 */
export function readRankText(text: string): RankTable {
  if (!text.startsWith(HEADER) || text.includes("\n")) {
    throw new CompactionError(
      "COUNTER_FAILED",
      "The token table of the installed js-tiktoken is not in the form that is known; " +
        "install js-tiktoken 1.0.21.",
    );
  }
  const bytes = new Uint8Array(Math.ceil(text.length * 0.75));
  const starts = [0];
  let length = 0;
  let bits = 0;
  let bitCount = 0;
  for (let index = HEADER.length; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === SPACE) {
      starts.push(length);
      bitCount = 0;
    } else if (code !== PADDING) {
      bits = (bits << 6) | SIX_BITS[code]!;
      bitCount += 6;
      if (bitCount >= 8) {
        bitCount -= 8;
        bytes[length++] = bits >>> bitCount;
      }
    }
  }
  starts.push(length);
  return new RankTable(bytes.slice(0, length), Uint32Array.from(starts));
}

const HEADER = "! 0 ";
const SPACE = 0x20;
const PADDING = 0x3d;

const ALPHABET =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const SIX_BITS = new Uint8Array(128);
for (let value = 0; value < ALPHABET.length; value++) {
  SIX_BITS[ALPHABET.charCodeAt(value)] = value;
}
