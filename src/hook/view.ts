import type { BaseMessage } from "@langchain/core/messages";
import type {
  DecidedCompaction,
  ViewDecision,
} from "../conversation/marker.js";
import type { Calibration } from "../tokens/calibration.js";
import type { KnownList } from "./known-list.js";
import type { PassResult } from "./run-pass.js";
import type { Asked, ViewFold } from "./view-fold.js";
import type { RequestFacts } from "./view-request.js";

/** What the model is to see of a history. */
export interface View {
  readonly messages: readonly BaseMessage[];
  /** What to write down on the answer, where the door can. */
  readonly decision: ViewDecision;
  /** Tokens of the request besides its messages, by the bare count of these, as reports tell. */
  readonly overheadTokens: number | undefined;
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

/** A history as a fold went over it. */
export interface FoldedHistory {
  readonly fold: ViewFold;
  readonly facts: RequestFacts;
  /** The history as far as the fold went over it. */
  readonly done: KnownList;
}

/** @param history as far as the fold went over it, or further */
export function viewOf(
  { fold, facts, done: { messages: done } }: FoldedHistory,
  history: readonly BaseMessage[],
  asked?: Asked,
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
