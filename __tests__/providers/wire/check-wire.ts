import type { BaseMessage } from "@langchain/core/messages";
import { refusalsByAnthropic } from "./anthropic-rules.js";
import { refusalsByBedrock } from "./bedrock-rules.js";
import { refusalsByGemini } from "./gemini-rules.js";
import { refusalsByMistral } from "./mistral-rules.js";
import { refusalsByOllama } from "./ollama-rules.js";
import { refusalsByOpenAI } from "./openai-rules.js";
import { refusalsByResponses } from "./responses-rules.js";
import { sendWith } from "./send.js";
import type { Json, Refusal, WireProvider } from "./wire-provider.js";

/** What each provider refuses in a request body; none of them knows our source. */
export const REFUSALS_BY: Readonly<
  Record<WireProvider, (body: Json) => Refusal[]>
> = {
  openai: refusalsByOpenAI,
  "openai-responses": refusalsByResponses,
  anthropic: refusalsByAnthropic,
  gemini: refusalsByGemini,
  mistral: refusalsByMistral,
  bedrock: refusalsByBedrock,
  ollama: refusalsByOllama,
};

/**
 * Why this provider would not answer these messages, sent by its real LangChain client.
 *
 * Empty when it would. A client that throws before it sends anything refuses.
 */
export async function checkWire(
  provider: WireProvider,
  messages: readonly BaseMessage[],
): Promise<Refusal[]> {
  let body: Json;
  try {
    body = await sendWith(provider, messages);
  } catch (error) {
    return [{ by: "client", message: (error as Error).message }];
  }
  return REFUSALS_BY[provider](body);
}
