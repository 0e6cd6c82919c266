import type { CompactionReport } from "langchain-compaction";
import type { RecordedRequest } from "langchain-compaction/testing";
import pc from "picocolors";
import type { Check } from "./verdict.js";

const BAR_WIDTH = 40;
const isTerminal = process.stdout.isTTY === true;

/** Prints each model call of a run: as a chart in a terminal, as plain lines elsewhere. */
export class RunPrinter {
  readonly #contextWindow: number;
  #calls = 0;

  constructor(title: string, contextWindow: number) {
    this.#contextWindow = contextWindow;
    print(`\n${pc.bold(title)}`);
  }

  request(request: RecordedRequest): void {
    this.#calls += 1;
    const { inputTokens: tokens, outcome, error } = request;
    const share = tokens / this.#contextWindow;
    const size = `${number(tokens)} tokens, ${Math.round(share * 100)} %`;
    const call = `call ${String(this.#calls).padStart(2)}`;
    const bar = isTerminal ? `  ${coloredBar(share)}` : "";
    print(`${call}${bar}  ${size}`);
    if (outcome !== "answered") {
      print(pc.red(`         ${outcome}: ${request.status} ${error?.code}`));
      print(pc.red(`         ${error?.message}`));
    }
  }

  compaction({ outcome, removedIds, ...report }: CompactionReport): void {
    if (outcome === "compacted") {
      const { tokensBefore, tokensAfter } = report;
      print(
        pc.cyan(
          `         compacted: ${number(tokensBefore)} -> ${number(tokensAfter)} tokens, ${removedIds.length} messages went`,
        ),
      );
    }
  }
}

/** Prints whether something turned out as it should. */
export function printCheck({ passed, text }: Check): void {
  print(passed ? pc.green(`ok      ${text}`) : pc.red(`FAILED  ${text}`));
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function coloredBar(share: number): string {
  const filled = Math.min(BAR_WIDTH, Math.round(share * BAR_WIDTH));
  const color = share > 1 ? pc.red : share >= 0.7 ? pc.yellow : pc.green;
  const rest = pc.dim("░".repeat(BAR_WIDTH - filled));
  return color("█".repeat(filled)) + rest;
}

function number(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
