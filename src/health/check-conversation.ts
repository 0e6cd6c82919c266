import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { readMessages } from "../conversation/coerce-messages.js";
import { requireKnownOptions, requireSwitch } from "../options.js";
import { detectCallIds } from "./detect/call-ids.js";
import { detectContent } from "./detect/content.js";
import type { Detector, Finding } from "./detect/finding.js";
import { detectOrder } from "./detect/order.js";
import { detectPairing } from "./detect/pairing.js";
import { type HealthView, readHealthView } from "./health-view.js";
import type { ConversationProblem } from "./problem.js";
import {
  type Provider,
  providersOf,
  requireRuleSet,
  type RuleSet,
} from "./provider.js";
import { type ProblemCode, ruleOf } from "./rules/rules.js";

export interface CheckConversationOptions {
  /**
   * Whose rules to check.
   *
   * @default "strict", which is what every provider takes
   */
  readonly provider?: RuleSet;
  /**
   * Whether the conversation is at rest and no request is to be sent now: then
   * a call that waits for its result, an answer at the end and a list without
   * a message are no problems.
   *
   * @default false
   */
  readonly atRest?: boolean;
}

const DETECTORS: readonly Detector[] = [
  detectCallIds,
  detectPairing,
  detectContent,
  detectOrder,
];

/** What the next message mends by itself. */
const WAITING: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "pending-call",
  "last-role",
  "empty-conversation",
]);

/**
 * What a provider would refuse in a conversation that its LangChain client sends.
 *
 * A problem is reported only where the provider would really refuse: what the
 * client mends by itself, or the provider takes, is none. Reads the list in
 * linear time and changes nothing.
 *
 * @returns the problems in the order of the list, none for a healthy one
 * @throws CompactionError `INVALID_OPTION`, `INVALID_MESSAGES`
 */
export function checkConversation(
  messages: readonly BaseMessageLike[],
  options: CheckConversationOptions = {},
): ConversationProblem[] {
  requireKnownOptions("checkConversation", options, ["provider", "atRest"]);
  const { provider = "strict", atRest = false } = options;
  requireRuleSet(provider);
  requireSwitch("atRest", atRest);
  const view = readHealthView(readMessages(messages));
  const found = new Map<string, Refused>();
  for (const refusing of providersOf(provider)) {
    for (const detect of DETECTORS) {
      for (const finding of detect(view, refusing)) {
        collect(found, finding, refusing, provider);
      }
    }
  }
  return [...found.values()]
    .filter(({ finding }) => !atRest || !WAITING.has(finding.code))
    .sort((a, b) => a.finding.index - b.finding.index)
    .map((refused) => describe(refused, view));
}

interface Refused {
  readonly finding: Finding;
  readonly providers: Provider[];
}

function collect(
  found: Map<string, Refused>,
  finding: Finding,
  provider: Provider,
  ruleSet: RuleSet,
): void {
  const rule = ruleOf(finding.code);
  if (
    rule.refusedBy[provider] === undefined ||
    (ruleSet === "strict" && rule.isDialect)
  ) {
    return;
  }
  const key = `${finding.code} ${finding.index} ${finding.callId ?? ""}`;
  const known = found.get(key);
  if (known === undefined) {
    found.set(key, { finding, providers: [provider] });
  } else if (!known.providers.includes(provider)) {
    known.providers.push(provider);
  }
}

function describe(
  { finding, providers }: Refused,
  { messages }: HealthView,
): ConversationProblem {
  const { code, index, callId } = finding;
  const { wrong, mend, refusedBy } = ruleOf(code);
  const provider = providers[0]!;
  const messageId = readId(messages[index]);
  const place =
    messageId === undefined
      ? `message ${index}`
      : `message ${index} ("${messageId}")`;
  return {
    code,
    provider,
    providers,
    index,
    ...(messageId === undefined ? {} : { messageId }),
    ...(callId === undefined ? {} : { callId }),
    message: `${place}: ${wrong}${callId === undefined ? "" : ` (call "${callId}")`}`,
    mend,
    ...refusedBy[provider]!,
  };
}

function readId(message: BaseMessage | undefined): string | undefined {
  try {
    return message?.id;
  } catch {
    return undefined;
  }
}
