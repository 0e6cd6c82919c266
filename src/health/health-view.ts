import type { BaseMessage } from "@langchain/core/messages";
import {
  type Conversation,
  readConversation,
} from "../conversation/anatomy.js";
import { type Answer, pairToolResults } from "../conversation/pairing.js";
import { type CallRef, callsOf, idOrNone } from "../conversation/tool-calls.js";
import { type ContentFacts, readContent } from "./content-facts.js";
import { groupBy } from "./group-by.js";

/** One tool call, and where its message keeps it. */
export interface CallView {
  readonly id: string | undefined;
  /**
   * `list` in `tool_calls`; `raw` in `additional_kwargs.tool_calls` and `legacy`
   * in its `function_call` alone; `invalid` where it did not parse; else the kind of
   * the content block that holds it.
   */
  readonly place: string;
  readonly isAnswered: boolean;
}

/** A conversation as the rules look at it: the anatomy, with calls, answers and content beside it. */
export interface HealthView {
  readonly messages: readonly BaseMessage[];
  readonly conversation: Conversation;
  /** Messages a field of which throws; they are read as empty messages of no role. */
  readonly unreadable: ReadonlySet<number>;
  readonly calls: readonly (readonly CallView[])[];
  readonly answers: readonly Answer[];
  /** The answers by the message that made the call. */
  readonly answersTo: ReadonlyMap<number, readonly Answer[]>;
  /** The answers by the message that they stand in. */
  readonly answersAt: ReadonlyMap<number, readonly Answer[]>;
  /** The ids that any result names. */
  readonly answeredIds: ReadonlySet<string | undefined>;
  readonly content: readonly ContentFacts[];
}

/** Reads a conversation in three linear passes. Never throws for what a message holds. */
export function readHealthView(messages: readonly BaseMessage[]): HealthView {
  const unreadable = new Set<number>();
  const content: ContentFacts[] = [];
  const readable = messages.map((message, index) => {
    try {
      content.push(readContent(message));
      touch(message);
      return message;
    } catch {
      unreadable.add(index);
      content[index] = readContent(NOTHING);
      return NOTHING;
    }
  });
  const answers: Answer[] = [];
  const { open } = pairToolResults(readable, (answer) => {
    answers.push(answer);
  });
  const openCalls = new Map<number, OpenIds>();
  for (const { index, id } of open) {
    const ids = openCalls.get(index) ?? new Map<string | undefined, number>();
    openCalls.set(index, ids.set(id, (ids.get(id) ?? 0) + 1));
  }
  const conversation = readConversation(readable);
  return {
    messages,
    conversation,
    unreadable,
    calls: readable.map((message, index) =>
      conversation.roles[index] === "ai"
        ? readCalls(message, openCalls.get(index) ?? new Map())
        : NO_CALLS,
    ),
    answers,
    answersTo: groupBy(answers, ({ caller }) => caller),
    answersAt: groupBy(answers, ({ index }) => index),
    answeredIds: new Set(answers.map(({ id }) => id)),
    content,
  };
}

/** How often each id of a message's calls is still unanswered. */
type OpenIds = Map<string | undefined, number>;

const NO_CALLS: readonly CallView[] = [];

/** Stands in for a message that cannot be read. */
const NOTHING = {
  type: "unreadable",
  content: "",
  additional_kwargs: {},
  response_metadata: {},
} as unknown as BaseMessage;

/** Reads whatever the rules read beside the content, so that it throws here or nowhere. */
function touch(message: BaseMessage): void {
  const { tool_call_id } = message as { tool_call_id?: unknown };
  const { reasoning } = message.additional_kwargs ?? {};
  const { output } = (message.response_metadata ?? {}) as { output?: unknown };
  void [message.id, message.type, tool_call_id, reasoning, output];
  callsOf(message);
}

function readCalls(message: BaseMessage, open: OpenIds): CallView[] {
  const listed =
    (message as { tool_calls?: readonly CallRef[] }).tool_calls?.length ?? 0;
  const { valid, invalid } = callsOf(message);
  const blockPlaces =
    valid.length > listed
      ? placesInBlocks(message)
      : new Map<unknown, string>();
  const elsewhere = Array.isArray(message.additional_kwargs?.tool_calls)
    ? "raw"
    : "legacy";
  const ids = new Set(valid.map((call) => idOrNone(call.id)));
  const unparsed = invalid.filter((call) => !ids.has(idOrNone(call.id)));
  return [...valid, ...unparsed].map((call, n) => {
    const id = idOrNone(call.id);
    const left = open.get(id) ?? 0;
    open.set(id, left - 1);
    const place =
      n < listed
        ? "list"
        : n < valid.length
          ? (blockPlaces.get(id) ?? elsewhere)
          : "invalid";
    return { id, place, isAnswered: left <= 0 };
  });
}

/** The kind of block that holds each call of a message's content. */
function placesInBlocks(message: BaseMessage): Map<unknown, string> {
  const places = new Map<unknown, string>();
  if (Array.isArray(message.content)) {
    for (const block of message.content as readonly unknown[]) {
      const { type, id, call_id } = (block ?? {}) as {
        type?: string;
        id?: unknown;
        call_id?: unknown;
      };
      if (type === "tool_use" || type === "tool_call") {
        places.set(id === "" ? undefined : id, type);
      } else if (type === "function_call") {
        places.set(call_id ?? id, type);
      }
    }
  }
  return places;
}
