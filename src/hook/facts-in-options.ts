import {
  type CompactionHookOptions,
  type HookSettings,
  windowOf,
} from "./settings.js";
import { knownOverhead } from "./size-up.js";
import type { RequestFacts } from "./view-request.js";

/** What the options say of a request, where its door has not measured it. */
export async function factsInOptions(
  settings: HookSettings,
  {
    reserveOutputTokens = 0,
  }: Pick<CompactionHookOptions<string>, "reserveOutputTokens">,
  signal: AbortSignal | undefined,
): Promise<RequestFacts> {
  return {
    inputWindow: await windowOf(settings),
    overheadTokens: await knownOverhead(settings, signal),
    provider: settings.provider,
    reservedTokens: reserveOutputTokens,
  };
}
