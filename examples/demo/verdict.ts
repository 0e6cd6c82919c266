import type { AuditResult } from "./audit.js";

/** Something that a run had to show, and whether it did. */
export interface Check {
  readonly passed: boolean;
  readonly text: string;
}

/** What the two runs of the demo have to show. */
export function judge(runs: {
  without: AuditResult;
  with: AuditResult;
  expected: string;
}): Check[] {
  const { without, with: after, expected } = runs;
  const last = without.requests.at(-1);
  const calls = after.requests.length;
  const refused = after.requests.filter(
    ({ outcome }) => outcome !== "answered",
  );
  return [
    {
      passed: last?.error?.code === "context_length_exceeded",
      text: `without the hook: call ${without.requests.length} ended in ${last?.error?.code ?? "no error"}`,
    },
    {
      passed: calls >= 60 && refused.length === 0,
      text: `with the hook: ${calls} model calls, ${refused.length} refused`,
    },
    {
      passed: after.answer === expected,
      text:
        after.answer === expected
          ? `the answer is right: ${expected}`
          : `the answer is ${after.answer ?? String(after.error)}, but should be ${expected}`,
    },
  ];
}
