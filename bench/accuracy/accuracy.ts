// How far estimates of a request's size are off, on recorded conversations.
//
// Grows each conversation call by call, sends each request to the local server
// with the real OpenAI client, and prints the tables of docs/accuracy.md, for
// every third request.
//
//   npx tsx bench/accuracy/accuracy.ts path/to/conversations.jsonl.gz
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { countTokensApproximately } from "langchain";
import { toConversations } from "../../__tests__/support/corpus.js";
import {
  CompactionHook,
  type CompactionReport,
  defaultTokenCounter,
} from "../../src/index.js";
import {
  type ModelReply,
  startProtocolServer,
} from "../../src/testing/index.js";

/** Parts by which estimates are off, above the truth or below. */
type Errors = number[];

const EVERY = 3;
/** The part of a request that a compaction is to leave. */
const KEPT = 0.4;
/** Tokens. Nobody decides anything about less. */
const LEAST = 2_000;
const path = process.argv[2]!;
const lines = gunzipSync(readFileSync(path)).toString().trim().split("\n");
// What this client does not send is left out: it would be no fault of a counter.
const conversations = toConversations(lines.map((line) => JSON.parse(line)))
  .filter(({ messages }) => !messages.some(hasForeignBlocks))
  .map(({ messages }) => messages.map(withoutReasoning));

let answer: AIMessage;
await using server = await startProtocolServer({
  contextWindow: 10_000_000,
  respond: () => replyOf(answer),
});
const model = new ChatOpenAI({
  model: "gpt-4.1",
  apiKey: "unused",
  maxRetries: 0,
  configuration: { baseURL: server.baseURL },
});

/** Tokens of one message, by several counters. */
const COUNTERS: Record<string, (message: BaseMessage) => number> = {
  "the default counter": (message) => defaultTokenCounter.countMessage(message),
  "`countTokensApproximately`": (message) =>
    countTokensApproximately([message]),
  "characters ÷ 4": (message) => charactersOf(message) / 4,
  "characters ÷ 8": (message) => charactersOf(message) / 8,
};

const withReport: Record<string, Errors> = {};
const withoutReport: Record<string, Errors> = {};
const counted: Record<string, Errors> = {};
const left: Record<string, Errors> = {};
let leftOut = 0;

for (const messages of conversations) {
  const reported = await reportAll(messages);
  const calls = messages.flatMap((message, index) =>
    message.type === "ai" && index > 0 ? index : [],
  );
  for (let call = 1; call < calls.length; call += EVERY) {
    const now = calls[call]!;
    const truth = inputOf(reported[now]!);
    const before = usageOf(reported[calls[call - 1]!]!);
    if (before === undefined || truth === undefined || truth < LEAST) {
      leftOut += 1;
      continue;
    }
    const request = reported.slice(0, now);
    const approximately = countTokensApproximately(messages.slice(0, now));
    const characters =
      JSON.stringify(messages.slice(0, now).map(textOf)).length / 4;

    const ours = await sizedUp(request, COUNTERS["the default counter"]!);
    note(withReport, "this package", ours.tokensBefore, truth);
    note(
      withReport,
      "newest report alone (LangChain, Python)",
      before.total_tokens,
      truth,
    );
    for (const [table, isMeant] of [
      [withReport, true],
      [withoutReport, !request.some(hasMedia)],
    ] as const) {
      if (isMeant) {
        if (table === withoutReport) {
          const all = count(request, COUNTERS["the default counter"]!);
          note(table, "this package", all, truth);
        }
        note(
          table,
          "`countTokensApproximately` (LangChain, JS)",
          approximately,
          truth,
        );
        note(table, "characters ÷ 4", characters, truth);
      }
    }

    for (const [name, counter] of Object.entries(COUNTERS)) {
      const tail = request.slice(calls[call - 1]! + 1);
      const plain = before.total_tokens + count(tail, counter);
      const report = await sizedUp(request, counter);
      note(counted, `${name}, as it is`, plain, truth);
      note(counted, `${name}, corrected`, report.tokensBefore, truth);

      const start = calls[0]!;
      const cut = calls.findLast(
        (index) =>
          index < now &&
          inputOf(reported[index]!) !== undefined &&
          count(request.slice(index), counter) >=
            KEPT * count(request, counter),
      );
      const first = inputOf(reported[start]!);
      if (cut !== undefined && cut > start && first !== undefined) {
        const kept = [...request.slice(0, start), ...request.slice(cut)];
        const after = truth - inputOf(reported[cut]!)! + first;
        const bare = plain - count(request, counter) + count(kept, counter);
        note(left, `${name}, as it is`, bare, after);
        note(
          left,
          `${name}, corrected`,
          report.overheadTokens! + report.counterFactor! * count(kept, counter),
          after,
        );
      }
    }
  }
}

console.log(
  `${leftOut} calls are left out: too small, or refused by the server.\n`,
);
table("With a report on the answer before", withReport);
table("Without any report, and without media", withoutReport);
table("With reports, by other counters", counted);
table("What a compaction leaves, by other counters", left);

/** The conversation with what the server reports on each of its answers. */
async function reportAll(
  messages: readonly BaseMessage[],
): Promise<BaseMessage[]> {
  const reported: BaseMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const usage =
      message.type === "ai" && index > 0
        ? await ask(messages, index)
        : undefined;
    const { content, tool_calls: calls = [] } = message as AIMessage;
    reported.push(
      usage === undefined
        ? message
        : new AIMessage({
            content,
            tool_calls: calls,
            usage_metadata: {
              input_tokens: usage.input,
              output_tokens: usage.output,
              total_tokens: usage.input + usage.output,
            },
          }),
    );
  }
  return reported;
}

/** What a hook goes by for a request, whatever its size. */
async function sizedUp(
  request: readonly BaseMessage[],
  counter: (message: BaseMessage) => number,
): Promise<CompactionReport> {
  const hook = new CompactionHook({
    compactor: { compact: async () => null },
    contextWindow: 10_000_000,
    compactAt: () => true,
    compactTo: { tokens: 1 },
    tokenCounter: ([message]: BaseMessage[]) => counter(message!),
  });
  return (await hook.compact(request)).report;
}

function note(
  errors: Record<string, Errors>,
  name: string,
  size: number,
  truth: number,
): void {
  (errors[name] ??= []).push(size / truth - 1);
}

async function ask(
  messages: readonly BaseMessage[],
  at: number,
): Promise<{ input: number; output: number } | undefined> {
  answer = messages[at] as AIMessage;
  try {
    const reply = await model.invoke(messages.slice(0, at));
    const { input_tokens: input, output_tokens: output } =
      reply.usage_metadata!;
    return Number.isFinite(input + output) ? { input, output } : undefined;
  } catch {
    return undefined;
  }
}

function replyOf({ text, tool_calls: calls = [] }: AIMessage): ModelReply {
  return {
    text,
    toolCalls: calls.map(({ name, args }) => ({ name, args })),
  };
}

function count(
  messages: readonly BaseMessage[],
  counter: (message: BaseMessage) => number,
): number {
  return messages.reduce((sum, message) => sum + counter(message), 0);
}

function usageOf(message: BaseMessage): AIMessage["usage_metadata"] {
  return (message as AIMessage).usage_metadata;
}

function inputOf(message: BaseMessage): number | undefined {
  return usageOf(message)?.input_tokens;
}

function charactersOf(message: BaseMessage): number {
  return JSON.stringify(textOf(message)).length;
}

function textOf(message: BaseMessage): string {
  return message.text + JSON.stringify((message as AIMessage).tool_calls ?? "");
}

function withoutReasoning(message: BaseMessage): BaseMessage {
  const { reasoning_content: _, ...sent } = message.additional_kwargs;
  message.additional_kwargs = sent;
  return message;
}

function hasForeignBlocks({ content }: BaseMessage): boolean {
  return (
    Array.isArray(content) &&
    content.some(({ type }) => /thinking|tool_|reasoning/.test(type))
  );
}

function hasMedia({ content }: BaseMessage): boolean {
  return (
    Array.isArray(content) && content.some(({ type }) => !/text/.test(type))
  );
}

function table(title: string, rows: Record<string, Errors>): void {
  console.log(`### ${title}\n`);
  console.log(
    "| estimate | calls | median | 95th percentile | worst | lowest |",
  );
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const [name, errors] of Object.entries(rows)) {
    const sizes = errors.map(Math.abs).toSorted((a, b) => a - b);
    const at = (part: number) =>
      percent(
        sizes[Math.min(sizes.length - 1, Math.floor(part * sizes.length))]!,
      );
    console.log(
      `| ${name} | ${sizes.length} | ${at(0.5)} | ${at(0.95)} | ${at(1)} | ${percent(Math.min(...errors))} |`,
    );
  }
  console.log("");
}

function percent(part: number): string {
  return `${(100 * part).toFixed(1)} %`;
}
