import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type {
  DecidedCompaction,
  ViewDecision,
} from "../conversation/marker.js";
import { countedMessage } from "../tokens/ask-counter.js";
import type { Calibration } from "../tokens/calibration.js";
import { untilAborted } from "../tokens/measured-conversation.js";
import type { ReportDraft } from "./compact-measured.js";
import { KnownList } from "./known-list.js";
import type { PassResult } from "./run-pass.js";
import type { HookSettings } from "./settings.js";
import { newestRewrite } from "./rewrite-trace.js";
import { type Asked, ViewFold } from "./view-fold.js";
import type { RequestFacts, ViewRun } from "./view-request.js";
import { ViewSummaries } from "./view-summaries.js";

/** What the model is to see of a history. */
export interface View {
  readonly messages: readonly BaseMessage[];
  /** What to write down on the answer, where the door can. */
  readonly decision: ViewDecision;
  /** Tokens of the request besides its messages, by the bare count of these. */
  readonly overheadTokens: number;
  /** What it is a view of. */
  readonly history: readonly BaseMessage[];
  readonly facts: RequestFacts;
  /** Summaries that the thread is to keep from now on; absent where it does already. */
  readonly summaries: Readonly<Record<string, string>> | undefined;
}

/** A view with what its door may want to know. */
export interface ViewResult extends PassResult {
  /** Absent where nothing could be read. */
  readonly view: View | undefined;
}

interface CachedFold {
  readonly fold: ViewFold;
  readonly facts: RequestFacts;
  /** The history as far as the fold went over it. */
  readonly done: KnownList;
}

interface Found {
  readonly done: KnownList;
  readonly length: number;
}

/**
 * Derives views, and goes on from where it was for as long as a history only grows.
 *
 * What it remembers saves time and decides nothing: it lives as long as the
 * first message of the history does, and a history that was edited, forked or
 * measured against another window is gone over anew.
 */
export class Viewer {
  readonly #settings: HookSettings;
  readonly #folds = new WeakMap<BaseMessage, CachedFold>();
  /** Summaries that were written for a thread, kept by it or not. */
  readonly #written = new WeakMap<BaseMessage, Map<string, string>>();
  /** How far a list was found to be known in the call under way, so that it is compared once. */
  readonly #found = new WeakMap<readonly unknown[], Found>();

  constructor(settings: HookSettings) {
    this.#settings = settings;
  }

  /**
   * The view of a history for the call that comes now; never empty where the history is not.
   *
   * @throws what the counter or, for this call, the compactor throws; `unchanged` then says what to show
   */
  async view(
    history: readonly BaseMessage[],
    facts: RequestFacts,
    config: Partial<RunnableConfig>,
    draft: ReportDraft,
  ): Promise<View> {
    const run = this.#runFor(history, facts, config);
    const cached = this.#takeFold(history, facts);
    try {
      await this.#advance(cached, history, run);
      const asked = await cached.fold.ask(run, draft);
      return viewOf(cached, history, asked, run.summaries.toKeep);
    } finally {
      this.#folds.set(history[0]!, cached);
    }
  }

  /**
   * A smaller view for the same call, after its model refused one as too long.
   *
   * @param statedLimit tokens that the model takes, where its error states them
   * @returns `undefined` where no less can be shown
   * @throws what the counter or the compactor throws
   */
  async smaller(
    { history, facts, decision }: View,
    statedLimit: number | undefined,
    config: Partial<RunnableConfig>,
    draft: ReportDraft,
  ): Promise<View | undefined> {
    const run = this.#runFor(history, facts, config);
    const cached = this.#takeFold(history, facts);
    const { fold } = cached;
    try {
      await this.#advance(cached, history, run);
      const refused = {
        messageTokens: decision.messageTokens ?? fold.list.tokens,
        inputWindow: decision.contextWindow,
        statedLimit,
      };
      const asked = await fold.askForLess(refused, run, draft);
      return asked === undefined
        ? undefined
        : viewOf(cached, history, asked, run.summaries.toKeep);
    } finally {
      this.#folds.set(history[0]!, cached);
    }
  }

  /** What was shown last, with what came since: the view where a pass failed. */
  unchanged(history: readonly BaseMessage[]): View | undefined {
    const cached = this.#folds.get(history[0]!);
    return cached?.done.isStartOf(history)
      ? viewOf(cached, history, undefined)
      : undefined;
  }

  /** How many messages at the beginning of a list it went over already. */
  knownOf(given: readonly unknown[]): number {
    this.#found.delete(given);
    const done = this.#folds.get(given[0] as BaseMessage)?.done;
    if (done?.isStartOf(given) !== true) {
      return 0;
    }
    const { length } = done.messages;
    this.#found.set(given, { done, length });
    return length;
  }

  /** The fold that this history goes on from, or a new one; it is out of the cache until it has advanced. */
  #takeFold(history: readonly BaseMessage[], facts: RequestFacts): CachedFold {
    const cached = this.#folds.get(history[0]!);
    if (
      cached !== undefined &&
      cached.facts.inputWindow === facts.inputWindow &&
      cached.facts.overheadTokens === facts.overheadTokens &&
      cached.facts.reservedTokens === facts.reservedTokens &&
      cached.facts.agent === facts.agent &&
      cached.facts.provider === facts.provider &&
      this.#isStart(cached.done, history) &&
      newestRewrite(history.slice(cached.done.messages.length)) === undefined
    ) {
      this.#folds.delete(history[0]!);
      return cached;
    }
    return {
      fold: new ViewFold(this.#settings, facts, newestRewrite(history)),
      facts,
      done: new KnownList(),
    };
  }

  #isStart(done: KnownList, history: readonly BaseMessage[]): boolean {
    const found = this.#found.get(history);
    this.#found.delete(history);
    return (
      (found?.done === done && found.length === done.messages.length) ||
      done.isStartOf(history)
    );
  }

  #runFor(
    [first]: readonly BaseMessage[],
    { summaries }: RequestFacts,
    config: Partial<RunnableConfig>,
  ): ViewRun {
    const written = this.#written.get(first!) ?? new Map<string, string>();
    this.#written.set(first!, written);
    return { config, summaries: new ViewSummaries(summaries, written) };
  }

  async #advance(
    { fold, done }: CachedFold,
    history: readonly BaseMessage[],
    run: ViewRun,
  ): Promise<void> {
    const { tokenCounter } = this.#settings;
    for (let index = done.messages.length; index < history.length; index += 1) {
      const message = history[index]!;
      const asked = countedMessage(message, tokenCounter, index);
      const counted =
        asked instanceof Promise
          ? await untilAborted(asked, run.config.signal)
          : asked;
      const compacting = fold.append(message, counted.tokens, run);
      if (compacting !== undefined) {
        await compacting;
      }
      done.append(message, counted);
    }
  }
}

/** @param history as far as the fold went over it, or further */
function viewOf(
  { fold, facts, done: { messages: done } }: CachedFold,
  history: readonly BaseMessage[],
  asked: Asked | undefined,
  summaries?: Readonly<Record<string, string>>,
): View {
  const result = asked?.result ?? undefined;
  const { removedMessages, firstKeptId } =
    result === undefined ? fold.list.hidden : fold.list.hiddenBy(result);
  const targetTokens = asked?.goal.tokens;
  const contextWindow = asked?.inputWindow ?? fold.inputWindow;
  return {
    messages:
      result?.messages ?? fold.list.messages.concat(history.slice(done.length)),
    overheadTokens: fold.overheadBeside(result?.total),
    history,
    facts,
    summaries,
    decision: {
      ...(facts.agent === undefined ? {} : { agent: facts.agent }),
      contextWindow,
      ...(contextWindow === facts.inputWindow
        ? {}
        : { configuredWindow: facts.inputWindow }),
      ...(done.length < history.length
        ? {}
        : { messageTokens: result?.total ?? fold.list.tokens }),
      removedMessages,
      ...(firstKeptId === undefined ? {} : { firstKeptId }),
      ...(result === undefined
        ? {}
        : {
            compaction: {
              ...(targetTokens === undefined ? {} : { targetTokens }),
              ...decidedBy(asked!.calibration),
            },
          }),
    },
  };
}

function decidedBy({
  counterFactor,
  overheadTokens,
}: Calibration): Omit<DecidedCompaction, "targetTokens"> {
  return counterFactor === 1
    ? { overheadTokens }
    : { overheadTokens, counterFactor };
}
