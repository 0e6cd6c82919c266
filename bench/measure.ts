import { Bench } from "tinybench";
import { type Summary, summarize } from "./statistics.js";

/** Something that is timed. */
export interface Timed {
  readonly name: string;
  /** What a sample needs and must not pay for: a conversation that nobody has seen, say. */
  prepare?(): void | Promise<void>;
  run(): unknown;
}

export interface Effort {
  /** Times that every contender has its turn. */
  readonly rounds: number;
  /** Milliseconds of a turn; a slow contender gets one sample a turn, a fast one many. */
  readonly turn: number;
  /** Milliseconds of a turn beforehand that is not counted, until the code is compiled; 0 for none. */
  readonly warmUp: number;
}

/**
 * Times contenders in turns, so that a noisy stretch of the machine meets them all.
 *
 * @returns milliseconds by name
 */
export async function measureInTurns(
  contenders: readonly Timed[],
  { rounds, turn, warmUp }: Effort,
): Promise<Map<string, Summary>> {
  if (warmUp > 0) {
    await benchOf(contenders, warmUp).run();
  }
  const bench = benchOf(contenders, turn);
  const samples = new Map<string, number[]>();
  for (let round = 0; round < rounds; round += 1) {
    bench.reset();
    for (const { name, result } of await bench.run()) {
      if ("latency" in result) {
        const earlier = samples.get(name) ?? [];
        samples.set(name, [...earlier, ...(result.latency.samples ?? [])]);
      }
    }
  }
  return new Map(
    [...samples].map(([name, latencies]) => [name, summarize(latencies)]),
  );
}

function benchOf(contenders: readonly Timed[], time: number): Bench {
  const bench = new Bench({
    now: processorTime,
    iterations: 1,
    time,
    warmup: false,
    retainSamples: true,
    throws: true,
  });
  for (const contender of contenders) {
    bench.add(contender.name, async () => contender.run(), {
      async: true,
      beforeAll: () => collectGarbage("major"),
      beforeEach: async () => {
        await contender.prepare?.();
        // Twice: what survives two collections is old, and no later one copies it.
        collectGarbage("minor");
        collectGarbage("minor");
      },
    });
  }
  return bench;
}

/**
 * Milliseconds that this process has computed for, its garbage collector included.
 *
 * On a machine that others use too, the time on the wall says more of them.
 */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** So that nobody pays for what another left behind. */
function collectGarbage(type: "major" | "minor"): void {
  const { gc } = globalThis as { gc?: (options: { type: string }) => void };
  gc?.({ type });
}
