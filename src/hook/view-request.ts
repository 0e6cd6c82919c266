import type { RunnableConfig } from "@langchain/core/runnables";
import type { RuleSet } from "../health/provider.js";
import type { ViewSummaries } from "./view-summaries.js";

/** What is known of the request besides its messages. */
export interface RequestFacts {
  /** Tokens: the window less what is left to the answer. */
  readonly inputWindow: number;
  /** Tokens: tools, system prompt and the like, for as long as no report says more. */
  readonly overheadTokens: number;
  /** Whose order of roles a compaction is to meet. @default nobody's */
  readonly provider?: RuleSet | undefined;
  /** Name of the agent that makes the request, where it has one. */
  readonly agent?: string | undefined;
  /** Summaries that the thread keeps, by what they cover. */
  readonly summaries?: Readonly<Record<string, string>> | undefined;
  /** Tokens of a window that are left to the answer. @default 0 */
  readonly reservedTokens?: number;
}

/** A request that its model refused as too long. */
export interface RefusedRequest {
  /** Tokens of its messages, as counted. */
  readonly messageTokens: number;
  /** Tokens of the window that was gone by. */
  readonly inputWindow: number;
  /** Tokens that the model takes, where its error states them. */
  readonly statedLimit: number | undefined;
}

/** What goes along with one call. */
export interface ViewRun {
  readonly config: Partial<RunnableConfig>;
  readonly summaries: ViewSummaries;
}
