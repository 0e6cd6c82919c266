import {
  entryPoints,
  type ImportContender,
  tokenizerLoads,
} from "../contenders/imports.js";
import { runChild } from "../run-child.js";
import {
  type Bar,
  type Measurement,
  ratio,
  type Suite,
  type SuiteResult,
} from "../results.js";
import { summarize } from "../statistics.js";

interface Load {
  /** Milliseconds of processor time. */
  milliseconds: number;
  /** MB of memory that the process needs more. */
  resident: number;
}

const TIME = "time, ms";
const MEMORY = "memory, MB";

/** What a program pays once: the import of each entry point. */
export const imports: Suite = {
  name: "imports",
  async run({ isQuick }) {
    return {
      title: "Imports",
      about:
        "Each in a process of its own; processor time and memory that the process needs more.",
      reference: "@langchain/core, messages and runnables",
      measurements: await measureLoads(entryPoints, isQuick ? 1 : 11),
      bars: [],
    };
  },
};

/** What loading an exact tokenizer costs. */
export const tokenizerImports: Suite = {
  name: "tokenizer-imports",
  async run({ isQuick }): Promise<SuiteResult> {
    const measurements = await measureLoads(tokenizerLoads, isQuick ? 1 : 11);
    return {
      title: "Loading a tokenizer",
      about:
        "Up to the first count, by o200k_base, each in a process of its own.",
      reference: "TiktokenCounter",
      measurements,
      bars: [TIME, MEMORY].map((on) => barOf(on, measurements)),
    };
  },
};

function barOf(on: string, measurements: readonly Measurement[]): Bar {
  return {
    demand: `js-tiktoken needs times as much: ${on}`,
    at: "least",
    bar: 1,
    measured: ratio(measurements, on, "js-tiktoken", "TiktokenCounter"),
  };
}

async function measureLoads(
  contenders: readonly ImportContender[],
  rounds: number,
): Promise<Measurement[]> {
  const loads = new Map<string, Load[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of contenders) {
      const load = await runChild<Load>(moduleOf(contender));
      loads.set(contender.name, [...(loads.get(contender.name) ?? []), load]);
    }
  }
  return [...loads].flatMap(([contender, all]) => [
    {
      contender,
      on: TIME,
      value: summarize(all.map(({ milliseconds }) => milliseconds)),
    },
    {
      contender,
      on: MEMORY,
      value: summarize(all.map(({ resident }) => resident)),
    },
  ]);
}

function moduleOf({ before = "", load }: ImportContender): string {
  return `${before}
    gc();
    const resident = process.memoryUsage.rss();
    const start = process.cpuUsage();
    ${load}
    const { user, system } = process.cpuUsage(start);
    gc();
    console.log(JSON.stringify({
      milliseconds: (user + system) / 1_000,
      resident: (process.memoryUsage.rss() - resident) / 2 ** 20,
    }));`;
}
