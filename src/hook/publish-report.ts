import { dispatchCustomEvent } from "@langchain/core/callbacks/dispatch/web";
import type { RunnableConfig } from "@langchain/core/runnables";
import { CompactionError } from "../errors.js";
import type { CompactionReport } from "./report.js";
import type { CompactionHookOptions } from "./settings.js";

/** Name of the custom event, and key of what is written to `streamMode: "custom"`. */
const REPORT_EVENT = "context_compaction";

type ListenerOptions = Pick<
  CompactionHookOptions,
  "onReport" | "streamReports" | "raiseOnFailure"
>;

/**
 * Tells everybody of a pass who listens; one that fails is no reason to stop the run.
 *
 * `onReport` hears of every pass. The run's listeners hear of all but those
 * below the trigger: as a custom event, which `streamEvents` shows, and where
 * asked through the writer of `streamMode: "custom"`.
 *
 * @returns `undefined` where nobody listens
 * @throws CompactionError `COMPACTION_FAILED` with `raiseOnFailure`
 */
export function publishReport(
  report: CompactionReport,
  config: Partial<RunnableConfig>,
  options: ListenerOptions,
): Promise<void> | undefined {
  return options.onReport === undefined && report.reason === "below-trigger"
    ? undefined
    : tellAll(report, config, options);
}

async function tellAll(
  report: CompactionReport,
  config: Partial<RunnableConfig>,
  { onReport, streamReports = false, raiseOnFailure }: ListenerOptions,
): Promise<void> {
  const listeners: (() => void | Promise<void>)[] = [];
  if (onReport !== undefined) {
    listeners.push(() => onReport(report));
  }
  if (report.reason !== "below-trigger") {
    listeners.push(() => tellRun(report, config, streamReports));
  }
  for (const listener of listeners) {
    try {
      await listener();
    } catch (cause) {
      if (raiseOnFailure === true) {
        throw new CompactionError(
          "COMPACTION_FAILED",
          "A listener of the compaction report failed.",
          { cause },
        );
      }
    }
  }
}

async function tellRun(
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
