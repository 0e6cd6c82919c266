import { CompactionHook, SlidingWindowCompactor } from "langchain-compaction";
import { runAudit } from "./audit.js";
import { createLedger, expectedReport } from "./ledger.js";
import { printCheck, RunPrinter } from "./terminal.js";
import { judge } from "./verdict.js";

// The same long task twice: without the hook the agent dies on its context
// window, with the hook it comes to the right end.
const contextWindow = 32_000;
const ledger = createLedger({ pages: 64, invoicesPerPage: 32 });

const bare = new RunPrinter("Without the hook", contextWindow);
const without = await runAudit({
  ledger,
  contextWindow,
  onRequest: (request) => bare.request(request),
});

const compacted = new RunPrinter("With the hook", contextWindow);
const withHook = await runAudit({
  ledger,
  contextWindow,
  onRequest: (request) => compacted.request(request),
  preModelHook: new CompactionHook({
    compactor: new SlidingWindowCompactor({ minKeepSteps: 1 }),
    contextWindow,
    compactAt: 0.7,
    compactTo: 0.4,
    onReport: (report) => compacted.compaction(report),
  }),
});

const checks = judge({
  without,
  with: withHook,
  expected: expectedReport(ledger),
});
process.stdout.write("\n");
checks.forEach(printCheck);
process.exitCode = checks.every(({ passed }) => passed) ? 0 : 1;
