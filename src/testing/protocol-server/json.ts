/** A JSON object of which nothing is known yet. */
export type Json = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object, no array and not `null`. */
export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of a list; nothing where the value is no list. */
export function objectsIn(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** The value where it is an object, else an empty one. */
export function objectOr(value: unknown): Json {
  return isJson(value) ? value : {};
}

/** The value where it is a text, else the empty text. */
export function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The object that a text holds as JSON; an empty one where it holds none. */
export function parseObject(text: string): Json {
  try {
    return objectOr(JSON.parse(text));
  } catch {
    return {};
  }
}
