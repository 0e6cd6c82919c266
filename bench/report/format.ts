/** Three digits that matter. */
export function show(value: number): string {
  if (Math.abs(value) >= 100) {
    return Math.round(value).toLocaleString("en");
  }
  return String(Number(value.toPrecision(3)));
}
