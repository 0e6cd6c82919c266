import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";

const dist = join(import.meta.dirname, "../../dist");

it("declares nothing that only this package itself calls", () => {
  const declared = readdirSync(dist, { recursive: true })
    .map(String)
    .filter((file) => /\.d\.c?ts$/.test(file))
    .map((file) => readFileSync(join(dist, file), "utf8"))
    .join("\n");
  expect(declared).toContain("withOverflowRecovery");
  expect(declared).not.toMatch(/\b(viewRequest|viewLess|tell)\(|HookSettings/);
});
