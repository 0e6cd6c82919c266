import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { PROVIDERS } from "../../../src/health/provider.js";
import { CORPUS, toConversations } from "../../support/corpus.js";
import { byThemselves, type Contender, inHook, peers } from "./contenders.js";
import { measureAcceptance } from "./measure-acceptance.js";

// Prints the tables of docs/health.md: `npm run acceptance`.

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "4" },
    examples: { type: "boolean", default: false },
  },
});

const corpus = new URL(`../../../../shared/${CORPUS}`, import.meta.url);
const lines = gunzipSync(readFileSync(corpus))
  .toString("utf8")
  .trim()
  .split("\n");

const conversations = toConversations(
  lines.map((line) => JSON.parse(line) as unknown),
);

console.log("Ours in a hook that knows its provider, and LangChain's:\n");
await printTable([...inHook, ...peers]);
console.log("\nOurs by themselves:\n");
await printTable(byThemselves);

async function printTable(contenders: readonly Contender[]): Promise<void> {
  const results = await measureAcceptance(conversations, contenders, {
    requests: Number(values.requests),
    shares: [0.3, 0.6],
  });
  console.log(`| | ${PROVIDERS.join(" | ")} |`);
  console.log(`| --- |${" ---: |".repeat(PROVIDERS.length)}`);
  for (const contender of contenders) {
    const cells = PROVIDERS.map((provider) => {
      const { built, refused } = results.find(
        (result) =>
          result.contender === contender && result.provider === provider,
      )!;
      return `${refused} of ${built}`;
    });
    console.log(`| ${contender.name} | ${cells.join(" | ")} |`);
  }
  if (values.examples) {
    for (const { contender, provider, example } of results) {
      if (example !== undefined) {
        console.log(`${contender.name}, ${provider}: ${example}`);
      }
    }
  }
}
