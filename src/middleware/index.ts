export {
  type CompactionContext,
  compactionMiddleware,
} from "./compaction-middleware.js";
export type { CompactionMiddlewareOptions } from "./door.js";
