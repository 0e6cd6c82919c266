import type { Provider } from "../health/provider.js";
import type { CompactionHookOptions, HookSettings } from "./settings.js";

/** Whose rules a hook goes by: those that are stated, or else those of the called model where it is known. */
export function readRuleSets(
  {
    provider,
    repair,
  }: Pick<CompactionHookOptions<string>, "provider" | "repair">,
  called: Provider | undefined,
): Pick<HookSettings, "provider" | "repair"> {
  const stated = provider ?? (repair ? "strict" : undefined);
  return {
    repair: repair ? stated : undefined,
    provider: stated ?? called,
  };
}
