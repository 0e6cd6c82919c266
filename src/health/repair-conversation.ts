import type { BaseMessage, BaseMessageLike } from "@langchain/core/messages";
import { readMessages } from "../conversation/coerce-messages.js";
import { requireKnownOptions } from "../options.js";
import { checkConversation } from "./check-conversation.js";
import { type ConversationMend, Draft, type Mender } from "./draft.js";
import {
  mendCallIdForms,
  mendDoubledCallIds,
  mendMissingCallIds,
} from "./mends/call-ids.js";
import {
  mendBlankTexts,
  mendEmptyMessages,
  mendForeignBlocks,
  mendLargeImages,
  mendLoneReasoning,
  mendMissingContent,
  mendThinkingOrder,
  mendTooManyImages,
  mendUnsignedThinking,
} from "./mends/content.js";
import { mendLegacyCalls } from "./mends/legacy-calls.js";
import { mendUnlistedCalls } from "./mends/list-calls.js";
import {
  mendFirstRole,
  mendRoleOrder,
  mendSystemPlacement,
} from "./mends/order.js";
import {
  mendMisplacedResults,
  mendOrphanResults,
  mendRepeatedResults,
  mendUnansweredCalls,
} from "./mends/pairing.js";
import type { ConversationProblem } from "./problem.js";
import type { RuleSet } from "./provider.js";
import type { ProblemCode } from "./rules/rules.js";

export interface RepairConversationOptions {
  /**
   * Whose rules the conversation is to meet.
   *
   * @default "strict", which is what every provider takes
   */
  readonly provider?: RuleSet;
}

export interface ConversationRepairResult {
  /** The mended list; the very list that was handed in where it holds messages alone and nothing was to mend. */
  readonly messages: BaseMessage[];
  /** Every change, in the order in which they were made. */
  readonly mends: readonly ConversationMend[];
}

/**
 * Mends a conversation so that a provider takes it again.
 *
 * Makes the smallest change first and goes on until nothing is left to mend.
 * A human message is never lost, a call that waits for its result is left
 * alone, and a message that needs no mending stays the same object. Running it
 * again changes nothing.
 *
 * @throws CompactionError `INVALID_OPTION`, `INVALID_MESSAGES`
 */
export function repairConversation(
  messages: readonly BaseMessageLike[],
  options: RepairConversationOptions = {},
): ConversationRepairResult {
  requireKnownOptions("repairConversation", options, ["provider"]);
  const { provider = "strict" } = options;
  return mendBy(MENDERS, readMessages(messages), provider);
}

/**
 * Mends who speaks after whom, and nothing else.
 *
 * Short messages come in between, and a system message that may not stand
 * where it does speaks as the user. The instructions stay as they are.
 */
export function repairOrder(
  messages: readonly BaseMessage[],
  provider: RuleSet,
): ConversationRepairResult {
  return mendBy(
    ORDER_MENDERS,
    messages,
    provider,
    ({ code, index }, draft) =>
      code !== "system-message-placement" ||
      index >= draft.view.conversation.instructionsEnd,
  );
}

type Menders = readonly (readonly [ProblemCode, Mender])[];

/** Whether a problem is to be mended. */
type IsMeant = (problem: ConversationProblem, draft: Draft) => boolean;

function mendBy(
  menders: Menders,
  given: readonly BaseMessage[],
  provider: RuleSet,
  isMeant: IsMeant = () => true,
): ConversationRepairResult {
  let draft = Draft.of(given, provider);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const current = draft;
    const problems = checkConversation(draft.messages, {
      provider,
      atRest: true,
    }).filter((problem) => isMeant(problem, current));
    const next = menders.find(([code]) =>
      problems.some((problem) => problem.code === code),
    );
    if (next === undefined) {
      break;
    }
    const [code, mend] = next;
    mend(
      draft,
      problems.filter((problem) => problem.code === code),
    );
    draft = draft.next();
  }
  return draft.mends.length === 0
    ? { messages: given as BaseMessage[], mends: [] }
    : { messages: [...draft.messages], mends: draft.mends };
}

const ORDER_MENDERS: Menders = [
  ["system-message-placement", mendSystemPlacement],
  ["first-role", mendFirstRole],
  ["role-order", mendRoleOrder],
];

/** What is mended first: a later mend rests on the earlier ones. */
const MENDERS: Menders = [
  ["missing-content", mendMissingContent],
  ["legacy-function-call", mendLegacyCalls],
  ["missing-call-id", mendMissingCallIds],
  ["doubled-call-id", mendDoubledCallIds],
  ["call-id-form", mendCallIdForms],
  ["call-not-in-tool-calls", mendUnlistedCalls],
  ["orphan-result", mendOrphanResults],
  ["repeated-result", mendRepeatedResults],
  ["misplaced-result", mendMisplacedResults],
  ["unanswered-call", mendUnansweredCalls],
  ["unsigned-thinking", mendUnsignedThinking],
  ["thinking-not-first", mendThinkingOrder],
  ["reasoning-without-follower", mendLoneReasoning],
  ["foreign-block", mendForeignBlocks],
  ["too-many-images", mendTooManyImages],
  ["image-too-large", mendLargeImages],
  ["blank-text", mendBlankTexts],
  ["empty-message", mendEmptyMessages],
  ...ORDER_MENDERS,
];

/** Each mend clears its code, and few of them bring up another one. */
const MOST_ROUNDS = 4 * MENDERS.length;
