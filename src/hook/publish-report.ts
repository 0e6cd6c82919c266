import { dispatchCustomEvent } from "@langchain/core/callbacks/dispatch/web";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { CompactionReport } from "./report.js";

/** Name of the custom event, and key of what is written to `streamMode: "custom"`. */
const REPORT_EVENT = "context_compaction";

/** Whether a run's listeners are told of a pass: one below the trigger is no event. */
export function isEvent({ reason }: CompactionReport): boolean {
  return reason !== "below-trigger";
}

/**
 * Tells a run's listeners of a pass: as a custom event, which `streamEvents`
 * shows, and where asked to the writer of `streamMode: "custom"`.
 */
export async function publishReport(
  report: CompactionReport,
  config: Partial<RunnableConfig>,
  writeToStream: boolean,
): Promise<void> {
  const data = withoutStack(report);
  await dispatchCustomEvent(REPORT_EVENT, data, config as RunnableConfig);
  if (writeToStream) {
    const { writer } = config as { writer?: (chunk: unknown) => void };
    writer?.({ [REPORT_EVENT]: data });
  }
}

/** The report as plain data: an error shows what it says and not where it was thrown. */
function withoutStack(report: CompactionReport): Record<string, unknown> {
  const { error, ...rest } = report;
  return error === undefined
    ? rest
    : {
        ...rest,
        error: { name: error.name, code: error.code, message: error.message },
      };
}
