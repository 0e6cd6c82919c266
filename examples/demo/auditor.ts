import type {
  ModelMessage,
  ModelReply,
  ModelRequest,
} from "langchain-compaction/testing";
import {
  addInvoice,
  emptyTotals,
  formatReport,
  type Totals,
} from "./totals.js";

/**
 * Stands for the model in an audit of the ledger.
 *
 * It knows only what the request says: the rules come from the task, the running
 * totals from its own newest message, the invoices and the next page from the
 * newest results. Where one of them is missing, it goes on without it, and its
 * answer is wrong. Older results it does not need.
 */
export function auditor({
  messages,
}: Pick<ModelRequest, "messages">): ModelReply {
  const task = findTask(messages);
  if (task === undefined) {
    return "I no longer know what I was asked to do.";
  }
  const step = newestStep(messages);
  if (step === undefined) {
    return readPage(task.firstPage, emptyTotals);
  }
  const totals = addResults(step, task.tolerance);
  return step.nextPage === undefined
    ? formatReport(totals)
    : readPage(step.nextPage, totals);
}

function readPage(page: string, totals: Totals): ModelReply {
  return {
    text: `Running totals: ${JSON.stringify(totals)}`,
    toolCalls: [
      { name: "read_ledger", args: { page } },
      { name: "read_orders", args: { page } },
    ],
  };
}

interface Task {
  readonly firstPage: string;
  /** Cents. */
  readonly tolerance: number;
}

function findTask(messages: readonly ModelMessage[]): Task | undefined {
  for (const { role, text } of messages.toReversed()) {
    const start = /starts at page ([A-Z]+-\d+)/.exec(text);
    const tolerance = /more than (\d+\.\d\d) above/.exec(text);
    if (role === "user" && start && tolerance) {
      return { firstPage: start[1]!, tolerance: cents(tolerance[1]!) };
    }
  }
  return undefined;
}

interface Step {
  readonly totals: Totals;
  readonly ledger: string;
  readonly orders: string;
  readonly nextPage: string | undefined;
}

function newestStep(messages: readonly ModelMessage[]): Step | undefined {
  const call = messages.findLast((message) => message.role === "assistant");
  if (call === undefined) {
    return undefined;
  }
  const resultOf = (name: string): string => {
    const { id } = call.toolCalls.find((each) => each.name === name) ?? {};
    const result = messages.findLast(
      (message) => message.role === "tool" && message.toolCallId === id,
    );
    return result?.text ?? "";
  };
  const ledger = resultOf("read_ledger");
  return {
    totals: parseTotals(call.text),
    ledger,
    orders: resultOf("read_orders"),
    nextPage: /Next page: ([A-Z]+-\d+)/.exec(ledger)?.[1],
  };
}

function parseTotals(text: string): Totals {
  const [, json] = /Running totals: (\{.*\})/.exec(text) ?? [];
  return json === undefined ? emptyTotals : (JSON.parse(json) as Totals);
}

function addResults(
  { totals, ledger, orders }: Step,
  tolerance: number,
): Totals {
  const agreed = new Map(
    [...orders.matchAll(/(PO-\d+) \| agreed (\d+\.\d\d)/g)].map(
      ([, order, amount]) => [order, cents(amount!)],
    ),
  );
  let sum = totals;
  const lines = /(PO-\d+) \| (.+?) \| billed (\d+\.\d\d)/g;
  for (const [, order, supplier, amount] of ledger.matchAll(lines)) {
    const billed = cents(amount!);
    // Without its order an invoice cannot be compared with anything.
    const excess = billed - (agreed.get(order) ?? billed);
    sum = addInvoice(sum, supplier!, excess, tolerance);
  }
  return sum;
}

function cents(amount: string): number {
  return Math.round(Number(amount) * 100);
}
