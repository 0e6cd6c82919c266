import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { addInvoice, emptyTotals, formatReport } from "./totals.js";

/** A purchase ledger that is too long to be read in one go. */
export interface Ledger {
  /** The code of the first page; each page names the next one. */
  readonly firstPage: string;
  readonly pages: ReadonlyMap<string, LedgerPage>;
}

export interface LedgerPage {
  readonly code: string;
  /** The code of the page that follows; absent on the last one. */
  readonly next?: string;
  readonly invoices: readonly Invoice[];
}

/** Amounts are in cents. */
export interface Invoice {
  readonly number: string;
  readonly order: string;
  readonly supplier: string;
  readonly billed: number;
  readonly agreed: number;
  readonly item: string;
}

/** What differs by more than this counts as overcharged; cents. */
export const TOLERANCE = 500;

/** Makes a ledger out of a seed: the same one each time. */
export function createLedger(size: {
  pages: number;
  invoicesPerPage?: number;
}): Ledger {
  const { pages: count, invoicesPerPage = 20 } = size;
  const random = randomFrom(7);
  const codes = Array.from({ length: count }, (_, index) => {
    const letters = random(26 ** 3);
    const letter = (place: number): string =>
      String.fromCharCode(65 + (Math.floor(letters / 26 ** place) % 26));
    return `${letter(0)}${letter(1)}${letter(2)}-${100 + index}`;
  });
  const pages = codes.map((code, index) => ({
    code,
    next: codes[index + 1],
    invoices: Array.from({ length: invoicesPerPage }, (_, line) =>
      createInvoice(index * invoicesPerPage + line, random),
    ),
  }));
  return {
    firstPage: codes[0]!,
    pages: new Map(pages.map((page) => [page.code, page])),
  };
}

const SUPPLIERS = ["Arden Paper", "Bellweather Tools", "Corvid Freight"];
const ITEMS = [
  "copier paper, recycled, boxes of five reams",
  "torque wrench sets with calibration papers",
  "pallet transport from the harbour to the north depot",
  "replacement filters for the air handling units",
];

function createInvoice(
  index: number,
  random: (below: number) => number,
): Invoice {
  const agreed = 10_000 + random(400_000);
  // One in eight is billed well above what was agreed, others by small change.
  const extra = random(8) === 0 ? TOLERANCE + 1 + random(20_000) : random(300);
  return {
    number: `INV-${40_000 + index}`,
    order: `PO-${70_000 + index}`,
    supplier: SUPPLIERS[random(SUPPLIERS.length)]!,
    billed: agreed + extra,
    agreed,
    item: ITEMS[random(ITEMS.length)]!,
  };
}

/** Whole numbers below a bound; a linear congruential generator is good enough here. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** The task, in words that any model can follow. */
export function auditTask(ledger: Ledger): string {
  return `Audit our purchase ledger. It starts at page ${ledger.firstPage}; each page names the next one.
For every page call read_ledger and read_orders together, with a sentence that carries your running totals.
An invoice is overcharged if it bills more than ${money(TOLERANCE)} above the amount agreed in its order.
After the last page report, in one line: the number of invoices, the number of overcharged ones, and for each supplier what it overcharged in total.`;
}

/** The two tools that the audit needs. */
export function ledgerTools(ledger: Ledger) {
  const schema = z.object({ page: z.string().describe("Code of a page") });
  const pageOf = (code: string): LedgerPage => {
    const page = ledger.pages.get(code);
    if (page === undefined) {
      throw new Error(`There is no page ${code}.`);
    }
    return page;
  };
  return [
    tool(({ page }) => printInvoices(pageOf(page)), {
      name: "read_ledger",
      description: "Reads the invoices of one page of the ledger.",
      schema,
    }),
    tool(({ page }) => printOrders(pageOf(page)), {
      name: "read_orders",
      description: "Reads the orders behind the invoices of one page.",
      schema,
    }),
  ];
}

function printInvoices(page: LedgerPage): string {
  const lines = page.invoices.map(
    ({ number, order, supplier, billed, item }) =>
      `${number} | ${order} | ${supplier} | billed ${money(billed)} | ${item}, delivered and signed for, due in thirty days`,
  );
  const next = page.next ?? "none, this is the last page";
  return `Ledger page ${page.code}\n${lines.join("\n")}\nNext page: ${next}`;
}

function printOrders(page: LedgerPage): string {
  const lines = page.invoices.map(
    ({ order, agreed, item }) =>
      `${order} | agreed ${money(agreed)} | ${item}, at the prices of the current frame contract`,
  );
  return `Orders for page ${page.code}\n${lines.join("\n")}`;
}

function money(cents: number): string {
  return (cents / 100).toFixed(2);
}

/** The right answer, from the data and not from any conversation. */
export function expectedReport(ledger: Ledger): string {
  const invoices = [...ledger.pages.values()].flatMap((page) => page.invoices);
  return formatReport(
    invoices.reduce(
      (totals, { supplier, billed, agreed }) =>
        addInvoice(totals, supplier, billed - agreed, TOLERANCE),
      emptyTotals,
    ),
  );
}
