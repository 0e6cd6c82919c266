import { kindOf, NOTHING } from "./character-kinds.js";

/** A text as runs of characters of one kind. */
export interface KindRuns {
  /** The kind of each run, and `NOTHING` behind the last. */
  readonly kinds: Uint8Array;
  /** Where each run ends. */
  readonly ends: Int32Array;
}

/**
 * The runs of a text, read in one pass over its characters.
 *
 * They hold until the next text is read, since short texts share their room.
 */
export function kindRunsOf(text: string): KindRuns {
  const { length } = text;
  const runs = length < ROOM ? shared : makeRuns(length + 1);
  const { kinds, ends } = runs;
  let count = -1;
  let last = NOTHING;
  for (let at = 0; at < length; at++) {
    const kind = kindOf(text.charCodeAt(at));
    // One more where they differ, without a branch, which no processor could foretell.
    count += ((kind ^ last) + 31) >> 5;
    kinds[count] = kind;
    ends[count] = at + 1;
    last = kind;
  }
  kinds[count + 1] = NOTHING;
  return runs;
}

function makeRuns(length: number): KindRuns {
  return { kinds: new Uint8Array(length), ends: new Int32Array(length) };
}

const ROOM = 16_384;
const shared = makeRuns(ROOM);
