/** What an audit adds up; amounts are in cents. */
export interface Totals {
  readonly invoices: number;
  readonly overcharged: number;
  readonly bySupplier: Readonly<Record<string, number>>;
}

export const emptyTotals: Totals = {
  invoices: 0,
  overcharged: 0,
  bySupplier: {},
};

/** Counts one invoice that is this much above its order. */
export function addInvoice(
  totals: Totals,
  supplier: string,
  excess: number,
  tolerance: number,
): Totals {
  const invoices = totals.invoices + 1;
  if (excess <= tolerance) {
    return { ...totals, invoices };
  }
  const before = totals.bySupplier[supplier] ?? 0;
  return {
    invoices,
    overcharged: totals.overcharged + 1,
    bySupplier: { ...totals.bySupplier, [supplier]: before + excess },
  };
}

/** The one line that the task asks for. */
export function formatReport(totals: Totals): string {
  const suppliers = Object.entries(totals.bySupplier)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([supplier, cents]) => `${supplier} ${(cents / 100).toFixed(2)}`);
  return `${totals.invoices} invoices, ${totals.overcharged} overcharged: ${suppliers.join(", ")}.`;
}
