export { CompactionError, type CompactionErrorCode } from "./errors.js";
export type {
  Condition,
  ContextPredicate,
  ContextSize,
} from "./conditions/condition.js";
export {
  type CompactOptions,
  Compactor,
  type CompactorCallOptions,
  type CompactorFields,
  type CompactorInput,
  type CompactorLike,
} from "./compactors/compactor.js";
export {
  SlidingWindowCompactor,
  type SlidingWindowCompactorFields,
} from "./compactors/sliding-window.js";
export type { CompactionTarget } from "./compactors/target.js";
export { defaultTokenCounter } from "./tokens/default-counter.js";
export type { ConversationMetrics } from "./tokens/metrics.js";
export type {
  MessagesTokenCounter,
  TokenCounter,
  TokenCounterLike,
} from "./tokens/token-counter.js";
export {
  CompactionHook,
  type HookState,
  type HookUpdate,
} from "./hook/compaction-hook.js";
export type { ContextWindow, ModelWithProfile } from "./hook/context-window.js";
export type {
  CompactionReason,
  CompactionReport,
  CompactionWarning,
} from "./hook/report.js";
export type { CompactionHookOptions } from "./hook/settings.js";
