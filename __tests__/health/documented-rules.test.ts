import { expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { PROVIDERS } from "../../src/health/provider.js";
import {
  RULES,
  ruleOf,
  type ProblemCode,
} from "../../src/health/rules/rules.js";

it("docs/health.md names every rule and exactly who refuses what", () => {
  const page = readFileSync(
    new URL("../../docs/health.md", import.meta.url),
    "utf8",
  );
  const documented = [...page.matchAll(/^\| `([a-z-]+)` +\| (.*) \|$/gm)].map(
    ([, code, cells]) => [
      code,
      cells!
        .split("|")
        .slice(1)
        .map((cell) => cell.trim() === "x"),
    ],
  );
  const known = (Object.keys(RULES) as ProblemCode[]).map((code) => [
    code,
    PROVIDERS.map((provider) => ruleOf(code).refusedBy[provider] !== undefined),
  ]);
  expect(documented).toEqual(known);
});
