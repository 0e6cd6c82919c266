import type { BaseMessage } from "@langchain/core/messages";
import { type HealthView, readHealthView } from "./health-view.js";
import type { ConversationProblem } from "./problem.js";
import type { RuleSet } from "./provider.js";
import type { ProblemCode } from "./rules/rules.js";

/** One change that a repair made. */
export interface ConversationMend {
  /** The problem that it mends. */
  readonly code: ProblemCode;
  /** Index of the message in the list that was handed in. */
  readonly index: number;
  readonly messageId?: string;
  readonly callId?: string;
  /** What was done. */
  readonly what: string;
}

/** Mends all problems of one code on a draft. */
export type Mender = (
  draft: Draft,
  problems: readonly ConversationProblem[],
) => void;

interface Edit {
  before?: BaseMessage[];
  /** The message that stands here now; `null` for none. */
  now?: BaseMessage | null;
  after?: BaseMessage[];
}

/**
 * A list of messages with the changes of one round, made at once when all are known.
 *
 * Indexes mean the list as it stood when the round began.
 */
export class Draft {
  readonly messages: readonly BaseMessage[];
  readonly ruleSet: RuleSet;
  readonly mends: ConversationMend[];
  /** For each message its index in the list that was handed in. */
  readonly #origins: readonly number[];
  readonly #reported = new Set<number>();
  readonly #edits = new Map<number, Edit>();
  #view: HealthView | undefined;

  private constructor(
    messages: readonly BaseMessage[],
    ruleSet: RuleSet,
    mends: ConversationMend[],
    origins: readonly number[],
  ) {
    this.messages = messages;
    this.ruleSet = ruleSet;
    this.mends = mends;
    this.#origins = origins;
  }

  static of(messages: readonly BaseMessage[], ruleSet: RuleSet): Draft {
    return new Draft(
      messages,
      ruleSet,
      [],
      messages.map((_, index) => index),
    );
  }

  get view(): HealthView {
    return (this.#view ??= readHealthView(this.messages));
  }

  /** The message as the round has it so far. */
  at(index: number): BaseMessage {
    return this.#edits.get(index)?.now ?? this.messages[index]!;
  }

  isRemoved(index: number): boolean {
    return this.#edits.get(index)?.now === null;
  }

  replace(index: number, message: BaseMessage): void {
    this.#edit(index).now = message;
  }

  remove(index: number): void {
    this.#edit(index).now = null;
  }

  insertBefore(index: number, message: BaseMessage): void {
    const edit = this.#edit(index);
    (edit.before ??= []).push(message);
  }

  insertAfter(index: number, message: BaseMessage): void {
    const edit = this.#edit(index);
    (edit.after ??= []).push(message);
  }

  /** Puts a change on record, for the message with the problem. */
  report(problem: ConversationProblem, what: string): void {
    this.#reported.add(problem.index);
    this.#record(problem.code, problem.index, what, problem.callId);
  }

  /** The list with the changes of this round. */
  next(): Draft {
    this.#recordOthers();
    const messages: BaseMessage[] = [];
    const origins: number[] = [];
    const put = (message: BaseMessage, index: number): void => {
      messages.push(message);
      origins.push(this.#origins[index]!);
    };
    for (const [index, message] of this.messages.entries()) {
      const edit = this.#edits.get(index);
      edit?.before?.forEach((added) => put(added, index));
      if (edit?.now !== null) {
        put(edit?.now ?? message, index);
      }
      edit?.after?.forEach((added) => put(added, index));
    }
    return new Draft(messages, this.ruleSet, this.mends, origins);
  }

  /** Messages that changed along with those that had the problem, such as the result of a call. */
  #recordOthers(): void {
    const last = this.mends.at(-1);
    for (const [index, { now }] of this.#edits) {
      if (
        last !== undefined &&
        now !== undefined &&
        !this.#reported.has(index)
      ) {
        this.#record(last.code, index, last.what);
      }
    }
  }

  #record(
    code: ProblemCode,
    index: number,
    what: string,
    callId?: string,
  ): void {
    const { id } = this.messages[index]!;
    this.mends.push({
      code,
      index: this.#origins[index]!,
      ...(id === undefined ? {} : { messageId: id }),
      ...(callId === undefined ? {} : { callId }),
      what,
    });
  }

  #edit(index: number): Edit {
    let edit = this.#edits.get(index);
    if (edit === undefined) {
      edit = {};
      this.#edits.set(index, edit);
    }
    return edit;
  }
}
