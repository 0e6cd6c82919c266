import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { SummarizationCompactor } from "../../src/index.js";
import { markOf } from "./anatomy.js";
import type {
  ExpectedSummarization,
  ScriptedAnswer,
  SummarizationRules,
} from "./summarization-rules.js";
import { toMessage, type VectorMessage } from "./vectors.js";

/** A row's message whose text is its id, by which a transcript can be read. */
export function toTraceableMessage(row: VectorMessage): BaseMessage {
  return toMessage({ ...row, content: traceOf(row.id) });
}

/**
 * One pass of the package's summarization with a summariser that answers by
 * the script, and what came of it in the words of the rules.
 *
 * The texts of the messages have to say their ids, as `toTraceableMessage` makes them.
 */
export async function runSummarization(
  messages: readonly BaseMessage[],
  rules: SummarizationRules,
): Promise<{ after: BaseMessage[] | null; outcome: ExpectedSummarization }> {
  const known = new Set(messages);
  const transcripts: string[] = [];
  const compactor = new SummarizationCompactor({
    model: {
      invoke: async ([, conversation]) => {
        const round = transcripts.push(conversation!.content as string) - 1;
        return reply(rules.script[round], round);
      },
    },
    minKeepSteps: rules.minKeepSteps,
    approximateSummaryTokens: rules.summaryTokens,
    raiseOnFailure: rules.raiseOnFailure,
  });
  let after: BaseMessage[] | null = null;
  let raises = false;
  try {
    after = await compactor.compact(messages, {
      targetTokens: rules.target,
      tokenCounter: ([message]) =>
        known.has(message!)
          ? rules.count(message!)
          : tokensOf(rules.script[roundOf(message!)]!),
    });
  } catch {
    raises = true;
  }

  const seen = [...transcripts, ...(after ?? []).map(({ text }) => text)];
  const names = new Map<string, string>();
  const outcomes = transcripts.map((_, round) => {
    const answer = rules.script[round]!;
    if (answer.kind === "error") {
      return "error" as const;
    }
    if (answer.kind !== "text" || answer.text.trim() === "") {
      return "no-text" as const;
    }
    if (!seen.some((text) => text.includes(traceOf(`r${round}`)))) {
      return "no-shrink" as const;
    }
    names.set(`r${round}`, `@s${names.size}`);
    return "ok" as const;
  });
  const nameOf = (id: string): string => names.get(id) ?? id;
  const made = (after ?? []).filter((message) => !known.has(message));
  return {
    after,
    outcome: {
      rounds: transcripts.map((text, round) => ({
        summarized: tracesIn(text).map(nameOf),
        outcome: outcomes[round]!,
      })),
      order:
        after?.map((message) =>
          known.has(message)
            ? message.id!
            : nameOf(tracesIn(message.content as string)[0]!),
        ) ?? null,
      counts: made.map((message) => markOf(message)!.standsFor),
      raises,
    },
  };
}

function traceOf(id: string): string {
  return `«${id}»`;
}

function tracesIn(text: string): string[] {
  return [...text.matchAll(/«([^»]+)»/g)].map(([, id]) => id!);
}

/** The call that a summary was written in. */
function roundOf(summary: BaseMessage): number {
  return Number(tracesIn(summary.content as string)[0]!.slice(1));
}

function tokensOf(answer: ScriptedAnswer): number {
  return answer.kind === "text" ? answer.tokens : 0;
}

function reply(answer: ScriptedAnswer | undefined, round: number): AIMessage {
  if (answer === undefined || answer.kind === "error") {
    throw new Error("The summariser is away.");
  }
  const text = answer.kind === "no_reply" ? "" : answer.text;
  return new AIMessage(
    text.trim() === "" ? text : `${traceOf(`r${round}`)}${text}`,
  );
}
