/** What to test agents with that use this package; for Node only. */
export {
  startProtocolServer,
  type ProtocolServer,
  type ProtocolServerOptions,
  type RecordedRequest,
} from "./protocol-server/protocol-server.js";
export type {
  ModelAnswer,
  ModelFailure,
  ModelMessage,
  ModelRefusal,
  ModelReply,
  ModelRequest,
  ModelStall,
  ModelTool,
  ModelToolCall,
  ProtocolName,
  SentToolCall,
} from "./protocol-server/model.js";
export {
  type CompactionMatchers,
  compactionMatchers,
  type MatcherResult,
} from "./matchers.js";
export {
  simulateTrajectory,
  type Trajectory,
  type TrajectoryCall,
  type TrajectoryOptions,
  type TrajectorySubject,
  type TrajectoryViolation,
} from "./trajectory.js";
