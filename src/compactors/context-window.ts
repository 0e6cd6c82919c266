import {
  invalidOption,
  requireKnownOptions,
  requireWholeNumber,
} from "../options.js";
import { inputWindowOf } from "../tokens/model-limits.js";
import type { RecordFormat } from "./collapse-record.js";
import { CompactorPipeline } from "./compactor-pipeline.js";
import type { CompactorFields } from "./compactor.js";
import { ToolCallCollapseCompactor } from "./tool-call-collapse.js";
import { TruncationCompactor } from "./truncation.js";

/** Options of `ContextWindowCompactor`. */
export interface ContextWindowCompactorFields extends Pick<
  CompactorFields,
  "tokenCounter" | "raiseOnFailure"
> {
  /** The model's window. Tokens. */
  contextWindow: number;
  /** Part of the window kept free for the reply. Tokens. @default 0 */
  reserveOutputTokens?: number;
  /** Part of the input budget (window less reserve) above which tool steps are folded. @default 0.5 */
  collapseAt?: number;
  /** Part of the input budget above which the oldest groups are removed; not below `collapseAt`. @default 0.8 */
  truncateAt?: number;
  /** Newest groups other than system messages that neither folding nor removing touches. Groups. @default 2 */
  minKeepGroups?: number;
  /** @default as in `ToolCallCollapseCompactor` */
  format?: RecordFormat;
  /** @default as in `TruncationCompactor` */
  omissionNote?: string | null;
}

/**
 * The preset: folds tool steps above one part of the window, removes the oldest groups above another.
 *
 * Each phase works until the conversation is no larger than its part. In a
 * hook the whole request counts, instructions and tools included. From
 * Microsoft Agent Framework's `ContextWindowCompactionStrategy`.
 */
export class ContextWindowCompactor extends CompactorPipeline {
  static override lc_name(): string {
    return "ContextWindowCompactor";
  }

  /** @throws CompactionError `INVALID_OPTION` */
  constructor(fields: ContextWindowCompactorFields) {
    requireKnownOptions("ContextWindowCompactor", fields, FIELDS);
    const {
      contextWindow,
      reserveOutputTokens = 0,
      collapseAt = 0.5,
      truncateAt = 0.8,
      minKeepGroups = 2,
      format,
      omissionNote,
      tokenCounter,
      raiseOnFailure,
    } = fields;
    requireWholeNumber("contextWindow", contextWindow, 1, "tokens");
    requireWholeNumber("reserveOutputTokens", reserveOutputTokens, 0, "tokens");
    const budget = inputWindowOf({ contextWindow }, reserveOutputTokens);
    requirePart("collapseAt", collapseAt, 0);
    requirePart("truncateAt", truncateAt, collapseAt);
    super(
      [
        new ToolCallCollapseCompactor({
          targetTokens: Math.trunc(budget * collapseAt),
          minKeepGroups,
          format,
        }),
        new TruncationCompactor({
          targetTokens: Math.trunc(budget * truncateAt),
          minKeepGroups,
          omissionNote,
        }),
      ],
      { tokenCounter, raiseOnFailure },
    );
  }
}

const FIELDS: readonly (keyof ContextWindowCompactorFields)[] = [
  "contextWindow",
  "reserveOutputTokens",
  "collapseAt",
  "truncateAt",
  "minKeepGroups",
  "format",
  "omissionNote",
  "tokenCounter",
  "raiseOnFailure",
];

function requirePart(option: string, value: unknown, least: number): void {
  if (typeof value !== "number" || !(value > 0 && value <= 1)) {
    throw invalidOption(option, value, "a number above 0 and at most 1");
  }
  if (value < least) {
    throw invalidOption(option, value, `at least "collapseAt" (${least})`);
  }
}
