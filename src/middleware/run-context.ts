import { invalidOption, requireKnownOptions } from "../options.js";
import type { CompactionMiddlewareOptions } from "./door.js";

/** What a run may set for itself, as `context: { compaction: { … } }`. */
export type CompactionContext = Pick<
  CompactionMiddlewareOptions,
  (typeof OWN_OPTIONS)[number]
>;

const OWN_OPTIONS = [
  "contextWindow",
  "compactAt",
  "compactTo",
  "reserveOutputTokens",
] as const satisfies readonly (keyof CompactionMiddlewareOptions)[];

/**
 * What a run has set for itself, or `undefined`.
 *
 * @throws CompactionError `INVALID_OPTION`
 */
export function ownOptions(context: unknown): CompactionContext | undefined {
  const { compaction } = (context ?? {}) as { compaction?: unknown };
  if (compaction === undefined) {
    return undefined;
  }
  if (typeof compaction !== "object" || compaction === null) {
    throw invalidOption(
      "context.compaction",
      compaction,
      `an object with any of ${OWN_OPTIONS.join(", ")}`,
    );
  }
  requireKnownOptions("context.compaction", compaction, OWN_OPTIONS);
  return compaction;
}
