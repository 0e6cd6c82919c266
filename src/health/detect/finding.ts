import type { HealthView } from "../health-view.js";
import type { Provider } from "../provider.js";
import type { ProblemCode } from "../rules/rules.js";

/** Something that one provider would refuse, before it is put into words. */
export interface Finding {
  readonly code: ProblemCode;
  readonly index: number;
  readonly callId?: string | undefined;
}

/** Finds what breaks some of the rules, for one provider; linear in the list. */
export type Detector = (
  view: HealthView,
  provider: Provider,
) => Iterable<Finding>;
