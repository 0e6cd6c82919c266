/** Counts the tokens of a text. */
export type CountText = (text: string) => number;

/**
 * Tokens of a value as the JSON text that is sent of it; a text counts as it is.
 *
 * Walks the value and writes no JSON. An object that stands in the value
 * twice, or in itself, is counted once.
 */
export function countJson(countText: CountText, value: unknown): number {
  if (typeof value === "string") {
    return countText(value);
  }
  let total = 0;
  const pending: unknown[] = [value];
  const seen = new Set<object>();
  while (pending.length > 0) {
    const part = plain(pending.pop());
    if (typeof part === "string") {
      total += countText(part) + escapeTokens(part);
    } else if (typeof part !== "object" || part === null) {
      total += countScalar(countText, part);
    } else if (!seen.has(part)) {
      seen.add(part);
      total += pushParts(countText, part, pending);
    }
  }
  return total;
}

/** Tokens of a value that is no object: a text, a number, a word. */
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

/**
 * What JSON's backslashes add to a text, as measured on 1,600 calls of recorded
 * agents: lines are the dear part, since their ends no longer merge with
 * what stands around them.
 */
function escapeTokens(text: string): number {
  let total = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) {
      total += 1.25;
    } else if (code === 34 || code === 92) {
      total += 0.2;
    }
  }
  return total;
}

// As JSON.stringify does: dates and the like say themselves what they are sent as.
function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value) : value;
}
