export { compactionMiddleware } from "./compaction-middleware.js";
export type { CompactionMiddlewareOptions } from "./door.js";
export type { CompactionContext } from "./run-context.js";
