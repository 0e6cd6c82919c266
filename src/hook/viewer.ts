import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { countedMessage } from "../tokens/ask-counter.js";
import { untilAborted } from "../until-aborted.js";
import type { ReportDraft } from "./compact-measured.js";
import { KnownList, threadOf } from "./known-list.js";
import { whenReady } from "../when-ready.js";
import type { HookSettings } from "./settings.js";
import { newestRewrite } from "./rewrite-trace.js";
import { type FoldedHistory, type View, viewOf } from "./view.js";
import { ViewFold } from "./view-fold.js";
import type { RequestFacts, ViewRun } from "./view-request.js";
import { ViewSummaries } from "./view-summaries.js";

interface CachedFold extends FoldedHistory {
  /** Whether a call is advancing it, so that another one may not. */
  isTaken: boolean;
}

/** What a view is asked for. */
interface AskedView {
  readonly history: readonly BaseMessage[];
  readonly known: KnownPart;
  readonly config: Partial<RunnableConfig>;
  readonly draft: ReportDraft;
}

/** How much of a list is known, so that it is compared once a call. */
interface KnownPart {
  readonly list: readonly unknown[];
  readonly done: KnownList | undefined;
  /** Messages at its beginning. */
  readonly length: number;
}

/**
 * Derives views, and goes on from where it was for as long as a history only grows.
 *
 * What it remembers saves time and decides nothing: it lives as long as the
 * history's second message, by which a thread is known, and a history that was
 * edited, forked or measured against another window is gone over anew.
 */
export class Viewer {
  readonly #settings: HookSettings;
  readonly #folds = new WeakMap<BaseMessage, CachedFold>();
  /** Summaries that were written for a thread, kept by it or not. */
  readonly #written = new WeakMap<BaseMessage, Map<string, string>>();

  constructor(settings: HookSettings) {
    this.#settings = settings;
  }

  /**
   * The view of a history for the call that comes now; never empty where the history is not.
   *
   * @throws what the counter or, for this call, the compactor throws; `unchanged` then says what to show
   */
  view(
    { history, known, config, draft }: AskedView,
    facts: RequestFacts,
  ): View | Promise<View> {
    const run = this.#runFor(history, facts, config);
    const cached = this.#takeFold(history, facts, known);
    return this.#using(cached, history, () =>
      whenReady(this.#advance(cached, history, run), () =>
        whenReady(cached.fold.ask(run, draft), (asked) =>
          viewOf(cached, history, asked, run.summaries.toKeep),
        ),
      ),
    );
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
    return this.#using(cached, history, async () => {
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
    });
  }

  /** What was shown last, with what came since: the view where a pass failed. */
  unchanged(history: readonly BaseMessage[]): View | undefined {
    const cached = this.#idle(history);
    return cached?.done.isStartOf(history)
      ? viewOf(cached, history)
      : undefined;
  }

  /** How many messages at the beginning of a list it went over already. */
  knownOf(list: readonly unknown[]): KnownPart {
    const done = this.#idle(list)?.done;
    const length = done?.isStartOf(list) === true ? done.messages.length : 0;
    return { list, done, length };
  }

  /** The fold that this history goes on from, or a new one; it is nobody else's until it is put back. */
  #takeFold(
    history: readonly BaseMessage[],
    facts: RequestFacts,
    known?: KnownPart,
  ): CachedFold {
    const cached = this.#idle(history);
    if (
      cached !== undefined &&
      cached.facts.inputWindow === facts.inputWindow &&
      cached.facts.overheadTokens === facts.overheadTokens &&
      cached.facts.reservedTokens === facts.reservedTokens &&
      cached.facts.agent === facts.agent &&
      cached.facts.provider === facts.provider &&
      isStart(cached.done, history, known) &&
      newestRewrite(history.slice(cached.done.messages.length)) === undefined
    ) {
      cached.isTaken = true;
      return cached;
    }
    return {
      fold: new ViewFold(this.#settings, facts, newestRewrite(history)),
      facts,
      done: new KnownList(),
      isTaken: true,
    };
  }

  #idle(history: readonly unknown[]): CachedFold | undefined {
    const cached = this.#folds.get(threadOf(history));
    return cached?.isTaken === true ? undefined : cached;
  }

  /** Puts a fold back when the work with it has ended, whichever way. */
  #using<Result>(
    cached: CachedFold,
    history: readonly BaseMessage[],
    work: () => Result | Promise<Result>,
  ): Result | Promise<Result> {
    const putBack = (): void => {
      cached.isTaken = false;
      const thread = threadOf(history);
      if (this.#folds.get(thread) !== cached) {
        this.#folds.set(thread, cached);
      }
    };
    let isAtWork = false;
    try {
      const working = work();
      isAtWork = working instanceof Promise;
      return working instanceof Promise ? working.finally(putBack) : working;
    } finally {
      if (!isAtWork) {
        putBack();
      }
    }
  }

  #runFor(
    history: readonly BaseMessage[],
    { summaries }: RequestFacts,
    config: Partial<RunnableConfig>,
  ): ViewRun {
    const writtenFor = (): Map<string, string> => {
      const thread = threadOf(history);
      const written = this.#written.get(thread) ?? new Map<string, string>();
      this.#written.set(thread, written);
      return written;
    };
    return { config, summaries: new ViewSummaries(summaries, writtenFor) };
  }

  /** Goes over what of a history is new; done when it returns, unless something takes its time. */
  #advance(
    cached: CachedFold,
    history: readonly BaseMessage[],
    run: ViewRun,
  ): Promise<void> | undefined {
    const appending = this.#appendNew(cached, history, run);
    return appending && this.#advanceLater(appending, cached, history, run);
  }

  async #advanceLater(
    first: Promise<void>,
    cached: CachedFold,
    history: readonly BaseMessage[],
    run: ViewRun,
  ): Promise<void> {
    let appending: Promise<void> | undefined = first;
    while (appending !== undefined) {
      await appending;
      appending = this.#appendNew(cached, history, run);
    }
  }

  /** Up to the first message that takes its time, or all. */
  #appendNew(
    { fold, done }: CachedFold,
    history: readonly BaseMessage[],
    run: ViewRun,
  ): Promise<void> | undefined {
    const { tokenCounter } = this.#settings;
    for (let index = done.messages.length; index < history.length; index += 1) {
      const message = history[index]!;
      const counting = countedMessage(message, tokenCounter, index);
      const appending = whenReady(
        counting instanceof Promise
          ? untilAborted(counting, run.config.signal)
          : counting,
        (counted) =>
          whenReady(fold.append(message, counted.tokens, run), () =>
            done.append(message, counted),
          ),
      );
      if (appending instanceof Promise) {
        return appending;
      }
    }
    return undefined;
  }
}

function isStart(
  done: KnownList,
  history: readonly BaseMessage[],
  known: KnownPart | undefined,
): boolean {
  return known?.list === history &&
    known.done === done &&
    known.length === done.messages.length
    ? true
    : done.isStartOf(history);
}
