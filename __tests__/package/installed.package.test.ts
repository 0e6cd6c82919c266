import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";

const repository = join(import.meta.dirname, "../..");
const MINUTES = 60_000;

/** An empty project in which the packed package gets installed. */
let project: string;

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "langchain-compaction-"));
  writeFileSync(join(project, "package.json"), '{ "private": true }');
  const packed = await run("npm", "pack", "--json", repository);
  const [tarball] = JSON.parse(packed) as [{ filename: string }];
  await npmInstall(`./${tarball.filename}`);
}, 5 * MINUTES);

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe("without the optional langchain", () => {
  it.each(["", "/tiktoken", "/testing"])(
    "langchain-compaction%s gives the same names by import and by require",
    async (entry) => {
      const name = `langchain-compaction${entry}`;
      const print =
        "(module) => console.log(Object.keys(module).sort().join())";
      const imported = await node(`import("${name}").then(${print})`);
      const required = await node(`(${print})(require("${name}"))`);

      expect(imported).not.toBe("");
      expect(required).toBe(imported);
    },
  );
});

describe("a user's program", () => {
  beforeAll(async () => {
    const consumer = join(import.meta.dirname, "consumer.ts");
    for (const extension of ["mts", "cts", "ts"]) {
      copyFileSync(consumer, join(project, `consumer.${extension}`));
    }
    await npmInstall("langchain");
  }, 5 * MINUTES);

  const compilers = ["typescript-5.9", "typescript", "typescript-7"];

  it.each(compilers)(
    "compiles as ESM and as CommonJS with %s, every declaration checked",
    async (compiler) => {
      const lib = ["--lib", "esnext,dom", "--skipLibCheck", "false"];
      const files = ["consumer.mts", "consumer.cts"];
      await compile(compiler, "--module", "nodenext", ...lib, ...files);
    },
    2 * MINUTES,
  );

  it.each(compilers)(
    "compiles for a bundler with %s",
    async (compiler) => {
      const bundler = ["--module", "esnext", "--moduleResolution", "bundler"];
      await compile(compiler, ...bundler, "--skipLibCheck", "consumer.ts");
    },
    2 * MINUTES,
  );

  it.each(["mjs", "cjs"])("runs as .%s", async (extension) => {
    await node(`import("./out/consumer.${extension}").then((m) => m.run())`);
  });
});

function npmInstall(what: string): Promise<string> {
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund"];
  return run("npm", "install", ...quiet, what);
}

function compile(compiler: string, ...options: string[]): Promise<string> {
  const tsc = join(repository, "node_modules", compiler, "bin/tsc");
  const common = ["--strict", "--declaration", "--target", "es2022"];
  return run(process.execPath, tsc, ...common, "--outDir", "out", ...options);
}

function node(script: string): Promise<string> {
  return run(process.execPath, "--eval", script);
}

/** Runs a command in the project; a failure shows what the command printed. */
async function run(command: string, ...options: string[]): Promise<string> {
  const started = promisify(execFile)(command, options, { cwd: project });
  const { stdout } = await started.catch(({ stdout, stderr }) => {
    throw new Error(`${command} ${options.join(" ")}\n${stdout}\n${stderr}`);
  });
  return stdout.trim();
}
