import type { BaseMessage } from "@langchain/core/messages";
import { PROVIDERS, type Provider } from "../../../src/health/provider.js";
import { repairConversation } from "../../../src/index.js";
import type { Conversation } from "../../support/corpus.js";
import { checkWire } from "../wire/check-wire.js";
import { type Contender, count } from "./contenders.js";

/** How many contexts of one contender a provider was asked to take, and did not. */
export interface Acceptance {
  readonly contender: Contender;
  readonly provider: Provider;
  readonly built: number;
  readonly refused: number;
  /** One error, with the conversation that gave it. */
  readonly example?: string;
}

export interface MeasureOptions {
  /** The most requests of one conversation that are looked at. */
  readonly requests: number;
  /** Parts of the tokens of a request that are to be left. */
  readonly shares: readonly number[];
}

/**
 * Runs contenders over the requests behind recorded conversations.
 *
 * Each request is mended for the provider first, and taken only if the
 * provider takes it whole, so that every refusal is the contender's own doing.
 * Built are the contexts that it changed.
 */
export async function measureAcceptance(
  conversations: readonly Conversation[],
  contenders: readonly Contender[],
  options: MeasureOptions,
): Promise<Acceptance[]> {
  const results: Acceptance[] = [];
  for (const provider of PROVIDERS) {
    const requests = await requestsFor(
      provider,
      conversations,
      options.requests,
    );
    for (const contender of contenders) {
      let built = 0;
      let refused = 0;
      let example: string | undefined;
      for (const { id, messages } of requests) {
        for (const share of options.shares) {
          const budget = Math.floor(count(messages) * share);
          const context = await contender.shorten(messages, budget, provider);
          if (isSame(context, messages)) {
            continue;
          }
          built += 1;
          const [refusal] = await checkWire(provider, context);
          if (refusal !== undefined) {
            refused += 1;
            example ??= `${id}: ${refusal.message}`;
          }
        }
      }
      results.push({
        contender,
        provider,
        built,
        refused,
        ...(example === undefined ? {} : { example }),
      });
    }
  }
  return results;
}

interface Request {
  readonly id: string;
  readonly messages: BaseMessage[];
}

async function requestsFor(
  provider: Provider,
  conversations: readonly Conversation[],
  most: number,
): Promise<Request[]> {
  const requests: Request[] = [];
  for (const { id, messages } of conversations) {
    for (const end of spread(requestEnds(messages), most)) {
      const mended = mend(messages.slice(0, end), provider);
      if ((await checkWire(provider, mended)).length === 0) {
        requests.push({ id: `${id} before ${end}`, messages: mended });
      }
    }
  }
  return requests;
}

/** Mistral's client hides calls that were never answered; they are mended for it too. */
function mend(messages: BaseMessage[], provider: Provider): BaseMessage[] {
  const answered = repairConversation(messages, { provider: "openai" });
  return repairConversation(answered.messages, { provider }).messages;
}

/** Where the model was asked: before each of its messages but the first. */
function requestEnds(messages: readonly BaseMessage[]): number[] {
  return messages.flatMap(({ type }, index) =>
    type === "ai" && index > 2 ? [index] : [],
  );
}

/** At most so many entries, evenly from the last one on. */
function spread(entries: readonly number[], most: number): number[] {
  const step = Math.max(entries.length / most, 1);
  const picked: number[] = [];
  for (let at = entries.length - 1; at >= 0; at -= step) {
    picked.push(entries[Math.round(at)]!);
  }
  return picked;
}

function isSame(a: readonly BaseMessage[], b: readonly BaseMessage[]): boolean {
  return (
    a.length === b.length && a.every((message, index) => message === b[index])
  );
}
