import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { ViewDecision } from "../conversation/marker.js";
import { measure } from "../tokens/measured-conversation.js";
import type { ReportDraft } from "./compact-measured.js";
import type { HookSettings } from "./settings.js";
import { newestRewrite } from "./usage.js";
import { type RequestFacts, ViewFold } from "./view-fold.js";

/** What the model is to see of a history. */
export interface View {
  readonly messages: readonly BaseMessage[];
  /** What to write down on the answer, where the door can. */
  readonly decision: ViewDecision;
  /** Tokens beside the messages, by which this was decided. */
  readonly overheadTokens: number;
}

interface CachedFold {
  readonly fold: ViewFold;
  readonly facts: RequestFacts;
  /** The history as far as the fold went over it. */
  readonly history: BaseMessage[];
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

  constructor(settings: HookSettings) {
    this.#settings = settings;
  }

  /** The view of a history for the call that comes now; never empty where the history is not. */
  async view(
    history: readonly BaseMessage[],
    facts: RequestFacts,
    config: Partial<RunnableConfig>,
    draft: ReportDraft,
  ): Promise<View> {
    const cached = this.#takeFold(history, facts);
    const { fold } = cached;
    const fresh = history.slice(cached.history.length);
    const { counts } = await measure(
      fresh,
      this.#settings.tokenCounter,
      config.signal,
    );
    for (let index = 0; index < fresh.length; index += 1) {
      const message = fresh[index]!;
      const compacting = fold.append(message, counts[index]!, config);
      if (compacting !== undefined) {
        await compacting;
      }
      cached.history.push(message);
    }
    const asked = await fold.ask(config, draft);
    this.#folds.set(history[0]!, cached);

    const { removedMessages, firstKeptId } = asked?.hidden ?? fold.hidden;
    return {
      messages: asked?.messages ?? [...fold.shown],
      overheadTokens: fold.overheadTokens,
      decision: {
        contextWindow: facts.inputWindow,
        removedMessages,
        ...(firstKeptId === undefined ? {} : { firstKeptId }),
        ...(asked?.goal.tokens === undefined
          ? {}
          : { targetTokens: asked.goal.tokens }),
      },
    };
  }

  /** The fold that this history goes on from, or a new one; it is out of the cache until it has advanced. */
  #takeFold(history: readonly BaseMessage[], facts: RequestFacts): CachedFold {
    const cached = this.#folds.get(history[0]!);
    if (
      cached !== undefined &&
      cached.facts.inputWindow === facts.inputWindow &&
      cached.facts.overheadTokens === facts.overheadTokens &&
      isPrefix(cached.history, history) &&
      newestRewrite(history.slice(cached.history.length)) === undefined
    ) {
      this.#folds.delete(history[0]!);
      return cached;
    }
    return {
      fold: new ViewFold(this.#settings, facts, newestRewrite(history)),
      facts,
      history: [],
    };
  }
}

function isPrefix(
  prefix: readonly BaseMessage[],
  history: readonly BaseMessage[],
): boolean {
  if (prefix.length > history.length) {
    return false;
  }
  for (let index = 0; index < prefix.length; index += 1) {
    if (prefix[index] !== history[index]) {
      return false;
    }
  }
  return true;
}
