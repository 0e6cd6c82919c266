/**
 * What the newest of three reports says; tokens.
 *
 * Where the two before it agree, to 1/32 of the window, and it is more than 1/8
 * of the window off both, it is outvoted, and the one before it counts. With
 * fewer than three, or where those two do not agree either, there is nobody to
 * outvote the newest.
 *
 * @param votes the oldest first, none but the newest three counts
 */
export function vote(votes: readonly number[], inputWindow: number): number {
  const newest = votes.at(-1)!;
  if (votes.length < 3) {
    return newest;
  }
  const [first, second] = votes.slice(-3) as [number, number];
  const isAgreed = Math.abs(first - second) <= inputWindow / 32;
  const isOff =
    Math.abs(newest - first) > inputWindow / 8 &&
    Math.abs(newest - second) > inputWindow / 8;
  return isAgreed && isOff ? second : newest;
}
