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
  type ModelCall,
} from "./compactors/compactor.js";
export type { RecordFormat, RecordRole } from "./compactors/collapse-record.js";
export {
  CompactorPipeline,
  type CompactorOrTiers,
} from "./compactors/compactor-pipeline.js";
export {
  ContextWindowCompactor,
  type ContextWindowCompactorFields,
} from "./compactors/context-window.js";
export type { FoldedCall, FoldedStep } from "./compactors/folded-step.js";
export type { DirectCompactOptions } from "./compactors/pass.js";
export {
  SlidingWindowCompactor,
  type SlidingWindowCompactorFields,
} from "./compactors/sliding-window.js";
export {
  SummarizationCompactor,
  type SummarizationCompactorFields,
} from "./compactors/summarization.js";
export type { SummarizationModel } from "./compactors/summarization/call-model.js";
export type { SummaryMemory } from "./compactors/summarization/summary-memory.js";
export type { CompactionTarget } from "./compactors/target.js";
export {
  ToolCallCollapseCompactor,
  type ToolCallCollapseCompactorFields,
} from "./compactors/tool-call-collapse.js";
export {
  ToolResultPruningCompactor,
  type ToolResultPruningCompactorFields,
} from "./compactors/tool-result-pruning.js";
export {
  TruncationCompactor,
  type TruncationCompactorFields,
} from "./compactors/truncation.js";
export {
  TurnWindowCompactor,
  type TurnWindowCompactorFields,
} from "./compactors/turn-window.js";
export type { GroupKind } from "./conversation/groups.js";
export type { CompactionStrategy } from "./conversation/marker.js";
export { defaultTokenCounter } from "./tokens/default-counter.js";
export {
  type ConversationDescription,
  describeConversation,
  type DescribeConversationOptions,
  type DescribedGroup,
} from "./tokens/describe-conversation.js";
export type { ConversationMetrics } from "./tokens/metrics.js";
export type {
  MessagesTokenCounter,
  TokenCounter,
  TokenCounterLike,
} from "./tokens/token-counter.js";
export { CompactionHook } from "./hook/compaction-hook.js";
export type { HookState, HookUpdate } from "./hook/graph-state.js";
export {
  chooseThresholds,
  type ThresholdCosts,
  type Thresholds,
} from "./hook/choose-thresholds.js";
export { isContextOverflow } from "./hook/context-overflow.js";
export type { ContextWindow } from "./hook/context-window.js";
export type { ModelWithProfile } from "./tokens/model-limits.js";
export type {
  CompactionReason,
  CompactionReport,
  CompactionWarning,
  ModelUsage,
} from "./hook/report.js";
export type { RecoverableModel } from "./hook/recovering-model.js";
export type { CompactionHookOptions } from "./hook/settings.js";
export {
  checkConversation,
  type CheckConversationOptions,
} from "./health/check-conversation.js";
export {
  ConversationRepair,
  type ConversationRepairFields,
  type ConversationRepairInput,
  type RepairUpdate,
} from "./health/conversation-repair.js";
export type { ConversationMend } from "./health/draft.js";
export type { ConversationProblem } from "./health/problem.js";
export type { Provider, RuleSet } from "./health/provider.js";
export {
  type ConversationRepairResult,
  repairConversation,
  type RepairConversationOptions,
} from "./health/repair-conversation.js";
export type { ProblemCode } from "./health/rules/rules.js";
