import type { BaseMessage } from "@langchain/core/messages";
import type { ViewDecision } from "../conversation/marker.js";
import type { MessageRole } from "../conversation/message.js";
import { type Calibration, requestTokens } from "../tokens/calibration.js";
import type { RewriteTrace } from "./rewrite-trace.js";
import type { HookSettings } from "./settings.js";
import { usageOf } from "./usage.js";
import { ViewCalibration } from "./view-calibration.js";
import type { ViewList } from "./view-list.js";
import type { RequestFacts } from "./view-request.js";
import { ViewTrigger } from "./view-trigger.js";

/** How large the request is that would show a list as it is, and how large it may get, by what the replies tell. */
export class ViewGauge {
  readonly #settings: HookSettings;
  readonly #facts: RequestFacts;
  readonly #list: ViewList;
  /** Tokens: that of the facts, or less where a provider's error said so. */
  #inputWindow: number;
  #trigger: ViewTrigger;
  readonly #calibration: ViewCalibration;
  /** Up to here an earlier rewrite has decided. */
  readonly #staleUpTo: number;

  constructor(
    list: ViewList,
    settings: HookSettings,
    facts: RequestFacts,
    earlierRewrite: RewriteTrace | undefined,
  ) {
    this.#list = list;
    this.#settings = settings;
    this.#facts = facts;
    this.#inputWindow = facts.inputWindow;
    this.#trigger = new ViewTrigger(settings.compactAt, facts.inputWindow);
    this.#staleUpTo = earlierRewrite?.staleUpTo ?? -1;
    this.#calibration = new ViewCalibration(
      facts.inputWindow,
      facts.overheadTokens,
      earlierRewrite?.overheadTokens,
    );
  }

  /** Tokens that a request may take. */
  get inputWindow(): number {
    return this.#inputWindow;
  }

  get calibration(): Calibration {
    return this.#calibration.found;
  }

  /** Whether the calibration is by reports, and so by more than what is known of the current request. */
  get isReported(): boolean {
    return this.#calibration.isReported;
  }

  /** Tokens of the request. */
  get requestTokens(): number {
    return requestTokens(this.calibration, this.#list.tokens);
  }

  /** Whether the trigger holds. */
  get isDue(): boolean {
    const { tokenCounter } = this.#settings;
    return this.#trigger.isDue({
      tokens: this.requestTokens,
      messages: this.#list.messages.length,
      read: () => this.#list.measured(tokenCounter, this.calibration).metrics(),
    });
  }

  /** Whether somebody else decided what was shown for this AI message: an earlier rewrite, or another agent. */
  isDecidedElsewhere(
    message: BaseMessage,
    decision: ViewDecision | undefined,
  ): boolean {
    return (
      this.#list.historyLength <= Math.max(0, this.#staleUpTo) ||
      this.#isForeign(message, decision)
    );
  }

  /** Takes a message into account that was appended to the list. */
  appended(
    message: BaseMessage,
    tokens: number,
    role: MessageRole,
    decision: ViewDecision | undefined,
  ): void {
    this.#trigger.push(message);
    if (role === "ai" && !this.#isForeign(message, decision)) {
      this.#takeReport(message, tokens, decision);
      this.#takeLimit(decision);
    }
  }

  /** Takes into account that a compaction shortened the list, by what it went by. */
  compacted(calibration: Calibration): void {
    this.#calibration.compacted(calibration, this.#list.tokens);
    this.#trigger.reset();
  }

  #isForeign(
    message: BaseMessage,
    decision: ViewDecision | undefined,
  ): boolean {
    const { agent } = this.#facts;
    return decision === undefined
      ? agent !== undefined && (message.name ?? agent) !== agent
      : decision.agent !== agent;
  }

  #takeReport(
    message: BaseMessage,
    tokens: number,
    decision: ViewDecision | undefined,
  ): void {
    const usage = usageOf(message);
    const list = this.#list;
    if (usage === undefined || list.historyLength - 1 <= this.#staleUpTo) {
      return;
    }
    const { tokens: reported, inputTokens, model } = usage;
    const request = {
      inputTokens,
      model,
      sentTokens: list.tokens - tokens,
      marks: list.marks,
    };
    if (decision === undefined) {
      const size = { tokens: reported, counted: list.tokens };
      this.#calibration.take(request, size, list.historyTokens);
    } else if (decision.messageTokens !== undefined) {
      const counted = decision.messageTokens + tokens;
      this.#calibration.takeOwn(request, { tokens: reported, counted });
    }
  }

  /** Goes by a limit that an error stated for a call of the same window. */
  #takeLimit(decision: ViewDecision | undefined): void {
    if (
      decision?.configuredWindow === this.#facts.inputWindow &&
      decision.contextWindow < this.#inputWindow
    ) {
      this.#inputWindow = decision.contextWindow;
      this.#trigger = new ViewTrigger(
        this.#settings.compactAt,
        decision.contextWindow,
      );
      this.#trigger.reset();
    }
  }
}
