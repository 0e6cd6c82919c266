import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { moduleGraph } from "./module-graph.js";

const dist = join(import.meta.dirname, "../../dist");

const entries = [
  { entry: "index", only: [/^@langchain\/core\//] },
  {
    entry: "middleware/index",
    only: [
      /^@langchain\/core\//,
      /^@langchain\/langgraph$/,
      /^langchain$/,
      /^zod\/v4$/,
    ],
  },
  {
    entry: "tokens/tiktoken/index",
    only: [/^@langchain\/core\//, /^js-tiktoken\/(lite|ranks\/)/],
  },
  {
    entry: "testing/index",
    only: [/^@langchain\/core\//, /^js-tiktoken\/(lite|ranks\/)/, /^node:/],
  },
];

describe.each(entries)("the built $entry", ({ entry, only }) => {
  it.each(["js", "cjs"])("reaches nothing but what it may (.%s)", (suffix) => {
    const { packages } = moduleGraph(join(dist, `${entry}.${suffix}`));

    const strangers = packages.filter(
      (name) => !only.some((r) => r.test(name)),
    );
    expect(strangers).toEqual([]);
  });

  it("reaches the same packages in both formats", () => {
    expect(moduleGraph(join(dist, `${entry}.cjs`)).packages).toEqual(
      moduleGraph(join(dist, `${entry}.js`)).packages,
    );
  });
});

describe("the root entry", () => {
  it("is walked to its last file", () => {
    const { files, packages } = moduleGraph(join(dist, "index.js"));

    const code = files.map((file) => readFileSync(file, "utf8")).join("\n");
    expect(code).toContain("extends LangChainError");
    expect(packages).toContain("@langchain/core/errors");
  });

  it("loads no tokenizer and no agent framework, not even through core", () => {
    const script = `
      require(${JSON.stringify(join(dist, "index.cjs"))});
      console.log(JSON.stringify(Object.keys(require.cache)));`;
    const output = execFileSync(process.execPath, ["-e", script]);
    const loaded = JSON.parse(output.toString()) as string[];

    expect(loaded.some((file) => file.includes("@langchain/core/"))).toBe(true);
    expect(
      loaded.filter((file) =>
        /node_modules\/(js-tiktoken|langchain|@langchain\/langgraph)\//.test(
          file.replaceAll("\\", "/"),
        ),
      ),
    ).toEqual([]);
  });
});

describe("the walk itself", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "module-graph-"));
    writeFileSync(
      join(folder, "entry.js"),
      [
        'import "node:fs";',
        'export * from "./other.js";',
        'const text = "import \\"not-imported\\"";',
        '// import "commented-out";',
      ].join("\n"),
    );
    writeFileSync(
      join(folder, "other.js"),
      'await import("langchain"); require("js-tiktoken");',
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("sees imports, re-exports, dynamic imports and requires", () => {
    const { files, packages } = moduleGraph(join(folder, "entry.js"));

    expect(files).toHaveLength(2);
    expect(packages).toEqual(["js-tiktoken", "langchain", "node:fs"]);
  });
});
