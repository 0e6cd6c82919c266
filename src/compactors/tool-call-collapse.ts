import type { BaseMessage } from "@langchain/core/messages";
import { type Conversation, newestAnswer } from "../conversation/anatomy.js";
import { FreeIds } from "../conversation/free-ids.js";
import { type Group, oldGroups } from "../conversation/groups.js";
import { originalsBehind } from "../conversation/marker.js";
import { isToolResult } from "../conversation/tool-calls.js";
import {
  invalidOption,
  requireKnownOptions,
  requireWholeNumber,
} from "../options.js";
import { countMessage } from "../tokens/ask-counter.js";
import {
  createRecord,
  describeStep,
  type RecordFormat,
  type RecordRole,
} from "./collapse-record.js";
import {
  COMPACTOR_FIELDS,
  Compactor,
  type CompactorFields,
} from "./compactor.js";
import { readFoldedStep } from "./folded-step.js";
import { type DirectCompactOptions, openPass, type Pass } from "./pass.js";
import { RemainingSize } from "./remaining-size.js";

/** Options of `ToolCallCollapseCompactor`. */
export interface ToolCallCollapseCompactorFields extends CompactorFields {
  /** Newest groups other than system messages that stay as they are. Groups. @default 16 */
  minKeepGroups?: number;
  /**
   * Text of the record that stands for a step; a step for which it is empty stays.
   *
   * @default one line that names the tools and quotes the beginning of each result
   */
  format?: RecordFormat;
  /**
   * Who the record is from. Models imitate tool logs found in their own voice.
   *
   * @default "human"
   */
  recordRole?: RecordRole;
}

/**
 * Folds old tool steps into one short record each, the oldest first.
 *
 * A step stays where its results are not yet seen by the model, a call is
 * unanswered, anyone else spoke inside, or the record would be no smaller. From
 * Microsoft Agent Framework's `ToolResultCompactionStrategy`.
 */
export class ToolCallCollapseCompactor extends Compactor {
  override readonly strategy = "tool-call-collapse";
  readonly #minKeepGroups: number;
  readonly #format: RecordFormat;
  readonly #recordRole: RecordRole;

  static override lc_name(): string {
    return "ToolCallCollapseCompactor";
  }

  /** @throws CompactionError `INVALID_OPTION` */
  constructor(fields: ToolCallCollapseCompactorFields = {}) {
    requireKnownOptions("ToolCallCollapseCompactor", fields, [
      ...COMPACTOR_FIELDS,
      "minKeepGroups",
      "format",
      "recordRole",
    ]);
    super(fields);
    const {
      minKeepGroups = 16,
      format = describeStep,
      recordRole = "human",
    } = fields;
    requireWholeNumber("minKeepGroups", minKeepGroups, 0, "groups");
    if (typeof format !== "function") {
      throw invalidOption("format", format, "a function of a step to a text");
    }
    if (recordRole !== "human" && recordRole !== "ai") {
      throw invalidOption("recordRole", recordRole, '"human" or "ai"');
    }
    this.#minKeepGroups = minKeepGroups;
    this.#format = format;
    this.#recordRole = recordRole;
  }

  /** The shorter list, or `null` where there is nothing useful to do. */
  override async compact(
    messages: readonly BaseMessage[],
    options?: DirectCompactOptions,
  ): Promise<BaseMessage[] | null> {
    const pass = await openPass(this, messages, options);
    if (pass === null) {
      return null;
    }
    const { conversation } = pass.measured;
    const size = new RemainingSize(pass);
    const folds = new Map<number, Fold>();
    const ids = new FreeIds(messages);
    let isReached = size.isEnoughAtFirst();
    for (const step of foldableSteps(conversation, this.#minKeepGroups)) {
      if (isReached) {
        break;
      }
      const fold = await this.#fold(step, pass, ids);
      if (fold !== null) {
        folds.set(step.start, fold);
        for (let index = step.start; index < step.end; index += 1) {
          size.remove(index);
        }
        size.add(fold.tokens, this.#recordRole === "ai");
        isReached = size.isEnough();
      }
    }
    return folds.size === 0 ? null : putIn(messages, folds);
  }

  /** The record for a step, or `null` where it is empty or no smaller. */
  async #fold(
    { start, end }: Group,
    pass: Pass,
    ids: FreeIds,
  ): Promise<Fold | null> {
    const { messages, counts, conversation } = pass.measured;
    let tokensBefore = 0;
    let originals = 0;
    for (let index = start; index < end; index += 1) {
      tokensBefore += counts[index]!;
      originals += originalsBehind(conversation.markers.get(index));
    }
    const record = createRecord(
      readFoldedStep(messages.slice(start, end)),
      this.#format,
      this.#recordRole,
      originals,
      ids,
    );
    if (record === null) {
      return null;
    }
    const tokens = await countMessage(record, pass.counter);
    const isSmaller =
      tokens < tokensBefore || (tokens === tokensBefore && end - start > 1);
    return isSmaller ? { record, tokens, end } : null;
  }
}

interface Fold {
  readonly record: BaseMessage;
  /** Tokens of the record. */
  readonly tokens: number;
  /** Index behind the step that it stands for. */
  readonly end: number;
}

/** Tool steps that may be folded, the oldest first. */
function foldableSteps(
  conversation: Conversation,
  minKeepGroups: number,
): Group[] {
  const { messages, roles, openCalls, stepOf, taskIndex } = conversation;
  const seenUpTo = Math.max(newestAnswer(conversation), taskIndex);
  const openSteps = new Set(openCalls.map(({ index }) => stepOf[index]!));
  const isCallOrResult = (index: number): boolean =>
    roles[index] === "ai" || isToolResult(messages[index]!);

  return oldGroups(conversation, minKeepGroups).filter(
    ({ kind, start, end }) => {
      if (kind !== "tool-step" || openSteps.has(stepOf[start]!)) {
        return false;
      }
      for (let index = start; index < end; index += 1) {
        if (!isCallOrResult(index)) {
          return false;
        }
      }
      // Results that nobody has spoken after are still to be read.
      return end - 1 <= seenUpTo;
    },
  );
}

function putIn(
  messages: readonly BaseMessage[],
  folds: ReadonlyMap<number, Fold>,
): BaseMessage[] {
  const result: BaseMessage[] = [];
  for (let index = 0; index < messages.length;) {
    const fold = folds.get(index);
    result.push(fold?.record ?? messages[index]!);
    index = fold?.end ?? index + 1;
  }
  return result;
}
