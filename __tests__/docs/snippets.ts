import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";

/** A page of documentation as one program: its snippets in order, each seeing the names of those before it. */
export interface Page {
  /** Path from the root of the repository. */
  readonly path: string;
  /** Lines at which its snippets begin. */
  readonly lines: readonly number[];
  /** The program, in TypeScript. */
  readonly program: string;
}

/** All pages that have snippets, the README first. */
export function readPages(root: URL): Page[] {
  const docs = readdirSync(new URL("docs/", root), { recursive: true });
  return ["README.md", ...docs.map((name) => `docs/${String(name)}`).toSorted()]
    .filter((path) => path.endsWith(".md"))
    .map((path) => toPage(path, readFileSync(new URL(path, root), "utf8")))
    .filter(({ lines }) => lines.length > 0);
}

/**
 * Puts the snippets of a page into one program.
 *
 * Imports go to the top, merged. Each snippet opens a block that holds the next
 * one, so that a later snippet sees what an earlier one declared and may
 * declare it again. A comment behind an expression that is JSON is what the
 * expression has to give.
 */
export function toPage(path: string, markdown: string): Page {
  const imports = new Map<string, Set<string>>();
  const lines: number[] = [];
  let body = "";
  for (const { code, line } of snippetsIn(markdown)) {
    lines.push(line);
    body += `{ at("${path}:${line}");\n${withoutImports(code, imports)}\n`;
  }
  const header = [...imports].map(([from, names]) =>
    names.size === 0
      ? `import "${from}";`
      : `import { ${[...names].join(", ")} } from "${from}";`,
  );
  // What pages take for granted, unless they bring it themselves.
  const given = `import * as given from "${PRELUDE}";\nconst { at, gives, model, tools, messages, prompt } = given;`;
  return {
    path,
    lines,
    program: `${header.join("\n")}\n${given}\n${body}${"}".repeat(lines.length)}\n`,
  };
}

/** The module behind the names that pages take for granted. */
const PRELUDE = new URL("./prelude.ts", import.meta.url).pathname;

function snippetsIn(markdown: string): { code: string; line: number }[] {
  return [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => ({
    code: match[1]!,
    line: markdown.slice(0, match.index).split("\n").length + 1,
  }));
}

function withoutImports(
  code: string,
  imports: Map<string, Set<string>>,
): string {
  const source = ts.createSourceFile(
    "snippet.ts",
    code,
    ts.ScriptTarget.Latest,
  );
  let rest = "";
  for (const statement of source.statements) {
    const text = code.slice(statement.pos, statement.end);
    if (!ts.isImportDeclaration(statement)) {
      const expected = ts.isExpressionStatement(statement)
        ? jsonBehind(code, statement.end)
        : undefined;
      rest +=
        expected === undefined
          ? text.replace(/^(\s*)export /, "$1")
          : `\ngives(${text.trim().replace(/;$/, "")}, ${expected});`;
      continue;
    }
    const from = (statement.moduleSpecifier as ts.StringLiteral).text;
    const names = imports.get(from) ?? new Set();
    imports.set(from, names);
    const bindings = statement.importClause?.namedBindings;
    for (const name of bindings && ts.isNamedImports(bindings)
      ? bindings.elements
      : []) {
      const isType =
        name.isTypeOnly ||
        statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      names.add(`${isType ? "type " : ""}${name.name.text}`);
    }
  }
  return rest;
}

/** The JSON in the comments that follow a statement, at its end or on lines of their own. */
function jsonBehind(code: string, end: number): string | undefined {
  const comments = /^(?:\s*\/\/[^\n]*)+/.exec(code.slice(end))?.[0] ?? "";
  const text = comments.replaceAll(/^\s*\/\/ ?/gm, "").trim();
  try {
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}
