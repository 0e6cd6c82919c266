import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, it } from "@jest/globals";

// Recorded conversations, golden vectors and reported cases live beside the
// repository and never in it.
const SHARED = new URL("../../../shared/", import.meta.url);

/** Whether a file beside the repository is there; CI demands it by `REQUIRE_CORPUS=1`. */
function isShared(path: string): boolean {
  return existsSync(new URL(path, SHARED));
}

/** Reads a file of one JSON object a line, packed or not. */
function readSharedLines<T>(path: string): T[] {
  const bytes = readFileSync(fileURLToPath(new URL(path, SHARED)));
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString(
    "utf8",
  );
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as T);
}

/**
 * A block of tests over one such file: skipped where it is missing, failing
 * where it is missing though `REQUIRE_CORPUS=1`.
 */
export function describeShared<T>(
  name: string,
  path: string,
  tests: (rows: T[]) => void,
): void {
  if (isShared(path)) {
    describe(name, () => {
      tests(readSharedLines<T>(path));
    });
  } else if (process.env["REQUIRE_CORPUS"] === "1") {
    describe(name, () => {
      it(`has ../shared/${path}`, () => {
        throw new Error(
          `../shared/${path} is missing, and REQUIRE_CORPUS is 1`,
        );
      });
    });
  } else {
    describe.skip(name, () => {
      it(`needs ../shared/${path}`, () => {});
    });
  }
}
