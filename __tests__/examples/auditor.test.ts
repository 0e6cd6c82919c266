import { describe, expect, it } from "@jest/globals";
import type { ModelAnswer, ModelMessage } from "langchain-compaction/testing";
import { auditor } from "../../examples/demo/auditor.js";
import {
  auditTask,
  createLedger,
  expectedReport,
  ledgerTools,
} from "../../examples/demo/ledger.js";

const ledger = createLedger({ pages: 6, invoicesPerPage: 8 });
const tools = new Map<string, ReturnType<typeof ledgerTools>[number]>(
  ledgerTools(ledger).map((tool) => [tool.name, tool]),
);
const task: ModelMessage = { role: "user", text: auditTask(ledger), media: 0 };

/** Plays an agent; `view` says what of the history the model gets to see. */
async function audit(
  view: (messages: ModelMessage[]) => ModelMessage[],
): Promise<string> {
  const messages: ModelMessage[] = [task];
  for (let call = 0; call < 2 * ledger.pages.size; call += 1) {
    const reply = auditor({ messages: view(messages) });
    if (typeof reply === "string") {
      return reply;
    }
    messages.push(...(await step(reply as ModelAnswer, call)));
  }
  return "no end";
}

async function step(
  reply: ModelAnswer,
  number: number,
): Promise<ModelMessage[]> {
  const toolCalls = reply.toolCalls!.map(({ name, args }) => ({
    id: `${name}-${number}`,
    name,
    args,
    argsText: JSON.stringify(args),
  }));
  const results = toolCalls.map(async ({ id, name, args }) => ({
    role: "tool" as const,
    toolCallId: id,
    text: String(await tools.get(name)!.invoke(args as { page: string })),
    media: 0,
  }));
  const text = reply.text!;
  return [
    { role: "assistant", text, reasoning: "", toolCalls },
    ...(await Promise.all(results)),
  ];
}

describe("the model of the demo", () => {
  const expected = expectedReport(ledger);

  it("is right with the whole history", async () => {
    expect(await audit((messages) => messages)).toBe(expected);
  });

  it("is right with the task and the newest step alone", async () => {
    const view = ([first, ...rest]: ModelMessage[]) => [
      first!,
      ...rest.slice(-3),
    ];
    expect(await audit(view)).toBe(expected);
  });

  it.each<[string, (messages: ModelMessage[]) => ModelMessage[]]>([
    ["the task", (messages) => messages.slice(-3).filter((m) => m !== task)],
    ["the newest results", (messages) => messages.slice(0, -1)],
    [
      "its own newest message",
      (messages) =>
        messages.filter(
          ({ role }, index) =>
            role !== "assistant" || index < messages.length - 3,
        ),
    ],
    [
      "the text of its results",
      (messages) =>
        messages.map((message) =>
          message.role === "tool" ? { ...message, text: "[removed]" } : message,
        ),
    ],
    [
      "its running totals",
      (messages) =>
        messages.map((message) =>
          message.role === "assistant" ? { ...message, text: "" } : message,
        ),
    ],
  ])("is wrong without %s", async (_name, view) => {
    expect(await audit(view)).not.toBe(expected);
  });
});
