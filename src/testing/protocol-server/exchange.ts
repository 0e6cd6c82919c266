import { randomUUID } from "node:crypto";
import { type Outcome, outcomeOf } from "./answer.js";
import type { Json } from "./json.js";
import type { ModelReply, ModelRequest } from "./model.js";
import type {
  Answer,
  Protocol,
  ProviderProblem,
  ReadRequest,
  Turn,
} from "./protocol.js";
import type { TokenUsageCounter } from "./token-usage.js";

/** The model behind the protocols: its size, and who speaks for it. */
export interface ServedModel {
  readonly respond: (request: ModelRequest) => ModelReply | Promise<ModelReply>;
  /** Tokens. */
  readonly contextWindow: number;
  readonly counter: TokenUsageCounter;
}

/** What becomes of a request. */
export type Fate =
  | { outcome: "answered"; inputTokens: number; answer: Answer; turn: Turn }
  | {
      outcome: "refused" | "failed";
      inputTokens: number;
      problem: ProviderProblem;
    }
  | { outcome: "stalled"; inputTokens: number };

/** Decides what becomes of a request: first the rules, then its size, then the model. */
export async function decideFate(
  protocol: Protocol,
  body: Json,
  model: ServedModel,
  signal: AbortSignal,
): Promise<Fate> {
  for (const problem of protocol.problems(body)) {
    return { outcome: "refused", inputTokens: 0, problem };
  }
  const request = protocol.read(body);
  const size = model.counter.requestSize(request);
  const inputTokens = size.messages + size.tools;
  if (inputTokens + size.maxOutputTokens > model.contextWindow) {
    const problem = protocol.overflow(size, model.contextWindow);
    return { outcome: "refused", inputTokens, problem };
  }
  const outcome = await ask(protocol, request, { model, inputTokens, signal });
  switch (outcome.kind) {
    case "stall":
      return { outcome: "stalled", inputTokens };
    case "failure":
      return {
        outcome: "failed",
        inputTokens,
        problem: protocol.failure(outcome.failure),
      };
    case "answer": {
      const turn: Turn = {
        body,
        model: request.model,
        created: Math.floor(Date.now() / 1000),
        usage: model.counter.usage(size, outcome.answer),
        newId,
      };
      return { outcome: "answered", inputTokens, answer: outcome.answer, turn };
    }
  }
}

async function ask(
  protocol: Protocol,
  { model: name, system, messages, tools, stream }: ReadRequest,
  context: { model: ServedModel; inputTokens: number; signal: AbortSignal },
): Promise<Outcome> {
  const { model, inputTokens, signal } = context;
  try {
    const reply = await model.respond({
      protocol: protocol.name,
      model: name,
      system,
      messages,
      tools,
      stream,
      inputTokens,
      signal,
    });
    return outcomeOf(reply, () => newId(protocol.toolCallPrefix));
  } catch (error) {
    const message = `respond failed: ${String(error)}`;
    return { kind: "failure", failure: { status: 500, message } };
  }
}

/** Random, so that threads which outlive a server never meet an id again. */
function newId(prefix: string): string {
  return prefix + randomUUID().replaceAll("-", "").slice(0, 24);
}
