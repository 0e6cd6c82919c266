import type { Provider } from "../provider.js";

/** How a provider answers, and where its documentation or a report of the error stands. */
export interface Refusal {
  readonly error: string;
  readonly source: string;
}

/** Where it is known that a provider refuses, and nowhere published in which words. */
export const UNDOCUMENTED =
  "The request is refused; the text of the error is not documented.";

/** One rule: what is wrong, what would mend it, and who refuses it. */
export interface Rule {
  readonly wrong: string;
  readonly mend: string;
  /** About one provider's own content: no part of `strict`. */
  readonly isDialect?: true;
  readonly refusedBy: Readonly<Partial<Record<Provider, Refusal>>>;
}
