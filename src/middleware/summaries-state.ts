import { z } from "zod/v4";

/** Summaries by what they cover. */
export type KeptSummaries = Readonly<Record<string, string>>;

/**
 * Where a thread keeps its summaries.
 *
 * LangChain has no key that begins like this in an agent's input or output.
 * The newest value stands, and a fork has that of its checkpoint.
 */
export const summariesSchema = z.object({
  _compactionSummaries: z.record(z.string(), z.string()).optional(),
});

/** The summaries in a state. */
export function summariesIn(state: object): KeptSummaries {
  const { _compactionSummaries } = state as z.infer<typeof summariesSchema>;
  return _compactionSummaries ?? {};
}

/** An update of the state that keeps these. */
export function keeping(
  summaries: KeptSummaries,
): Readonly<Record<string, unknown>> {
  return { _compactionSummaries: summaries };
}
