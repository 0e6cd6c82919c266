import { LangChainError } from "@langchain/core/errors";

/** What went wrong, as a fixed word that programs can switch on. */
export type CompactionErrorCode =
  | "INVALID_OPTION"
  | "MISSING_TARGET"
  | "INVALID_MESSAGES"
  | "INVALID_STATE"
  | "INVALID_COMPACTOR_RESULT"
  | "COUNTER_FAILED"
  | "WINDOW_UNKNOWN"
  | "SUMMARIZATION_FAILED"
  | "SUMMARY_NOT_SMALLER"
  | "COMPACTION_FAILED";

const BRAND = Symbol.for("langchain-compaction.error");

/**
 * The one error class of this package.
 *
 * `code` says what kind of failure it is, `cause` keeps the error underneath.
 */
export class CompactionError extends LangChainError {
  override readonly name = "CompactionError";
  readonly code: CompactionErrorCode;

  constructor(
    code: CompactionErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message);
    this.code = code;
    if (options !== undefined && "cause" in options) {
      this.cause = options.cause;
    }
    Object.defineProperty(this, BRAND, { value: true });
  }

  /**
   * Recognises errors of this package from any of its copies.
   *
   * The inherited check would accept every error of LangChain.
   */
  static override isInstance<
    T extends abstract new (...args: never) => unknown,
  >(this: T, error: unknown): error is InstanceType<T> {
    return (
      typeof error === "object" &&
      error !== null &&
      (error as Record<symbol, unknown>)[BRAND] === true
    );
  }
}

/** The error itself where it is ours, else one of ours with it as the cause. */
export function asCompactionError(cause: unknown): CompactionError {
  return CompactionError.isInstance(cause)
    ? cause
    : new CompactionError(
        "COMPACTION_FAILED",
        cause instanceof Error ? cause.message : String(cause),
        { cause },
      );
}
