import type { BaseMessage } from "@langchain/core/messages";
import { requireKnownOptions, requireWholeNumber } from "../options.js";
import {
  COMPACTOR_FIELDS,
  Compactor,
  type CompactorFields,
} from "./compactor.js";
import { readOmissionNote } from "./note.js";
import { planUnits, unitIn } from "./oldest-first.js";
import { type DirectCompactOptions, openPass, type Pass } from "./pass.js";
import { protectedTask } from "./protected-messages.js";
import { type RemovalPlan, removeUnits } from "./removal.js";

/** Options of `TurnWindowCompactor`. */
export interface TurnWindowCompactorFields extends CompactorFields {
  /** Newest turns that stay, whatever they cost. Turns. @default 1 */
  minKeepTurns?: number;
  /**
   * Text of the note that stands where messages were removed, with
   * `{num_removed}` for their number; `null` for no note.
   *
   * @default "[{num_removed} earlier messages were removed from this conversation to free up context.]"
   */
  omissionNote?: string | null;
}

/**
 * Removes the oldest turns, one whole turn at a time.
 *
 * What precedes the first turn stays, and so do all system messages and the
 * turn of the task. From Microsoft Agent Framework's
 * `SlidingWindowCompactionStrategy`.
 */
export class TurnWindowCompactor extends Compactor {
  override readonly strategy = "turn-window";
  readonly #minKeepTurns: number;
  readonly #omissionNote: string | null;

  static override lc_name(): string {
    return "TurnWindowCompactor";
  }

  /** @throws CompactionError `INVALID_OPTION` */
  constructor(fields: TurnWindowCompactorFields = {}) {
    requireKnownOptions("TurnWindowCompactor", fields, [
      ...COMPACTOR_FIELDS,
      "minKeepTurns",
      "omissionNote",
    ]);
    super(fields);
    const { minKeepTurns = 1, omissionNote } = fields;
    requireWholeNumber("minKeepTurns", minKeepTurns, 0, "turns");
    this.#minKeepTurns = minKeepTurns;
    this.#omissionNote = readOmissionNote(omissionNote);
  }

  /** The shorter list, or `null` where there is nothing useful to do. */
  override async compact(
    messages: readonly BaseMessage[],
    options?: DirectCompactOptions,
  ): Promise<BaseMessage[] | null> {
    const pass = await openPass(this, messages, options);
    return pass === null
      ? null
      : removeUnits(
          pass,
          planTurnWindow(pass, this.#minKeepTurns),
          this.#omissionNote,
        );
  }
}

/** Turns may go but for the newest; one that reaches into the task stays whole. */
function planTurnWindow(
  { measured, goal }: Pass,
  minKeepTurns: number,
): RemovalPlan {
  const { conversation } = measured;
  const { messages, turnStarts } = conversation;
  const task = protectedTask(measured, goal.tokens);
  const units: number[][] = [];
  for (let turn = 0; turn < turnStarts.length - minKeepTurns; turn += 1) {
    const end = turnStarts[turn + 1] ?? messages.length;
    if (end > task.start) {
      break;
    }
    units.push(unitIn(conversation, turnStarts[turn]!, end));
  }
  return planUnits("turn-window", conversation, units);
}
