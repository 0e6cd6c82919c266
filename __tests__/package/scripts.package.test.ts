import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "@jest/globals";

const repository = join(import.meta.dirname, "../..");

it.each([
  ["test:corpus", "corpus/hook.corpus.test.ts"],
  ["test:examples", "examples/examples.examples.test.ts"],
])("npm run %s takes a path", (script, file) => {
  const run = (path: string): string =>
    execFileSync(
      "npm",
      ["run", "--silent", script, "--", path, "--listTests"],
      { cwd: repository, encoding: "utf8" },
    ).trim();
  expect(run(`__tests__/${file}`)).toBe(join(repository, "__tests__", file));
  expect(run("__tests__/nowhere")).toBe("");
});
