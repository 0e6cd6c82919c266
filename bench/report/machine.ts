import { readFileSync } from "node:fs";
import { cpus } from "node:os";

/** What a run ran on. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
  /** Name and version of every package that took part. */
  readonly versions: readonly (readonly [name: string, version: string])[];
}

const PACKAGES = [
  "@langchain/core",
  "@langchain/langgraph",
  "langchain",
  "js-tiktoken",
  "gpt-tokenizer",
  "tiktoken",
  "tinybench",
];

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model ?? "unknown processor",
    cores: processors.length,
    node: process.versions.node,
    versions: PACKAGES.map((name) => [name, versionOf(name)]),
  };
}

function versionOf(name: string): string {
  const manifest = new URL(
    `../../node_modules/${name}/package.json`,
    import.meta.url,
  );
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as {
    version: string;
  };
  return version;
}
