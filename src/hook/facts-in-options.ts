import { providerOf, providerOfCalled } from "../health/model-provider.js";
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

/** The same where the model that is called is at hand: it says whose rules go, as long as no option does. */
export async function factsWithModel(
  settings: HookSettings,
  options: CompactionHookOptions<string>,
  model: object,
  signal: AbortSignal | undefined,
): Promise<RequestFacts> {
  const facts = await factsInOptions(settings, options, signal);
  if (options.provider !== undefined || options.repair) {
    return facts;
  }
  // A model that does not say what it is leaves the window's to go by.
  const called =
    (await providerOfCalled(model)) ?? providerOf(options.contextWindow);
  return { ...facts, provider: called };
}
