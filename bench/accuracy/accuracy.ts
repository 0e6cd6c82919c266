// How far estimates of a request's size are off, on recorded conversations.
//
// Grows each conversation call by call, sends every third request to the local
// server with the real OpenAI client, and prints the tables of docs/accuracy.md.
//
//   npx tsx bench/accuracy/accuracy.ts path/to/conversations.jsonl.gz
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { countTokensApproximately } from "langchain";
import { toConversations } from "../../__tests__/support/corpus.js";
import { defaultTokenCounter } from "../../src/index.js";
import {
  type ModelReply,
  startProtocolServer,
} from "../../src/testing/index.js";

/** Parts by which estimates are off, above the truth or below. */
type Errors = number[];

const EVERY = 3;
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

const withReport: Record<string, Errors> = {
  "this package": [],
  "newest report alone (LangChain, Python)": [],
  "`countTokensApproximately` (LangChain, JS)": [],
  "characters ÷ 4": [],
};
const withoutReport: Record<string, Errors> = {
  "this package": [],
  "`countTokensApproximately` (LangChain, JS)": [],
  "characters ÷ 4": [],
};
let leftOut = 0;

for (const messages of conversations) {
  const calls = messages.flatMap((message, index) =>
    message.type === "ai" && index > 0 ? index : [],
  );
  for (let call = 1; call < calls.length; call += EVERY) {
    const before = calls[call - 1]!;
    const now = calls[call]!;
    const report = await ask(messages, before);
    const truth = await ask(messages, now);
    if (report === undefined || truth === undefined || truth.input < LEAST) {
      leftOut += 1;
      continue;
    }
    const request = messages.slice(0, now);
    const reported = report.input + report.output;
    const note = (errors: Record<string, Errors>, name: string, size: number) =>
      errors[name]!.push(size / truth.input - 1);
    const approximately = countTokensApproximately(request);
    const characters = JSON.stringify(request.map(textOf)).length / 4;
    note(
      withReport,
      "this package",
      reported + count(messages.slice(before + 1, now)),
    );
    note(withReport, "newest report alone (LangChain, Python)", reported);
    note(
      withReport,
      "`countTokensApproximately` (LangChain, JS)",
      approximately,
    );
    note(withReport, "characters ÷ 4", characters);
    if (!request.some(hasMedia)) {
      note(withoutReport, "this package", count(request));
      note(
        withoutReport,
        "`countTokensApproximately` (LangChain, JS)",
        approximately,
      );
      note(withoutReport, "characters ÷ 4", characters);
    }
  }
}

console.log(
  `${leftOut} calls are left out: too small, or refused by the server.\n`,
);
table("With a report on the answer before", withReport);
table("Without any report, and without media", withoutReport);

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

function count(messages: readonly BaseMessage[]): number {
  return messages.reduce(
    (sum, message) => sum + defaultTokenCounter.countMessage(message),
    0,
  );
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
