import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import { patchConfig, type RunnableConfig } from "@langchain/core/runnables";

/** The config for what a traced run calls, so that it shows up inside that run. */
export function innerConfig(
  config: Partial<RunnableConfig> | undefined,
  runManager: CallbackManagerForChainRun | undefined,
): Partial<RunnableConfig> {
  return patchConfig(config, { callbacks: runManager?.getChild() });
}
