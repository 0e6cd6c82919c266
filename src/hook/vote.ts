/**
 * What the newest of three reports says, or where it is more than 1/8 of the window off their median, that; tokens.
 *
 * With fewer than three there is nobody to outvote the newest.
 *
 * @param votes the oldest first, none but the newest three counts
 */
export function vote(votes: readonly number[], inputWindow: number): number {
  const newest = votes.at(-1)!;
  if (votes.length < 3) {
    return newest;
  }
  const middle = votes.slice(-3).toSorted((a, b) => a - b)[1]!;
  return Math.abs(newest - middle) > inputWindow / 8 ? middle : newest;
}
