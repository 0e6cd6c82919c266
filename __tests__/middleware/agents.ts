import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { tool as defineTool } from "@langchain/core/tools";
import {
  type CompactionReport,
  SlidingWindowCompactor,
} from "langchain-compaction";
import {
  compactionMiddleware,
  type CompactionMiddlewareOptions,
} from "langchain-compaction/middleware";
import { z } from "zod";
import { tens } from "../hook/threads.js";
import { ai } from "../support/make-messages.js";

export type FakeModel = ReturnType<typeof fakeModel>;

/** A tool that costs 10 tokens. */
export const lookUp = defineTool(async () => "done", {
  name: "look_up",
  description: "Looks something up.",
  schema: z.object({}),
});

/** A model that calls the tool so many times, and then answers. */
export function busyModel(calls: number, prefix = ""): FakeModel {
  const model = fakeModel();
  for (let call = 1; call <= calls; call += 1) {
    model.respond(ai(`${prefix}a${call}`, [`${prefix}c${call}`]));
  }
  return model.respond(ai(`${prefix}end`));
}

/** Says what window a model has. */
export function withProfile<Model extends object>(
  model: Model,
  profile: { maxInputTokens?: number; maxOutputTokens?: number },
): Model {
  return Object.defineProperty(model, "profile", { value: profile });
}

/** Over a window of 400 tokens: starts at 200, goes down to 100; ten tokens a message. */
export function compaction(
  options: Partial<CompactionMiddlewareOptions> = {},
): {
  middleware: ReturnType<typeof compactionMiddleware>;
  reports: CompactionReport[];
} {
  const reports: CompactionReport[] = [];
  const middleware = compactionMiddleware({
    compactor: new SlidingWindowCompactor(),
    contextWindow: 400,
    compactAt: 0.5,
    compactTo: 0.25,
    tokenCounter: tens,
    onReport: (report) => {
      reports.push(report);
    },
    ...options,
  });
  return { middleware, reports };
}

/** What is written down on a reply. */
export function decisionOn(
  message: BaseMessage,
): Record<string, unknown> | undefined {
  return (message as AIMessage).response_metadata["context_compaction"] as
    | Record<string, unknown>
    | undefined;
}

/** How many of the reports are of compactions. */
export function firings(reports: readonly CompactionReport[]): number {
  return reports.filter(({ outcome }) => outcome === "compacted").length;
}

/** How often what was sent is not what was sent before with something added. */
export function breaksIn(model: FakeModel): number {
  const sent = model.calls.map(({ messages }) => messages.map(wire));
  return sent.filter(
    (messages, call) =>
      call > 0 &&
      sent[call - 1]!.some((message, index) => message !== messages[index]),
  ).length;
}

function wire({ type, content }: BaseMessage): string {
  return JSON.stringify({ type, content });
}
