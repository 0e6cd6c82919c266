import type { BaseMessage } from "@langchain/core/messages";
import type { PruningMarker } from "../conversation/marker.js";
import {
  invalidOption,
  requireKnownOptions,
  requireSwitch,
  requireWholeNumber,
} from "../options.js";
import { countMessage } from "../tokens/ask-counter.js";
import {
  COMPACTOR_FIELDS,
  Compactor,
  type CompactorFields,
} from "./compactor.js";
import { type DirectCompactOptions, openPass, type Pass } from "./pass.js";
import { clearBulkyArguments } from "./pruning/bulky-arguments.js";
import { calledTools } from "./pruning/called-tools.js";
import { clearResult, isErrorResult } from "./pruning/clear-result.js";
import { prunableMessages } from "./pruning/prunable-messages.js";
import { RemainingSize } from "./remaining-size.js";

/** Options of `ToolResultPruningCompactor`. */
export interface ToolResultPruningCompactorFields extends CompactorFields {
  /** Newest steps with a tool result that stay as they are. Steps. @default 1 */
  minKeepSteps?: number;
  /** Results that take no more than this stay as they are. Tokens. @default 200 */
  minTokens?: number;
  /**
   * What stands in a result's place, with `{tool_name}` for the tool's name.
   *
   * @default "[The output of {tool_name} was removed to free up context.]"
   */
  placeholder?: string;
  /** Results that stay whatever they take. @default those of calls that failed */
  skip?: (result: BaseMessage) => boolean;
  /**
   * Whether arguments that take more than `minTokens` are replaced too, the
   * body of a written file say.
   *
   * @default false
   */
  clearToolInputs?: boolean;
}

/**
 * Replaces old, large tool results by a placeholder, the oldest first, one at a time.
 *
 * No message goes and none changes its place. Results that the model has not
 * seen yet stay, wherever they stand. From Haystack's
 * `ToolResultPruningCompactor`.
 */
export class ToolResultPruningCompactor extends Compactor {
  override readonly strategy = "tool-result-pruning";
  readonly #minKeepSteps: number;
  readonly #minTokens: number;
  readonly #placeholder: string;
  readonly #skip: (result: BaseMessage) => boolean;
  readonly #clearToolInputs: boolean;

  static override lc_name(): string {
    return "ToolResultPruningCompactor";
  }

  /** @throws CompactionError `INVALID_OPTION` */
  constructor(fields: ToolResultPruningCompactorFields = {}) {
    requireKnownOptions("ToolResultPruningCompactor", fields, [
      ...COMPACTOR_FIELDS,
      "minKeepSteps",
      "minTokens",
      "placeholder",
      "skip",
      "clearToolInputs",
    ]);
    super(fields);
    const {
      minKeepSteps = 1,
      minTokens = 200,
      placeholder = DEFAULT_PLACEHOLDER,
      skip = isErrorResult,
      clearToolInputs,
    } = fields;
    requireWholeNumber("minKeepSteps", minKeepSteps, 1, "steps");
    requireWholeNumber("minTokens", minTokens, 0, "tokens");
    if (typeof placeholder !== "string") {
      throw invalidOption(
        "placeholder",
        placeholder,
        'a text, with "{tool_name}" where the name goes',
      );
    }
    if (typeof skip !== "function") {
      throw invalidOption("skip", skip, "a function of a tool result");
    }
    requireSwitch("clearToolInputs", clearToolInputs);
    this.#minKeepSteps = minKeepSteps;
    this.#minTokens = minTokens;
    this.#placeholder = placeholder;
    this.#skip = skip;
    this.#clearToolInputs = clearToolInputs ?? false;
  }

  /** The same messages with results replaced, or `null` where there is nothing useful to do. */
  override async compact(
    messages: readonly BaseMessage[],
    options?: DirectCompactOptions,
  ): Promise<BaseMessage[] | null> {
    const pass = await openPass(this, messages, options);
    if (pass === null) {
      return null;
    }
    const { counts, conversation } = pass.measured;
    const prunable = prunableMessages(conversation, {
      minKeepSteps: this.#minKeepSteps,
      skip: this.#skip,
      withInputs: this.#clearToolInputs,
    });
    const toolsOf = calledTools(messages);
    const size = new RemainingSize(pass);
    const edited = [...messages];
    let isChanged = false;
    let isReached = size.isEnoughAtFirst();
    for (let index = 0; index < messages.length && !isReached; index += 1) {
      if (prunable[index] === 0 || counts[index]! <= this.#minTokens) {
        continue;
      }
      const edit = await this.#edit(index, pass, toolsOf);
      if (edit === null) {
        continue;
      }
      const saved = counts[index]! - (await countMessage(edit, pass.counter));
      if (saved > 0) {
        edited[index] = edit;
        isChanged = true;
        size.shrink(saved);
        isReached = size.isEnough();
      }
    }
    return isChanged ? edited : null;
  }

  /** The message with less in it; `null` where it must stay as it is. */
  async #edit(
    index: number,
    { measured, counter }: Pass,
    toolsOf: ReadonlyMap<number, string>,
  ): Promise<BaseMessage | null> {
    const message = measured.messages[index]!;
    const marker: PruningMarker = {
      strategy: "tool-result-pruning",
      originalTokens: measured.countAt(index),
    };
    if (measured.conversation.roles[index] === "ai") {
      return clearBulkyArguments(message, marker, counter, this.#minTokens);
    }
    const text = this.#placeholder.replaceAll(
      "{tool_name}",
      () => message.name ?? toolsOf.get(index) ?? "a tool",
    );
    return clearResult(message, text, marker);
  }
}

const DEFAULT_PLACEHOLDER =
  "[The output of {tool_name} was removed to free up context.]";
