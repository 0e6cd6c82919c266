import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { GENERATED } from "../fit-estimate/generated.js";
import { records } from "./agent-text.js";
import { Random } from "./random.js";

/** Ordinary text of every kind that agents read. */
export const ordinaryTexts: Readonly<Record<string, string>> = {
  English: comments(typescriptFile("lib.dom.d.ts")),
  code: typescriptFile("typescript.js").slice(2_000_000, 3_000_000),
  JSON: JSON.stringify(translated("de"), undefined, 2),
  logs: records(new Random(1), 400_000),
  CSV: table(new Random(2)),
  Chinese: Object.values(translated("zh-cn")).join("\n"),
  Japanese: Object.values(translated("ja")).join("\n"),
  Korean: Object.values(translated("ko")).join("\n"),
  Russian: Object.values(translated("ru")).join("\n"),
  Arabic: namesIn("ar"),
  Hindi: namesIn("hi"),
  Thai: namesIn("th"),
  Greek: namesIn("el"),
  Hebrew: namesIn("he"),
  base64: randomBytes(new Random(3), 300_000).toString("base64"),
  hex: generated("hex"),
  uuids: generated("uuid"),
  "emoji-rich": generated("emoji"),
};

/** Text without an end of the piece, on which merging by pairs takes quadratic time. */
export const hostileTexts: Readonly<
  Record<string, (characters: number) => string>
> = {
  spaces: (characters) => " ".repeat(characters),
  "line breaks": (characters) => "\n".repeat(characters),
  "one letter": (characters) => "a".repeat(characters),
  "equals signs": (characters) => "=".repeat(characters),
  "random letters": (characters) =>
    drawn("abcdefghijklmnopqrstuvwxyz", characters),
  "Chinese without punctuation": (characters) =>
    drawn(chineseCharacters(), characters),
  emoji: (characters) => repeated(["😀", "🦊", "🚀", "🧭"], characters),
  "signs and emoji in turns": (characters) => repeated(["=😀"], characters),
  "letters of two scripts in turns": (characters) =>
    repeated(["a中"], characters),
  base64: (characters) =>
    randomBytes(new Random(4), characters)
      .toString("base64")
      .slice(0, characters),
};

function typescriptFile(path: string): string {
  const library = dirname(createRequire(import.meta.url).resolve("typescript"));
  return readFileSync(join(library, path), "utf8");
}

/** The compiler's messages in another language. */
function translated(language: string): Record<string, string> {
  const path = join(language, "diagnosticMessages.generated.json");
  return JSON.parse(typescriptFile(path)) as Record<string, string>;
}

/** What languages, countries and currencies are called in a language, of which no package here has prose. */
function namesIn(language: string): string {
  const alphabet = [..."abcdefghijklmnopqrstuvwxyz"];
  const codes = alphabet.flatMap((a) => alphabet.map((b) => a + b));
  return [
    ...named("language", codes),
    ...named(
      "region",
      codes.map((code) => code.toUpperCase()),
    ),
    ...named("currency", Intl.supportedValuesOf("currency")),
  ].join("\n");

  function named(type: Intl.DisplayNamesType, of: string[]): string[] {
    const names = new Intl.DisplayNames(language, { type, fallback: "none" });
    return of.flatMap((code) => names.of(code) ?? []);
  }
}

/** The texts that also test how right the estimate is. */
function generated(wanted: string): string {
  return GENERATED.filter(({ kind, isFitted }) => kind === wanted && !isFitted)
    .map(({ text }) => text)
    .join("\n");
}

/** The sentences in a declaration file: what its comments say. */
function comments(code: string): string {
  return [...code.matchAll(/^ *\* (?!@|\[)(.{40,})$/gm)]
    .map(([, sentence]) => sentence)
    .join("\n");
}

function table(random: Random): string {
  const rows = Array.from({ length: 8_000 }, (_, row) =>
    [
      row,
      `2024-0${1 + random.below(9)}-1${random.below(10)}`,
      random.pick(["open", "closed", "on hold"]),
      (random.next() * 10_000).toFixed(2),
      random.below(1e6),
    ].join(","),
  );
  return ["id,date,state,amount,customer", ...rows].join("\n");
}

function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}

function drawn(alphabet: string, characters: number): string {
  const random = new Random(5);
  return Array.from({ length: characters }, () => random.pick(alphabet)).join(
    "",
  );
}

function repeated(parts: readonly string[], characters: number): string {
  return parts
    .join("")
    .repeat(Math.ceil(characters / parts.join("").length))
    .slice(0, characters);
}

/** Common and rare ones. */
function chineseCharacters(): string {
  return String.fromCodePoint(
    ...Array.from({ length: 5_000 }, (_, index) => 0x4e00 + index * 4),
  );
}
