import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";

const repository = join(import.meta.dirname, "../..");

/** A folder of `src`, a statement in it, and the rule that refuses it. */
const refused: [folder: string, statement: string, rule: string][] = [
  ...["tokens", "conditions", "compactors", "health", "hook", "middleware"].map(
    (higher) => refusedImport("conversation", `../${higher}/x.js`),
  ),
  refusedImport("tokens", "../conditions/x.js"),
  refusedImport("tokens", "./tiktoken/x.js"),
  refusedImport("conditions", "../compactors/x.js"),
  refusedImport("compactors", "../hook/x.js"),
  refusedImport("compactors", "../health/x.js"),
  refusedImport("health", "../conditions/x.js"),
  refusedImport("hook", "../middleware/x.js"),
  refusedImport("hook", "../testing/x.js"),
  refusedImport("hook", "../tokens/tiktoken/x.js"),
  refusedImport("hook", "@langchain/langgraph"),
  refusedImport("hook", "js-tiktoken/lite"),
  refusedImport("hook", "langchain"),
  refusedImport("hook", "node:fs"),
  refusedImport("middleware", "../testing/x.js"),
  refusedImport("middleware", "js-tiktoken"),
  refusedImport("tokens/tiktoken", "../../hook/x.js"),
  refusedImport("health/rules", "../../hook/x.js"),
  refusedImport("testing/protocol-server", "../../middleware/x.js"),
  refusedImport("testing/protocol-server", "../../tokens/tiktoken/x.js"),
  refusedImport("testing", "@langchain/openai"),
  refusedImport(".", "./middleware/x.js"),
  refusedImport(".", "./tokens/tiktoken/x.js"),
  refusedImport(".", "langchain"),
  ["hook", "export const x: any = 1;", "no-explicit-any"],
  ["hook", "export default 1;", "no-default-export"],
  ["hook", "console.log(1);", "no-console"],
  ["hook", "process.env.KEY;", "no-restricted-globals"],
  ["hook", "Buffer.from([]);", "no-restricted-globals"],
  ["hook", 'export const x: string = "a" + String(1);', "prefer-template"],
  ["hook", "export const x = {} instanceof AIMessage;", "no-instanceof"],
  ["hook", "export const x = {} instanceof AIMessageChunk;", "no-instanceof"],
  ["hook", "Promise.resolve(1);", "no-floating-promises"],
  ["hook", "export function f() { return 1; }", "module-boundary-types"],
  ["hook", "export const x: import('./y.js').X = 1;", "type-imports"],
];

/** Imports that must stay possible, or the table above proves nothing. */
const allowed: [folder: string, statement: string][] = [
  ["tokens", 'export * from "../conversation/x.js";'],
  ["hook", 'export * from "../health/rules/x.js";'],
  ["hook", 'export * from "../errors.js";'],
  ["hook", 'export * from "@langchain/core/messages";'],
  ["middleware", 'export * from "langchain";'],
  ["health/rules", 'export * from "../detect/x.js";'],
  ["health/rules", 'export * from "../../tokens/x.js";'],
  ["health/rules", 'export * from "../../errors.js";'],
  ["testing/protocol-server", 'export * from "node:http";'],
  ["tokens/tiktoken", 'export * from "../token-counter.js";'],
  ["tokens/tiktoken", 'export * from "js-tiktoken/lite";'],
  ["testing", 'export * from "node:http";'],
  [".", 'export * from "./hook/x.js";'],
];

describe("the lint rules", () => {
  let project: string;
  /** The findings of one run over all statements, by file. */
  let findings: Map<string, string>;

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), "lint-"));
    for (const file of ["oxlint.config.js", "package.json", "tsconfig.json"]) {
      copyFileSync(join(repository, file), join(project, file));
    }
    for (const folder of [".ci", "node_modules"]) {
      symlinkSync(join(repository, folder), join(project, folder));
    }
    refused.forEach(([folder, code], at) =>
      write(folder, `refused-${at}`, code),
    );
    allowed.forEach(([folder, code], at) =>
      write(folder, `allowed-${at}`, code),
    );
    findings = lint();
  }, 60_000);

  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it.each(refused.map((row, at) => [...row, at] as const))(
    "refuse in src/%s: %s",
    (_folder, _statement, rule, at) => {
      expect(findings.get(`refused-${at}.ts`)).toContain(rule);
    },
  );

  it.each(allowed.map((row, at) => [...row, at] as const))(
    "let through in src/%s: %s",
    (_folder, _statement, at) => {
      expect(findings.get(`allowed-${at}.ts`)).toBeUndefined();
    },
  );

  function write(folder: string, name: string, code: string): void {
    mkdirSync(join(project, "src", folder), { recursive: true });
    writeFileSync(join(project, "src", folder, `${name}.ts`), `${code}\n`);
  }

  function lint(): Map<string, string> {
    const oxlint = join(repository, "node_modules/oxlint/bin/oxlint");
    const options = [
      "-c",
      "oxlint.config.js",
      "--type-aware",
      "-f",
      "unix",
      "src",
    ];
    const { stdout } = spawnSync(process.execPath, [oxlint, ...options], {
      cwd: project,
      encoding: "utf8",
    });
    const byFile = new Map<string, string>();
    for (const line of stdout.split("\n")) {
      const file = /([\w-]+\.ts):\d+:\d+:/.exec(line)?.[1];
      if (file) byFile.set(file, `${byFile.get(file) ?? ""}${line}\n`);
    }
    return byFile;
  }
});

function refusedImport(
  folder: string,
  from: string,
): [folder: string, statement: string, rule: string] {
  return [folder, `export * from "${from}";`, "no-restricted-imports"];
}
