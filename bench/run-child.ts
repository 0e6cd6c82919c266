import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../", import.meta.url));
const run = promisify(execFile);

/** What a module prints, as JSON, that runs in a process of its own with the package built. */
export async function runChild<Result>(module: string): Promise<Result> {
  const { stdout } = await run(
    process.execPath,
    ["--expose-gc", "--input-type=module", "--eval", module],
    { cwd: root },
  );
  return JSON.parse(stdout) as Result;
}
