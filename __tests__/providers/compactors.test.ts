import { describe, it } from "@jest/globals";
import fc from "fast-check";
import { PROVIDERS, type Provider } from "../../src/health/provider.js";
import {
  checkConversation,
  type ConversationProblem,
  repairConversation,
} from "../../src/index.js";
import { oddConversation, show } from "../health/odd-conversation.js";
import { propertyRuns } from "../support/property-runs.js";
import {
  byThemselves,
  type Contender,
  count,
  inHook,
} from "./acceptance/contenders.js";
import { checkWire } from "./wire/check-wire.js";

// What a provider took before a compactor, it takes after it: on conversations
// that were odd and are mended.

/**
 * Bedrock takes no two human messages in a row, and Mistral none behind a tool
 * result, where a record may stand: a compactor by itself knows of neither.
 */
function isTakenOnlyInHook(provider: Provider, compactor: string): boolean {
  return (
    compactor.includes("null") ||
    (provider === "bedrock" && !compactor.includes("Repair")) ||
    (provider === "mistral" && /Collapse|ContextWindow/.test(compactor))
  );
}

const isPending = ({ code }: ConversationProblem): boolean =>
  code === "pending-call";

describe.each(PROVIDERS)("%s takes", (provider) => {
  it.each(inHook)("what $name makes in a hook", async (compactor) => {
    await expectTaken(provider, compactor);
  });

  it.each(
    byThemselves.filter(({ name }) => !isTakenOnlyInHook(provider, name)),
  )("what $name makes by itself", async (compactor) => {
    await expectTaken(provider, compactor);
  });
});

async function expectTaken(
  provider: Provider,
  compactor: Contender,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      oddConversation,
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (odd, share) => {
        const { messages } = repairConversation(odd);
        if (
          checkConversation(messages).some(isPending) ||
          (await checkWire(provider, messages)).length > 0
        ) {
          return;
        }
        const budget = Math.max(Math.floor(share * count(messages)), 1);
        const context = await compactor.shorten(messages, budget, provider);
        const refusals = await checkWire(provider, context);
        if (refusals.length > 0) {
          throw new Error(
            `${refusals[0]!.message}\n${show(context)}\n-- of ${budget} tokens\n${show(messages)}`,
          );
        }
      },
    ),
    propertyRuns(60),
  );
}
