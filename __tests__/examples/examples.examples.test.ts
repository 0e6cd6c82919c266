import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "@jest/globals";
import {
  auditTask,
  createLedger,
  expectedReport,
} from "../../examples/demo/ledger.js";

const TIMEOUT = 120_000;
const run = promisify(execFile);

/** What an example prints, run as a newcomer runs it and without a key. */
async function output(file: string): Promise<string> {
  const { OPENAI_API_KEY: _, ...env } = process.env;
  const args = ["--import", "tsx", `examples/${file}`];
  const { stdout } = await run(process.execPath, args, { env });
  return stdout;
}

const report = expectedReport(createLedger({ pages: 12 }));

describe("the examples", () => {
  it.each([
    ["react-agent.ts", /compacted: \d+ messages went/],
    ["create-agent.ts", /compacted: \d+ messages left out/],
    ["custom-graph.ts", /compacted: \d+ messages went/],
    ["own-node.ts", /[1-9] compactions, \d+ messages left/],
    ["custom-compactor.ts", /compacted: \d+ tokens saved/],
  ])(
    "%s compacts and comes to the right report",
    async (file, compaction) => {
      const printed = await output(file);
      expect(printed).toMatch(compaction);
      expect(printed).toContain(report);
    },
    TIMEOUT,
  );

  it(
    "lcel-chain.ts shows the model the newest messages only",
    async () => {
      const printed = await output("lcel-chain.ts");
      const [, before] = /(\d+) messages of history/.exec(printed)!;
      const [, shown, tokens] = /shown (\d+) messages, (\d+) tokens/.exec(
        printed,
      )!;
      expect(Number(shown)).toBeLessThan(Number(before));
      expect(Number(tokens)).toBeGreaterThan(200);
      expect(printed).toContain("You asked: And on the last day?");
    },
    TIMEOUT,
  );
});

describe("langgraph.json", () => {
  it(
    "serves an agent that answers without a key",
    async () => {
      delete process.env.OPENAI_API_KEY;
      const { graphs } = JSON.parse(await readFile("langgraph.json", "utf8"));
      const [path, name] = graphs.agent.split(":");
      const module = await import(`../../${path.replace(/\.ts$/, ".js")}`);
      const task = auditTask(createLedger({ pages: 12 }));
      const { messages } = await module[name].invoke(
        { messages: [{ role: "user", content: task }] },
        { recursionLimit: 60 },
      );
      expect(messages.at(-1).text).toBe(report);
    },
    TIMEOUT,
  );
});
