/** Counts the tokens of a text. */
export type CountText = (text: string) => number;

/**
 * Tokens of a value as the JSON text that is sent of it.
 *
 * Walks the value and writes no text. An object that stands in the value
 * twice, or in itself, is counted once.
 */
export function countJson(countText: CountText, value: unknown): number {
  let total = 0;
  let pending: unknown[] | undefined;
  let seen: Set<object> | undefined;
  let current = value;
  for (;;) {
    if (typeof current === "object" && current !== null) {
      current = plain(current);
    }
    if (typeof current === "object" && current !== null) {
      pending ??= [];
      seen ??= new Set();
      if (!seen.has(current)) {
        seen.add(current);
        total += pushParts(countText, current, pending);
      }
    } else {
      total += countScalar(countText, current);
    }
    if (pending === undefined || pending.length === 0) {
      return total;
    }
    current = pending.pop();
  }
}

/** Tokens of a value that is no object: a JSON string, a number, a word. */
export function countScalar(countText: CountText, value: unknown): number {
  switch (typeof value) {
    case "string":
      return countText(value);
    case "number":
    case "bigint":
      return countText(String(value));
    case "boolean":
      return 1;
    default:
      return value === null ? 1 : 0;
  }
}

// In o200k the punctuation between two parts of a JSON text, quotes included,
// is one token as a rule: `{"`, `":"`, `","`, `"}`.
export const JSON_FRAME_TOKENS = 1;
export const JSON_ENTRY_TOKENS = 2;
const JSON_ELEMENT_TOKENS = 1;

function pushParts(
  countText: CountText,
  value: object,
  pending: unknown[],
): number {
  if (Array.isArray(value)) {
    for (const element of value) {
      pending.push(element);
    }
    return JSON_FRAME_TOKENS + JSON_ELEMENT_TOKENS * value.length;
  }
  let total = JSON_FRAME_TOKENS;
  for (const key of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[key];
    if (part !== undefined) {
      total += countText(key) + JSON_ENTRY_TOKENS;
      pending.push(part);
    }
  }
  return total;
}

// As JSON.stringify does: dates and the like say themselves what they are sent as.
function plain(value: object): unknown {
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value) : value;
}
