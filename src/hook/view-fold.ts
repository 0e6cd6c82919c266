import type { BaseMessage } from "@langchain/core/messages";
import type { SummaryMemory } from "../compactors/summarization/summary-memory.js";
import { type Goal, goalOf } from "../conditions/condition.js";
import { type ViewDecision, viewDecisionOf } from "../conversation/marker.js";
import { roleOf } from "../conversation/message.js";
import {
  bareOverhead,
  type Calibration,
  requestTokens,
} from "../tokens/calibration.js";
import type { MeasuredConversation } from "../tokens/measured-conversation.js";
import {
  compactMeasured,
  emptyDraft,
  type ReportDraft,
} from "./compact-measured.js";
import type { HookSettings } from "./settings.js";
import type { RewriteTrace } from "./rewrite-trace.js";
import { ViewGauge } from "./view-gauge.js";
import { ViewList } from "./view-list.js";
import { ViewPatience } from "./view-patience.js";
import type { RefusedRequest, RequestFacts, ViewRun } from "./view-request.js";

/** What a compaction went by. */
interface DueCompaction {
  readonly goal: Goal;
  readonly inputWindow: number;
  readonly calibration: Calibration;
  /** Tokens that have to come free; 0 for what was decided already. */
  readonly minReclaimTokens: number;
}

/** A compaction for the call that comes now. */
export interface Asked extends DueCompaction {
  /** `null` where nothing came of it. */
  readonly result: MeasuredConversation | null;
}

/**
 * What a model was shown so far, as a fold over the history.
 *
 * Before each AI message the fold asks what a rewriting hook would have done
 * with the list as shown; then it appends the message. The answer depends on
 * the shown list and the options alone, so a longer history never changes an
 * earlier decision. A decision that is written down on the AI message is taken
 * as it stands; before another agent's message nothing is asked.
 */
export class ViewFold {
  readonly #settings: HookSettings;
  readonly #facts: RequestFacts;
  readonly #list = new ViewList();
  readonly #gauge: ViewGauge;
  readonly #patience = new ViewPatience();
  /** What was asked of the list as it is shown now. */
  #asked: Asked | undefined;

  constructor(
    settings: HookSettings,
    facts: RequestFacts,
    earlierRewrite: RewriteTrace | undefined,
  ) {
    this.#settings = settings;
    this.#facts = facts;
    this.#gauge = new ViewGauge(this.#list, settings, facts, earlierRewrite);
  }

  /** The list as shown so far. */
  get list(): Omit<ViewList, "push" | "replace"> {
    return this.#list;
  }

  /** Tokens that a request may take. */
  get inputWindow(): number {
    return this.#gauge.inputWindow;
  }

  /** Tokens of the request besides its messages, by the bare count of those that are shown; `undefined` where no report tells. */
  overheadBeside(shownTokens: number = this.#list.tokens): number | undefined {
    return this.#gauge.isReported
      ? bareOverhead(this.#gauge.calibration, shownTokens)
      : undefined;
  }

  /** Goes over one more message of the history; a promise where a compaction was due. */
  append(
    message: BaseMessage,
    tokens: number,
    run: ViewRun,
  ): Promise<void> | undefined {
    const role = roleOf(message);
    const decision = role === "ai" ? viewDecisionOf(message) : undefined;
    const due = role === "ai" ? this.#dueBefore(message, decision) : undefined;
    const push = (): void => {
      this.#list.push(message, tokens);
      this.#gauge.appended(message, tokens, role, decision);
      this.#asked = undefined;
      if (role === "human") {
        this.#patience.end();
      }
    };
    if (due === undefined) {
      push();
      return undefined;
    }
    return this.#compactAgain(due, run).then((result) => {
      this.#accept(result, due.calibration);
      push();
    });
  }

  /** Asks for the call that comes now, which is no part of the history yet; `undefined` where compaction is not due. */
  ask(run: ViewRun, draft: ReportDraft): Promise<Asked> | undefined {
    const estimate = this.#gauge.requestTokens;
    draft.tokensBefore = estimate;
    draft.tokensAfter = estimate;
    const due = this.#due();
    return due && this.#askFor(due, run, draft);
  }

  async #askFor(
    due: DueCompaction,
    run: ViewRun,
    draft: ReportDraft,
  ): Promise<Asked> {
    if (this.#patience.isNeeded(this.#list)) {
      draft.reason = "nothing-removable";
      draft.overTarget = true;
      draft.warnings.push("over-target");
      return { ...due, result: null };
    }
    const result = await this.#compact(due, run, run.summaries, draft);
    this.#asked = { ...due, result };
    return this.#asked;
  }

  /**
   * Asks for the same call once more, after its model refused it as too long.
   *
   * Aims at half of what was sent at most: by how much a request is too long,
   * the counter does not know, or it would not have been sent.
   *
   * @returns `undefined` where no less can be sent
   */
  async askForLess(
    { messageTokens, inputWindow, statedLimit }: RefusedRequest,
    run: ViewRun,
    draft: ReportDraft,
  ): Promise<Asked | undefined> {
    const { reservedTokens = 0 } = this.#facts;
    const limit = (statedLimit ?? Infinity) - reservedTokens;
    const { counterFactor, overheadTokens } = this.#gauge.calibration;
    const { goal, ...due } = this.#towards(
      limit > 0 ? Math.min(inputWindow, limit) : inputWindow,
      // It was larger than estimated: that it is less than counted is disproved.
      { counterFactor, overheadTokens: Math.max(0, overheadTokens) },
    );
    const half = Math.floor(messageTokens / 2);
    const less = towardsTokens(Math.min(goal.tokens ?? half, half));
    const asked = { ...due, minReclaimTokens: 0, goal: less };
    const result = await this.#compact(asked, run, run.summaries, draft);
    draft.tokensBefore = requestTokens(due.calibration, messageTokens);
    if (result === null || result.total >= messageTokens) {
      draft.outcome = "unchanged";
      draft.reason = "nothing-removable";
      return undefined;
    }
    draft.reason = "context-overflow";
    this.#asked = { ...asked, result };
    return this.#asked;
  }

  /** The compaction that was due before this AI message, by its own decision where it bears one. */
  #dueBefore(
    message: BaseMessage,
    decision: ViewDecision | undefined,
  ): DueCompaction | undefined {
    if (this.#gauge.isDecidedElsewhere(message, decision)) {
      return undefined;
    }
    if (decision !== undefined) {
      return this.#decided(decision);
    }
    if (
      // What was written then cannot be known.
      this.#settings.compactor.isDeterministic === false ||
      this.#patience.isNeeded(this.#list)
    ) {
      return undefined;
    }
    try {
      return this.#due();
    } catch {
      // A predicate that failed then left the list as it was.
      return undefined;
    }
  }

  #due(): DueCompaction | undefined {
    const { isDue, inputWindow, calibration } = this.#gauge;
    return isDue ? this.#towards(inputWindow, calibration) : undefined;
  }

  #decided({
    contextWindow,
    compaction,
  }: ViewDecision): DueCompaction | undefined {
    if (compaction === undefined) {
      return undefined;
    }
    const { targetTokens: tokens, overheadTokens } = compaction;
    const { counterFactor = 1 } = compaction;
    const due = {
      ...this.#towards(contextWindow, { counterFactor, overheadTokens }),
      minReclaimTokens: 0,
    };
    return tokens === undefined ? due : { ...due, goal: towardsTokens(tokens) };
  }

  #towards(inputWindow: number, calibration: Calibration): DueCompaction {
    const { compactAt, compactTo, minReclaimTokens } = this.#settings;
    const goal = goalOf(compactTo, compactAt, inputWindow, calibration);
    return { goal, inputWindow, calibration, minReclaimTokens };
  }

  async #compactAgain(
    due: DueCompaction,
    run: ViewRun,
  ): Promise<MeasuredConversation | null> {
    if (this.#asked !== undefined && isSameGoal(this.#asked.goal, due.goal)) {
      return this.#asked.result;
    }
    try {
      const { ofThePast } = run.summaries;
      return await this.#compact(due, run, ofThePast, emptyDraft());
    } catch (error) {
      // A pass that failed then left the list as it was.
      if (run.config.signal?.aborted) {
        throw error;
      }
      return null;
    }
  }

  async #compact(
    { goal, inputWindow, calibration, minReclaimTokens }: DueCompaction,
    { config }: ViewRun,
    summaries: SummaryMemory,
    draft: ReportDraft,
  ): Promise<MeasuredConversation | null> {
    const { compactor, tokenCounter } = this.#settings;
    return compactMeasured(
      this.#list.measured(tokenCounter, calibration),
      goal,
      compactor,
      {
        contextWindow: inputWindow,
        config,
        provider: this.#facts.provider,
        summaries,
        minReclaimTokens,
        draft,
      },
    );
  }

  #accept(result: MeasuredConversation | null, by: Calibration): void {
    if (result === null) {
      this.#patience.begin(this.#list);
      return;
    }
    this.#list.replace(result);
    this.#gauge.compacted(by);
    this.#patience.end();
  }
}

function towardsTokens(tokens: number): Goal {
  return { tokens, holds: (metrics) => metrics.tokens <= tokens };
}

/** Goals in code are the options' own, which stay. */
function isSameGoal(one: Goal, other: Goal): boolean {
  return one.tokens === other.tokens;
}
