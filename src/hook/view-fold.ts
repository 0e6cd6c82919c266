import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { originalsIn } from "../compactors/note.js";
import { type Goal, goalOf, triggerHolds } from "../conditions/condition.js";
import {
  isNote,
  markerOf,
  originalsBehind,
  type ViewDecision,
  viewDecisionOf,
} from "../conversation/marker.js";
import { roleOf } from "../conversation/message.js";
import { MeasuredConversation } from "../tokens/measured-conversation.js";
import {
  compactMeasured,
  emptyDraft,
  type ReportDraft,
} from "./compact-measured.js";
import type { HookSettings } from "./settings.js";
import { tokenThreshold } from "./size-up.js";
import { reportedTokens, type RewriteTrace } from "./usage.js";

/** What is known of the request besides its messages; tokens. */
export interface RequestFacts {
  /** The window less what is left to the answer. */
  readonly inputWindow: number;
  /** Tools, system prompt and the like, for as long as no report says more. */
  readonly overheadTokens: number;
}

/** A compaction for the call that comes now. */
export interface Asked {
  readonly messages: readonly BaseMessage[];
  readonly goal: Goal;
  readonly hidden: Hidden;
}

/** What a view leaves out. */
export type Hidden = Pick<ViewDecision, "removedMessages"> & {
  /** Id of the first message that it shows behind the instructions. */
  readonly firstKeptId: string | undefined;
};

/**
 * What a model was shown so far, as a fold over the history.
 *
 * Before each AI message the fold asks what a rewriting hook would have done
 * with the list as shown; then it appends the message. The answer depends on
 * the shown list and the options alone, so a longer history never changes an
 * earlier decision. A decision that is written down on the AI message is taken
 * as it stands.
 */
export class ViewFold {
  readonly #settings: HookSettings;
  readonly #facts: RequestFacts;
  readonly #threshold: number | undefined;
  readonly #staleUpTo: number;
  #shown: BaseMessage[] = [];
  #counts: number[] = [];
  #shownTokens = 0;
  #historyTokens = 0;
  #length = 0;
  #originals = 0;
  /** Of the shown list as the newest compaction left it. */
  #hidden: Hidden = { removedMessages: 0, firstKeptId: undefined };
  /** Tokens beside the messages: as reported, or as found when compaction fired last. */
  #overhead: number;
  /** What the newest three reports say of it. */
  #reported: number[] = [];

  constructor(
    settings: HookSettings,
    facts: RequestFacts,
    earlierRewrite: RewriteTrace | undefined,
  ) {
    this.#settings = settings;
    this.#facts = facts;
    this.#threshold = tokenThreshold(settings.compactAt, facts.inputWindow);
    this.#staleUpTo = earlierRewrite?.staleUpTo ?? -1;
    this.#overhead = earlierRewrite?.overheadTokens ?? facts.overheadTokens;
  }

  /** The list as shown so far. */
  get shown(): readonly BaseMessage[] {
    return this.#shown;
  }

  /** Tokens beside the messages, as far as is known. */
  get overheadTokens(): number {
    return this.#overhead;
  }

  /** Tokens of the request with what is shown. */
  get estimate(): number {
    return this.#shownTokens + this.#overhead;
  }

  /** What of the history the shown list leaves out. */
  get hidden(): Hidden {
    return this.#hidden;
  }

  /** Goes over one more message of the history; a promise where a compaction was due. */
  append(
    message: BaseMessage,
    tokens: number,
    config: Partial<RunnableConfig>,
  ): Promise<void> | undefined {
    const asked =
      roleOf(message) === "ai" ? this.#askBefore(message, config) : undefined;
    if (asked === undefined) {
      this.#push(message, tokens);
      return undefined;
    }
    return asked.then((result) => {
      this.#accept(result);
      this.#push(message, tokens);
    });
  }

  /**
   * Asks for the call that comes now, which is no part of the history yet.
   *
   * @returns `null` where compaction is not due or nothing came of it
   */
  async ask(
    config: Partial<RunnableConfig>,
    draft: ReportDraft,
  ): Promise<Asked | null> {
    draft.tokensBefore = this.estimate;
    draft.tokensAfter = this.estimate;
    const goal = this.#dueGoal();
    if (goal === undefined) {
      return null;
    }
    const result = await this.#compact(goal, config, draft);
    return result === null
      ? null
      : { messages: result.messages, goal, hidden: this.#hiddenBy(result) };
  }

  /** What came of asking before this AI message, or `undefined` where compaction was not due. */
  #askBefore(
    message: BaseMessage,
    config: Partial<RunnableConfig>,
  ): Promise<MeasuredConversation | null> | undefined {
    if (this.#length <= this.#staleUpTo) {
      return undefined;
    }
    const decision = viewDecisionOf(message);
    const goal =
      decision === undefined
        ? this.#dueGoal()
        : decidedGoal(decision.targetTokens);
    if (goal === undefined || this.#shown.length === 0) {
      return undefined;
    }
    return this.#compact(goal, config, emptyDraft()).catch((error: unknown) => {
      // A pass that failed then left the list as it was.
      if (config.signal?.aborted) {
        throw error;
      }
      return null;
    });
  }

  #dueGoal(): Goal | undefined {
    const { compactAt, compactTo } = this.#settings;
    const { inputWindow } = this.#facts;
    const isDue =
      this.#threshold === undefined
        ? triggerHolds(compactAt, this.#measured().metrics(), inputWindow)
        : this.estimate >= this.#threshold;
    return isDue
      ? goalOf(compactTo, compactAt, inputWindow, this.#overhead)
      : undefined;
  }

  async #compact(
    goal: Goal,
    config: Partial<RunnableConfig>,
    draft: ReportDraft,
  ): Promise<MeasuredConversation | null> {
    return compactMeasured(this.#measured(), goal, this.#settings.compactor, {
      contextWindow: this.#facts.inputWindow,
      config,
      draft,
    });
  }

  #measured(): MeasuredConversation {
    return new MeasuredConversation(
      [...this.#shown],
      [...this.#counts],
      this.#settings.tokenCounter,
      this.#overhead,
    );
  }

  #accept(result: MeasuredConversation | null): void {
    if (result !== null) {
      this.#hidden = this.#hiddenBy(result);
      this.#shown = [...result.messages];
      this.#counts = Array.from(result.counts);
      this.#shownTokens = result.total;
    }
  }

  #hiddenBy({ messages, conversation }: MeasuredConversation): Hidden {
    const { instructionsEnd, markers } = conversation;
    const firstKept = messages.findIndex(
      (_, index) => index >= instructionsEnd && !markers.has(index),
    );
    return {
      removedMessages: Math.max(0, this.#originals - originalsIn(conversation)),
      firstKeptId: messages[firstKept]?.id,
    };
  }

  #push(message: BaseMessage, tokens: number): void {
    this.#shown.push(message);
    this.#counts.push(tokens);
    this.#shownTokens += tokens;
    this.#historyTokens += tokens;
    const reported = reportedTokens(message);
    if (reported !== undefined && this.#length > this.#staleUpTo) {
      this.#takeReport(reported);
    }
    const marker = markerOf(message);
    this.#originals += isNote(marker) ? 0 : originalsBehind(marker);
    this.#length += 1;
  }

  /**
   * Goes by a report where it fits what was shown at least as well as the whole
   * history; before any report said what stands beside the messages, also where
   * that would be no more than 1/4 of the window. The newest is outvoted where
   * it is more than 1/8 of the window off the median of the newest three.
   */
  #takeReport(tokens: number): void {
    const { inputWindow } = this.#facts;
    const offShown = Math.abs(tokens - this.#shownTokens - this.#overhead);
    const offHistory = Math.abs(tokens - this.#historyTokens - this.#overhead);
    const isPlausible =
      this.#reported.length === 0 && offShown <= inputWindow / 4;
    if (offShown > offHistory && !isPlausible) {
      return;
    }
    const overhead = tokens - this.#shownTokens;
    this.#reported = [...this.#reported.slice(-2), overhead];
    const middle = median(this.#reported);
    this.#overhead =
      Math.abs(overhead - middle) > inputWindow / 8 ? middle : overhead;
  }
}

function decidedGoal(targetTokens: number | undefined): Goal | undefined {
  return targetTokens === undefined
    ? undefined
    : {
        tokens: targetTokens,
        holds: (metrics) => metrics.tokens <= targetTokens,
      };
}

/** Of fewer than three the newest. */
function median(values: readonly number[]): number {
  return values.length < 3
    ? values.at(-1)!
    : values.toSorted((a, b) => a - b)[1]!;
}
