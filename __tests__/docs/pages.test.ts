import { describe, expect, it } from "@jest/globals";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import * as root from "langchain-compaction";
import { compactionMiddleware } from "langchain-compaction/middleware";

const top = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, top), "utf8");
const pages = [
  "README.md",
  ...readdirSync(new URL("docs/", top), { recursive: true })
    .map((name) => `docs/${String(name)}`)
    .filter((path) => path.endsWith(".md")),
];

/** The options that a class names where it is given one that it does not have. */
function optionsOf(make: () => unknown): string[] {
  try {
    make();
  } catch (error) {
    const names = /Its options are (.*)\.$/.exec((error as Error).message);
    return names![1]!.split(", ");
  }
  throw new Error("takes any option");
}

/** The section of a page under a heading. */
function section(path: string, heading: string): string {
  const [, text] = read(path).split(`\n## ${heading}\n`);
  return text!.split("\n## ")[0]!;
}

const wrong = { noSuchOption: 1 } as never;
const OPTIONS: [string, string[]][] = [
  ["CompactionHook", optionsOf(() => new root.CompactionHook(wrong))],
  [
    "SlidingWindowCompactor",
    optionsOf(() => new root.SlidingWindowCompactor(wrong)),
  ],
  [
    "SummarizationCompactor",
    optionsOf(() => new root.SummarizationCompactor(wrong)),
  ],
  ["TurnWindowCompactor", optionsOf(() => new root.TurnWindowCompactor(wrong))],
  ["TruncationCompactor", optionsOf(() => new root.TruncationCompactor(wrong))],
  [
    "ToolCallCollapseCompactor",
    optionsOf(() => new root.ToolCallCollapseCompactor(wrong)),
  ],
  [
    "ContextWindowCompactor",
    optionsOf(() => new root.ContextWindowCompactor(wrong)),
  ],
];

describe("docs/options.md", () => {
  const common = section("docs/options.md", "Every compactor");

  it.each(OPTIONS)("names every option of %s", (name, options) => {
    const text = section("docs/options.md", `\`${name}\``) + common;
    expect(options.filter((option) => !text.includes(`\`${option}\``))).toEqual(
      [],
    );
  });

  it("has a section for every compactor and the middleware", () => {
    const classes = Object.keys(root).filter(
      (name) => name.endsWith("Compactor") && name !== "Compactor",
    );
    const text = read("docs/options.md");
    for (const name of [...classes, compactionMiddleware.name]) {
      expect(text).toContain(`\n## \`${name}\`\n`);
    }
  });
});

describe("README.md", () => {
  it.each(OPTIONS.slice(0, 2))("names every option of %s", (_name, options) => {
    const text = section("README.md", "Options");
    expect(options.filter((option) => !text.includes(`\`${option}\``))).toEqual(
      [],
    );
  });
});

describe("docs/reports-and-errors.md", () => {
  it.each(["src/hook/report.ts", "src/errors.ts"])(
    "names every word of %s",
    (path) => {
      const words = [...read(path).matchAll(/\| "([\w-]+)"/g)].map(
        ([, word]) => word!,
      );
      const fields = [...read(path).matchAll(/^  readonly (\w+)\??:/gm)].map(
        ([, field]) => field!,
      );
      const text = read("docs/reports-and-errors.md");
      expect(words.length).toBeGreaterThan(5);
      expect(
        [...words, ...fields].filter(
          (word) => !new RegExp(`\`"?${word}"?\``).test(text),
        ),
      ).toEqual([]);
    },
  );
});

describe("links", () => {
  it.each(pages)("of %s lead somewhere", (path) => {
    const links = [...read(path).matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(
      ([, link]) => link!,
    );
    expect(
      links.filter((link) => !existsSync(new URL(link, new URL(path, top)))),
    ).toEqual([]);
  });
});
