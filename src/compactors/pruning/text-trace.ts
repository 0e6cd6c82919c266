/**
 * Something to recognise a value by, wherever a copy of it may stand.
 *
 * It is the longest run in the value's texts that reads the same however often
 * a copy of it was put into JSON.
 * `undefined` where no run is long enough to be told from chance.
 */
export function traceOf(value: unknown): string | undefined {
  let longest = "";
  walkTexts(value, (text) => {
    for (const [run] of text.matchAll(PLAIN_RUN)) {
      if (run.length > longest.length) {
        longest = run;
      }
    }
    return false;
  });
  return longest.length >= SHORTEST_TRACE ? longest : undefined;
}

/** Whether a text anywhere inside a value holds one of these traces. */
export function holdsTrace(
  value: unknown,
  traces: readonly (string | undefined)[],
): boolean {
  return walkTexts(value, (text) =>
    traces.some((trace) => trace !== undefined && text.includes(trace)),
  );
}

// JSON leaves these characters as they are.
const PLAIN_RUN = /[^"\\\p{Cc}\p{Cs}\u2028\u2029]+/gu;
const SHORTEST_TRACE = 12;

/** Shows every text inside a value until one is taken; says whether one was. */
function walkTexts(value: unknown, take: (text: string) => boolean): boolean {
  const pending: unknown[] = [value];
  const seen = new Set<object>();
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part === "string") {
      if (take(part)) {
        return true;
      }
    } else if (
      typeof part === "object" &&
      part !== null &&
      !ArrayBuffer.isView(part) &&
      !seen.has(part)
    ) {
      seen.add(part);
      for (const inner of Object.values(part)) {
        pending.push(inner);
      }
    }
  }
  return false;
}
