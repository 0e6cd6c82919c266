import type { Conversation } from "../conversation/anatomy.js";
import { isNote, type RemovalStrategy } from "../conversation/marker.js";
import type { RemovalPlan } from "./removal.js";

/** A plan of nothing but units, with the note where the oldest of them begins. */
export function planUnits(
  strategy: RemovalStrategy,
  { instructionsEnd }: Conversation,
  units: readonly (readonly number[])[],
): RemovalPlan {
  return {
    strategy,
    first: [],
    units,
    noteIndex: () => units[0]?.[0] ?? instructionsEnd,
  };
}

/** What of a stretch may go: system messages stay, and earlier notes go in any case. */
export function unitIn(
  { roles, markers }: Conversation,
  start: number,
  end: number,
): number[] {
  const unit: number[] = [];
  for (let index = start; index < end; index += 1) {
    if (roles[index] !== "system" && !isNote(markers.get(index))) {
      unit.push(index);
    }
  }
  return unit;
}
