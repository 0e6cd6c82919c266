import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import type { BasePromptValueInterface } from "@langchain/core/prompt_values";
import { Runnable, type RunnableConfig } from "@langchain/core/runnables";
import { coerceMessages } from "../conversation/coerce-messages.js";
import { rewriteUpdate } from "../conversation/rewrite-update.js";
import { CompactionError } from "../errors.js";
import { invalidOption, requireKnownOptions, show } from "../options.js";
import type { ConversationMend } from "./draft.js";
import { type RuleSet, requireRuleSet } from "./provider.js";
import { repairConversation } from "./repair-conversation.js";

export interface ConversationRepairFields {
  /**
   * Whose rules the conversation is to meet.
   *
   * @default "strict", which is what every provider takes
   */
  readonly provider?: RuleSet;
  /** Told of the changes of each repair that made any; what it throws is passed over. @default nobody */
  readonly onMend?: (mends: readonly ConversationMend[]) => void;
}

/** Whatever holds messages: a list, a prompt value, a string. */
export type ConversationRepairInput =
  | string
  | BasePromptValueInterface
  | readonly BaseMessageLike[];

/**
 * Mends a broken thread on its way to the model.
 *
 * A step of a chain from messages to messages, or by {@link asNode} a node of
 * a graph that mends the state. A healthy list passes as it is.
 *
 * @example
 * ```ts
 * const chain = prompt.pipe(new ConversationRepair({ provider: "anthropic" })).pipe(model);
 * graph.addNode("repair", new ConversationRepair().asNode());
 * ```
 */
export class ConversationRepair extends Runnable<
  ConversationRepairInput,
  BaseMessage[]
> {
  static override lc_name(): string {
    return "ConversationRepair";
  }

  override readonly lc_namespace: string[] = ["langchain_compaction", "health"];
  readonly #provider: RuleSet;
  readonly #onMend: ConversationRepairFields["onMend"];

  /** @throws CompactionError `INVALID_OPTION` */
  constructor(fields: ConversationRepairFields = {}) {
    requireKnownOptions("ConversationRepair", fields, ["provider", "onMend"]);
    const { provider = "strict", onMend } = fields;
    requireRuleSet(provider);
    if (onMend !== undefined && typeof onMend !== "function") {
      throw invalidOption("onMend", onMend, "a function");
    }
    super();
    this.#provider = provider;
    this.#onMend = onMend;
  }

  override invoke(
    input: ConversationRepairInput,
    config?: Partial<RunnableConfig>,
  ): Promise<BaseMessage[]> {
    return this._callWithConfig(
      async (given: ConversationRepairInput) => this.#repair(given),
      input,
      config,
    );
  }

  /**
   * The same as a graph node: from the state to an update that mends its messages.
   *
   * The update is empty where nothing was to mend. Messages that were put in
   * go as plain dictionaries, which no message stream shows.
   *
   * @param messagesKey the key of the messages in the state
   * @throws CompactionError `INVALID_STATE` where the state holds no list there
   */
  asNode<Key extends string = "messages">(
    messagesKey: Key = "messages" as Key,
  ): (state: Readonly<Record<Key, BaseMessage[]>>) => RepairUpdate<Key> {
    return (state) => {
      const messages = state?.[messagesKey] as unknown;
      if (!Array.isArray(messages)) {
        throw new CompactionError(
          "INVALID_STATE",
          `ConversationRepair found no list of messages under "${messagesKey}" of the state, but ${show(messages)}.`,
        );
      }
      const mended = this.#repair(messages);
      const update =
        mended === messages
          ? {}
          : { [messagesKey]: rewriteUpdate(messages, mended) };
      return update as RepairUpdate<Key>;
    };
  }

  #repair(input: ConversationRepairInput): BaseMessage[] {
    const { messages, mends } = repairConversation(coerceMessages(input), {
      provider: this.#provider,
    });
    if (mends.length > 0) {
      this.#tell(mends);
    }
    return messages;
  }

  /** A listener that fails is no reason to stop the run. */
  #tell(mends: readonly ConversationMend[]): void {
    try {
      this.#onMend?.(mends);
    } catch {
      // Nobody else is there to be told.
    }
  }
}

/** An update of the state's messages, or nothing. */
export type RepairUpdate<Key extends string> = Partial<
  Record<Key, BaseMessage[]>
>;
