import type { BaseMessage } from "@langchain/core/messages";
import { type Group, oldGroups } from "../conversation/groups.js";
import { requireKnownOptions, requireWholeNumber } from "../options.js";
import {
  COMPACTOR_FIELDS,
  Compactor,
  type CompactorFields,
} from "./compactor.js";
import { readOmissionNote } from "./note.js";
import { planUnits, unitIn } from "./oldest-first.js";
import { type DirectCompactOptions, openPass, type Pass } from "./pass.js";
import { pendingSteps, protectedTask } from "./protected-messages.js";
import { type RemovalPlan, removeUnits } from "./removal.js";

/** Options of `TruncationCompactor`. */
export interface TruncationCompactorFields extends CompactorFields {
  /** Newest groups other than system messages that stay, whatever they cost. Groups. @default 32 */
  minKeepGroups?: number;
  /**
   * Text of the note that stands where messages were removed, with
   * `{num_removed}` for their number; `null` for no note.
   *
   * @default "[{num_removed} earlier messages were removed from this conversation to free up context.]"
   */
  omissionNote?: string | null;
}

/**
 * Removes the oldest groups, one step or single message at a time.
 *
 * System messages, the task and calls that wait for an answer stay. From
 * Microsoft Agent Framework's `TruncationCompactionStrategy`.
 */
export class TruncationCompactor extends Compactor {
  override readonly strategy = "truncation";
  readonly #minKeepGroups: number;
  readonly #omissionNote: string | null;

  static override lc_name(): string {
    return "TruncationCompactor";
  }

  /** @throws CompactionError `INVALID_OPTION` */
  constructor(fields: TruncationCompactorFields = {}) {
    requireKnownOptions("TruncationCompactor", fields, [
      ...COMPACTOR_FIELDS,
      "minKeepGroups",
      "omissionNote",
    ]);
    super(fields);
    const { minKeepGroups = 32, omissionNote } = fields;
    requireWholeNumber("minKeepGroups", minKeepGroups, 0, "groups");
    this.#minKeepGroups = minKeepGroups;
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
          planTruncation(pass, this.#minKeepGroups),
          this.#omissionNote,
        );
  }
}

/** Groups may go but for the newest; without a task the last one stays, so that nothing is emptied. */
function planTruncation(
  { measured, goal }: Pass,
  minKeepGroups: number,
): RemovalPlan {
  const { conversation } = measured;
  const { stepOf, taskIndex } = conversation;
  const task = protectedTask(measured, goal.tokens);
  const pending = pendingSteps(conversation);
  const mayGo = ({ start, end }: Group): boolean =>
    (end <= task.start || start >= task.end) && !pending.has(stepOf[start]!);
  const floor = Math.max(minKeepGroups, taskIndex < 0 ? 1 : 0);
  const units = oldGroups(conversation, floor)
    .filter(mayGo)
    .map(({ start, end }) => unitIn(conversation, start, end));
  return planUnits("truncation", conversation, units);
}
