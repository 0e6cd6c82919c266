import {
  CompactorPipeline,
  SlidingWindowCompactor,
  SummarizationCompactor,
  type SummarizationModel,
  ToolResultPruningCompactor,
  type CompactorLike,
} from "../../src/index.js";

/**
 * A summariser that is a function of its text: the beginning of every entry, as
 * much of each as gives a summary of the wanted length.
 */
function extractive(characters = 600): SummarizationModel {
  return {
    invoke: async ([, conversation]) => {
      const lines = conversation!.text
        .split("\n")
        .filter((line) => !/^<\/?\w+/.test(line) && line.trim() !== "");
      const each = Math.max(8, Math.floor(characters / lines.length));
      return lines
        .map((line) => line.slice(0, each))
        .join(" ")
        .slice(0, characters);
    },
  };
}

export const TIERS: Readonly<
  Record<
    string,
    (floors: { minKeepSteps: number; minTokens: number }) => {
      compactor: CompactorLike;
      keepsSystem: boolean;
    }
  >
> = {
  pruning: ({ minKeepSteps, minTokens }) => ({
    compactor: new ToolResultPruningCompactor({
      minKeepSteps: Math.max(minKeepSteps, 1),
      minTokens,
      clearToolInputs: true,
    }),
    keepsSystem: true,
  }),
  summarization: ({ minKeepSteps }) => ({
    compactor: new SummarizationCompactor({
      model: extractive(),
      approximateSummaryTokens: 100,
      minKeepSteps,
    }),
    keepsSystem: true,
  }),
  "the ladder of three": ({ minKeepSteps, minTokens }) => ({
    compactor: new CompactorPipeline([
      new ToolResultPruningCompactor({
        minKeepSteps: Math.max(minKeepSteps, 1),
        minTokens,
      }),
      new SummarizationCompactor({
        model: extractive(),
        approximateSummaryTokens: 100,
        minKeepSteps,
      }),
      new SlidingWindowCompactor({ minKeepSteps }),
    ]),
    keepsSystem: false,
  }),
};
