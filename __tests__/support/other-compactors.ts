import type { BaseMessage } from "@langchain/core/messages";
import {
  CompactorPipeline,
  ToolCallCollapseCompactor,
  TruncationCompactor,
  TurnWindowCompactor,
  type Condition,
} from "../../src/index.js";
import type { Shortening } from "./shortening-rules.js";

// The compactors besides the sliding window, each with what it promises to keep.

export interface Floors {
  minKeep: number;
  omissionNote: string | null;
}

export interface Built {
  compactor: {
    compact(
      messages: readonly BaseMessage[],
      options: {
        target?: Condition;
        trigger?: Condition;
        tokenCounter: (messages: BaseMessage[]) => number;
      },
    ): Promise<BaseMessage[] | null>;
  };
  keeps: Pick<Shortening, "keepTurns" | "keepGroups">;
  /** Whether it leaves notes, so that no original may be missing. */
  note: boolean;
}

export const otherCompactors: Record<string, (how: Floors) => Built> = {
  TurnWindowCompactor: ({ minKeep, omissionNote }) => ({
    compactor: new TurnWindowCompactor({ minKeepTurns: minKeep, omissionNote }),
    keeps: { keepTurns: minKeep },
    note: omissionNote !== null,
  }),
  TruncationCompactor: ({ minKeep, omissionNote }) => ({
    compactor: new TruncationCompactor({
      minKeepGroups: minKeep,
      omissionNote,
    }),
    keeps: { keepGroups: minKeep },
    note: omissionNote !== null,
  }),
  ToolCallCollapseCompactor: ({ minKeep }) => ({
    compactor: new ToolCallCollapseCompactor({ minKeepGroups: minKeep }),
    keeps: { keepGroups: minKeep },
    note: true,
  }),
  "CompactorPipeline of three": ({ minKeep, omissionNote }) => ({
    compactor: new CompactorPipeline([
      new ToolCallCollapseCompactor({ minKeepGroups: minKeep }),
      new TurnWindowCompactor({ minKeepTurns: minKeep, omissionNote }),
      new TruncationCompactor({ minKeepGroups: minKeep, omissionNote }),
    ]),
    keeps: { keepGroups: minKeep },
    note: omissionNote !== null,
  }),
};

export function runBuilt(
  { compactor }: Built,
  messages: readonly BaseMessage[],
  count: (message: BaseMessage) => number,
  conditions: { target?: Condition; trigger?: Condition },
): Promise<BaseMessage[] | null> {
  return compactor.compact(messages, {
    ...conditions,
    tokenCounter: ([message]) => count(message!),
  });
}
