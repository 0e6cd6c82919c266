import type { MessageRole } from "../../conversation/message.js";
import type { HealthView } from "../health-view.js";
import type { Provider } from "../provider.js";
import { isLeftOut, isSent, sendsCalls } from "../sent-calls.js";
import type { Detector, Finding } from "./finding.js";

/** Who speaks first, last, and after whom, as the provider's client sends it. */
export const detectOrder: Detector = function* (view, provider) {
  const { roles } = view.conversation;
  const speakers: Speaker[] = [];
  for (const [index, role] of roles.entries()) {
    if (
      role === "system" &&
      !maySystemStand(view, speakers.at(-1)?.role, index, provider)
    ) {
      yield { code: "system-message-placement", index };
    }
    // These clients take system messages out of the list, wherever they stand.
    const isTakenOut = role === "system" && TAKE_SYSTEM_OUT.has(provider);
    if (!isTakenOut && !isLeftOut(view, index, provider)) {
      const before = speakers.at(-1);
      if (
        before !== undefined &&
        !mayFollow(before.role, role, provider) &&
        // What follows a call that waits falls into place with the result.
        !isWaiting(view, before.index, provider)
      ) {
        yield { code: "role-order", index };
      }
      speakers.push({ index, role });
    }
  }
  yield* ends(view, speakers, provider);
};

interface Speaker {
  readonly index: number;
  readonly role: MessageRole;
}

const TAKE_SYSTEM_OUT: ReadonlySet<Provider> = new Set<Provider>([
  "bedrock",
  "gemini",
]);

function* ends(
  view: HealthView,
  speakers: readonly Speaker[],
  provider: Provider,
): Iterable<Finding> {
  const first = speakers.find(({ role }) => role !== "system");
  const last = speakers.at(-1);
  if (first === undefined) {
    if (speakers.length === 0 || provider === "anthropic") {
      yield { code: "empty-conversation", index: 0 };
    }
    return;
  }
  if (first.role === "ai" && !mayBegin(view, speakers, provider)) {
    yield { code: "first-role", index: first.index };
  }
  if (last!.role === "ai" && !isWaiting(view, last!.index, provider)) {
    yield { code: "last-role", index: last!.index };
  }
}

/** Whether a call of the message is sent that has no result yet. */
function isWaiting(
  view: HealthView,
  index: number,
  provider: Provider,
): boolean {
  return view.calls[index]!.some(
    (call) => !call.isAnswered && isSent(view, index, call, provider),
  );
}

/** Whether a provider takes a conversation that begins with the assistant. */
function mayBegin(
  view: HealthView,
  speakers: readonly Speaker[],
  provider: Provider,
): boolean {
  if (provider === "gemini") {
    // It joins the messages that follow each other; a call may not be among them.
    const next = speakers.findIndex(({ role }) => role !== "ai");
    return !speakers
      .slice(0, next < 0 ? speakers.length : next)
      .some(({ index }) => sendsCalls(view, index, provider));
  }
  return provider !== "bedrock";
}

function maySystemStand(
  { conversation }: HealthView,
  before: MessageRole | undefined,
  index: number,
  provider: Provider,
): boolean {
  switch (provider) {
    case "gemini":
      return index === 0;
    case "mistral":
      return before !== "ai" && before !== "tool";
    case "anthropic":
      return (
        index < conversation.instructionsEnd ||
        before === "human" ||
        before === "tool"
      );
    default:
      return true;
  }
}

function mayFollow(
  before: MessageRole,
  role: MessageRole,
  provider: Provider,
): boolean {
  switch (provider) {
    case "mistral":
      return !(before === "tool" && role === "human");
    case "bedrock":
      // The client joins results that follow each other, and nothing else.
      return role === "tool"
        ? before !== "human"
        : before !== role && !(before === "tool" && role === "human");
    default:
      return true;
  }
}
