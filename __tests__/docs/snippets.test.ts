import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import {
  type ModelReply,
  type ModelRequest,
  type ProtocolServer,
  startProtocolServer,
} from "langchain-compaction/testing";
import { type Page, readPages, toPage } from "./snippets.js";

const root = new URL("../../", import.meta.url);
const pages = readPages(root);

/** Where the programs lie while they run: in a package's folder, so that they find all packages. */
const folder = new URL(`node_modules/.cache/snippets-${process.pid}/`, root);

const { log } = console;
let server: ProtocolServer;

beforeAll(async () => {
  server = await startProtocolServer({ respond: answer });
  process.env["OPENAI_API_KEY"] = "unused";
  process.env["OPENAI_BASE_URL"] = server.baseURL;
  process.env["ANTHROPIC_API_KEY"] = "unused";
  process.env["ANTHROPIC_BASE_URL"] = server.anthropicURL;
  console.log = () => {};
  mkdirSync(folder, { recursive: true });
});

afterAll(async () => {
  console.log = log;
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

/** Three calls of the first tool for each question, then an answer. */
function answer({ messages, tools }: ModelRequest): ModelReply {
  const question = messages.findLastIndex(({ role }) => role === "user");
  const calls = messages
    .slice(question)
    .filter(({ role }) => role === "assistant").length;
  return tools.length === 0 || calls >= 3
    ? "Nothing much."
    : { toolCalls: [{ name: tools[0]!.name, args: { query: "changes" } }] };
}

describe("the snippets of", () => {
  it.each(pages.map((page) => [page.path, page] as const))(
    "%s run",
    async (_path, page) => run(page),
  );

  it("are right by the compiler, which finds what is wrong", () => {
    const wrong = pageOf("const word: string = 5;");
    expect(typeErrors([...pages, wrong])).toEqual([
      expect.stringMatching(/^x\.md:4: Type 'number'/),
    ]);
  });
});

describe("a wrong snippet", () => {
  it.each([
    ["throws", 'throw new Error("x");'],
    ["says what is not so", "1 + 1; // 3"],
    [
      "knows no such import",
      'import { no } from "langchain-compaction"; no();',
    ],
  ])("is found where it %s", async (_name, code) => {
    await expect(run(pageOf(code))).rejects.toThrow();
  });

  it("is named by its line", async () => {
    await expect(run(pageOf("missing();"))).rejects.toThrow("x.md:4");
  });
});

it("the README's agents call the model and its tools", () => {
  expect(pages[0]!.path).toBe("README.md");
  const calls = server.requests.filter(({ body }) => "tools" in body);
  expect(calls.length).toBeGreaterThanOrEqual(8);
  expect(server.requests.every(({ outcome }) => outcome === "answered")).toBe(
    true,
  );
});

function pageOf(code: string): Page {
  return toPage("x.md", `# A page\n\n\`\`\`ts\n${code}\n\`\`\`\n`);
}

let programs = 0;

async function run(page: Page): Promise<void> {
  programs += 1;
  const file = new URL(`${programs}.mjs`, folder);
  writeFileSync(file, toJavaScript(page));
  try {
    await import(fileURLToPath(file));
  } catch (cause) {
    const { snippet } = globalThis as { snippet?: string };
    throw new Error(`The snippet at ${snippet} failed.`, { cause });
  }
}

function toJavaScript({ program }: Page): string {
  return ts.transpileModule(program, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
    },
  }).outputText;
}

/** What the compiler says against the programs, with the snippet that it is about. */
function typeErrors(given: readonly Page[]): string[] {
  const config = ts.readConfigFile(
    fileURLToPath(new URL("tsconfig.json", root)),
    (path) => ts.sys.readFile(path),
  );
  const { options } = ts.parseJsonConfigFileContent(
    config.config,
    ts.sys,
    fileURLToPath(root),
  );
  options.noUnusedLocals = false;
  options.allowImportingTsExtensions = true;
  const texts = new Map(
    given.map(({ path, program }) => [
      fileURLToPath(
        new URL(`__tests__/docs/${path.replaceAll("/", "-")}.ts`, root),
      ),
      program,
    ]),
  );
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => texts.has(name) || disk.fileExists(name),
    readFile: (name) => texts.get(name) ?? disk.readFile(name),
    getSourceFile: (name, version, ...rest) =>
      texts.has(name)
        ? ts.createSourceFile(name, texts.get(name)!, version)
        : disk.getSourceFile(name, version, ...rest),
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return [...texts.keys()].flatMap((name) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(name))
      .map(({ start, messageText }) => {
        const place = [
          ...texts
            .get(name)!
            .slice(0, start)
            .matchAll(/at\("(.*?)"\)/g),
        ].at(-1)?.[1];
        return `${place}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
      }),
  );
}
