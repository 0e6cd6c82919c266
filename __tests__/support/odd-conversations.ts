import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
  type MessageContent,
} from "@langchain/core/messages";
import fc from "fast-check";
import { callsOf, markOf, roleOf } from "./anatomy.js";

// Conversations that no one would write and every long-running thread gets to
// some day. A conversation is made from a list of small moves, so that a
// counterexample shrinks to the moves that matter.

/** A conversation, with a price for each of its messages. */
export interface OddConversation {
  messages: BaseMessage[];
  tokens: ReadonlyMap<BaseMessage, number>;
}

/** Where a call is written down in an AI message. */
type CallPlace =
  | "tool_calls"
  | "blocks"
  | "mirrored"
  | "raw"
  | "legacy"
  | "invalid";

interface CallMove {
  /** A number of a small pool, so that ids recur; or a fresh, missing or empty id. */
  id: number | "fresh" | "missing" | "empty";
  /** How many results follow at once. */
  results: number;
  /** Whether these results say which call they answer. */
  named: boolean;
}

type Move =
  | { kind: "system"; developer: boolean }
  | { kind: "human"; content: number; times: number }
  | { kind: "say"; content: number; chunk: boolean; usage: boolean }
  | { kind: "think"; form: number }
  | {
      kind: "step";
      place: CallPlace;
      calls: CallMove[];
      backwards: boolean;
      thinks: boolean;
      between: "nothing" | "human" | "ai" | "system" | "note";
    }
  | { kind: "late"; which: number }
  | { kind: "orphan"; named: boolean }
  | { kind: "marked"; form: number; number: number }
  | { kind: "other" };

interface PricedMove {
  move: Move;
  tokens: number;
}

/** Conversations of 0 to 300 messages with all oddities that were seen or reported. */
export function oddConversations(): fc.Arbitrary<OddConversation> {
  const moves = fc.oneof(
    { weight: 5, arbitrary: fc.array(pricedMove(), { maxLength: 14 }) },
    {
      weight: 1,
      arbitrary: fc.array(pricedMove(), { maxLength: 110, size: "max" }),
    },
  );
  return fc
    .record({
      moves,
      instructions: fc.nat({ max: 2 }),
      // Threads without message ids are all without: a reducer gives each one.
      ids: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, fc.boolean()),
    })
    .map(({ moves: list, instructions, ids }) => {
      const scribe = new Scribe(ids);
      for (let index = 0; index < instructions; index += 1) {
        scribe.write({ kind: "system", developer: index === 1 }, 7);
      }
      for (const { move, tokens } of list) {
        scribe.write(move, tokens);
      }
      return scribe.finish();
    });
}

function pricedMove(): fc.Arbitrary<PricedMove> {
  return fc.record({
    move: fc.oneof(
      { weight: 6, arbitrary: stepMove() },
      { weight: 5, arbitrary: humanMove() },
      { weight: 4, arbitrary: sayMove() },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant("think" as const),
          form: fc.nat({ max: 3 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant("late" as const),
          which: fc.nat({ max: 4 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant("orphan" as const),
          named: fc.boolean(),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("marked" as const),
          form: fc.nat({ max: 11 }),
          number: fc.integer({ min: 1, max: 120 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant("system" as const),
          developer: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.constant({ kind: "other" as const }) },
    ),
    tokens: fc.oneof(fc.nat({ max: 9 }), fc.nat({ max: 400 })),
  });
}

function humanMove(): fc.Arbitrary<Move> {
  return fc.record({
    kind: fc.constant("human" as const),
    content: fc.nat({ max: HUMAN_CONTENT.length - 1 }),
    times: fc.oneof(
      { weight: 4, arbitrary: fc.constant(1) },
      fc.integer({ min: 2, max: 3 }),
    ),
  });
}

function sayMove(): fc.Arbitrary<Move> {
  return fc.record({
    kind: fc.constant("say" as const),
    content: fc.nat({ max: AI_CONTENT.length - 1 }),
    chunk: fc.boolean(),
    usage: fc.boolean(),
  });
}

function stepMove(): fc.Arbitrary<Move> {
  return fc.record({
    kind: fc.constant("step" as const),
    place: fc.oneof(
      { weight: 5, arbitrary: fc.constant<CallPlace>("tool_calls") },
      fc.constantFrom<CallPlace>(
        "blocks",
        "mirrored",
        "raw",
        "legacy",
        "invalid",
      ),
    ),
    calls: fc.array(
      fc.record({
        id: fc.oneof<fc.Arbitrary<CallMove["id"]>[]>(
          fc.constant("fresh" as const),
          fc.constant("fresh" as const),
          fc.nat({ max: 3 }),
          fc.constantFrom("missing" as const, "empty" as const),
        ),
        results: fc.oneof(
          { weight: 5, arbitrary: fc.constant(1) },
          fc.constantFrom(0, 2),
        ),
        named: fc.oneof(
          { weight: 6, arbitrary: fc.constant(true) },
          fc.boolean(),
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    backwards: fc.boolean(),
    thinks: fc.boolean(),
    between: fc.oneof(
      { weight: 6, arbitrary: fc.constant("nothing" as const) },
      fc.constantFrom(
        "human" as const,
        "ai" as const,
        "system" as const,
        "note" as const,
      ),
    ),
  });
}

const IMAGE = "data:image/png;base64,iVBORw0KGgo=";

const HUMAN_CONTENT: MessageContent[] = [
  "Which valve leaks?",
  "",
  [
    { type: "text", text: "Look at this:" },
    { type: "image_url", image_url: { url: IMAGE } },
  ],
  [
    {
      type: "image",
      source_type: "base64",
      mime_type: "image/png",
      data: "iVBORw0KGgo=",
    },
  ],
  [{ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }],
  [
    {
      type: "document",
      source: {
        type: "base64",
        media_type: "application/pdf",
        data: "JVBERi0=",
      },
    },
  ],
  [
    {
      text: "eine Frage",
      inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" },
    },
  ] as unknown as MessageContent,
];

const AI_CONTENT: MessageContent[] = [
  "The left one.",
  "",
  [],
  [
    { type: "thinking", thinking: "hm", signature: "sig" },
    { type: "text", text: "The left one." },
  ],
  [
    { type: "reasoning", id: "rs_1", summary: [] },
    { type: "text", text: "The left one." },
  ],
  [
    {
      type: "server_tool_use",
      id: "srv_1",
      name: "web_search",
      input: { query: "valve" },
    },
    { type: "web_search_tool_result", tool_use_id: "srv_1", content: [] },
    { type: "text", text: "Found it." },
  ],
  [
    { text: "die linke", thoughtSignature: "c2ln" },
  ] as unknown as MessageContent,
];

const THOUGHTS: {
  content: MessageContent;
  additional_kwargs?: Record<string, unknown>;
}[] = [
  { content: [{ type: "thinking", thinking: "hm", signature: "sig" }] },
  { content: [{ type: "redacted_thinking", data: "xyz" }] },
  { content: [{ type: "reasoning", id: "rs_2", summary: [] }] },
  { content: "", additional_kwargs: { reasoning_content: "hm" } },
];

const RESULTS: MessageContent[] = [
  "pressure 3.2 bar",
  "",
  [{ type: "text", text: "pressure 3.2 bar" }],
  [
    {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
    },
  ] as MessageContent,
];

/** Writes moves down as messages. */
class Scribe {
  readonly #withIds: boolean;
  readonly #messages: BaseMessage[] = [];
  readonly #tokens = new Map<BaseMessage, number>();
  /** Ids of calls without an answer so far, for results that come late. */
  readonly #open: (string | undefined)[] = [];
  #fresh = 0;

  constructor(withIds: boolean) {
    this.#withIds = withIds;
  }

  finish(): OddConversation {
    return new Printable(this.#messages.slice(0, 300), this.#tokens);
  }

  write(move: Move, tokens: number): void {
    const first = this.#messages.length;
    this.#write(move);
    this.#messages.slice(first).forEach((message, nth) => {
      this.#tokens.set(message, nth % 2 === 0 ? tokens : tokens % 11);
    });
  }

  #write(move: Move): void {
    switch (move.kind) {
      case "system":
        this.#add(
          move.developer
            ? new ChatMessage({ role: "developer", content: "Be brief." })
            : new SystemMessage({ content: "Be brief." }),
        );
        return;
      case "human":
        for (let time = 0; time < move.times; time += 1) {
          this.#add(
            new HumanMessage({ content: HUMAN_CONTENT[move.content]! }),
          );
        }
        return;
      case "say":
        this.#say(move);
        return;
      case "think":
        this.#add(new AIMessage({ ...THOUGHTS[move.form]! }));
        return;
      case "step":
        this.#step(move);
        return;
      case "late":
        this.#result(this.#open.splice(move.which, 1)[0], move.which);
        return;
      case "orphan":
        this.#result(move.named ? `lost_${this.#fresh++}` : undefined, 0);
        return;
      case "marked":
        this.#add(markedMessage(move.form, move.number));
        return;
      case "other":
        this.#add(
          new ChatMessage({ role: "critic", content: "Not convincing." }),
        );
    }
  }

  #say({ content, chunk, usage }: Extract<Move, { kind: "say" }>): void {
    const fields = {
      content: AI_CONTENT[content]!,
      ...(usage
        ? {
            usage_metadata: {
              input_tokens: 90,
              output_tokens: 9,
              total_tokens: 99,
            },
          }
        : {}),
    };
    this.#add(chunk ? new AIMessageChunk(fields) : new AIMessage(fields));
  }

  #step(move: Extract<Move, { kind: "step" }>): void {
    if (move.thinks) {
      this.#add(new AIMessage({ ...THOUGHTS[0]! }));
    }
    const ids = move.calls.map(({ id }) => this.#callId(id));
    this.#add(callingMessage(move.place, ids));
    this.#between(move.between);
    const results = move.calls.flatMap(({ results: times, named }, call) =>
      Array.from({ length: times }, () => ({
        id: named ? ids[call] : undefined,
        call,
      })),
    );
    for (const { id, call } of move.backwards ? results.reverse() : results) {
      if (move.place === "legacy") {
        this.#add(new FunctionMessage({ content: "ok", name: "look_up" }));
      } else {
        this.#result(id, call);
      }
    }
    move.calls.forEach(({ results: times }, call) => {
      if (times === 0) {
        this.#open.push(ids[call]);
      }
    });
  }

  #callId(id: CallMove["id"]): string | undefined {
    switch (id) {
      case "fresh":
        return `call_${this.#fresh++}`;
      case "missing":
        return undefined;
      case "empty":
        return "";
      default:
        return `pool_${id}`;
    }
  }

  #between(what: Extract<Move, { kind: "step" }>["between"]): void {
    switch (what) {
      case "human":
        this.#add(new HumanMessage({ content: "And the pump, please." }));
        return;
      case "ai":
        this.#add(new AIMessage({ content: "One moment." }));
        return;
      case "system":
        this.#add(new SystemMessage({ content: "Context: hall 2." }));
        return;
      case "note":
        this.#add(markedMessage(0, 4));
        return;
      case "nothing":
    }
  }

  #result(callId: string | undefined, form: number): void {
    this.#add(
      new ToolMessage({
        content: RESULTS[form % RESULTS.length]!,
        // Core's types forbid it, recordings have it.
        tool_call_id: callId as string,
        name: "look_up",
        ...(form === 3 ? { status: "error" as const } : {}),
      }),
    );
  }

  #add(message: BaseMessage): void {
    if (this.#withIds) {
      message.id = `m${this.#messages.length}`;
      message.lc_kwargs["id"] = message.id;
    }
    this.#messages.push(message);
  }
}

function callingMessage(
  place: CallPlace,
  ids: readonly (string | undefined)[],
): AIMessage {
  const calls = ids.map((id) => ({
    ...(id === undefined ? {} : { id }),
    name: "look_up",
    args: { part: "valve" },
    type: "tool_call" as const,
  }));
  const blocks = ids.map((id) => ({
    type: "tool_use",
    ...(id === undefined ? {} : { id }),
    name: "look_up",
    input: { part: "valve" },
  }));
  const raw = ids.map((id) => ({
    id: id ?? "",
    type: "function" as const,
    function: { name: "look_up", arguments: '{"part":"valve"}' },
  }));
  const invalid = calls.map((call) => ({
    ...call,
    args: "{",
    type: "invalid_tool_call" as const,
  }));
  switch (place) {
    case "tool_calls":
      return new AIMessage({ content: "", tool_calls: calls });
    case "blocks":
      return new AIMessage({ content: blocks });
    case "mirrored":
      return new AIMessage({
        content: [
          { type: "thinking", thinking: "hm", signature: "sig" },
          ...blocks,
        ],
        tool_calls: calls,
      });
    case "raw":
      // Arguments that did not parse: core files the call as invalid, and the
      // raw call is sent again. Set here, since the constructor warns of it.
      return withRawCalls(
        new AIMessage({ content: "", invalid_tool_calls: invalid }),
        raw,
      );
    case "legacy":
      return new AIMessage({
        content: "",
        additional_kwargs: {
          function_call: { name: "look_up", arguments: "{}" },
        },
      });
    case "invalid":
      return new AIMessage({ content: "", invalid_tool_calls: invalid });
  }
}

function withRawCalls(message: AIMessage, raw: unknown): AIMessage {
  (message.additional_kwargs as Record<string, unknown>)["tool_calls"] = raw;
  return message;
}

/** Messages that a compactor made, or that look as if one had. */
function markedMessage(form: number, number: number): BaseMessage {
  const counted = { removedMessages: number, keptMessages: 3 };
  const human = (
    mark: unknown,
    more: Record<string, unknown> = {},
  ): HumanMessage =>
    new HumanMessage({
      content: `[${number} left out]`,
      additional_kwargs: { context_compaction: mark, ...more },
    });
  switch (form) {
    case 0:
      return human({ strategy: "sliding-window", ...counted });
    case 1:
      return human({ strategy: "turn-window", ...counted });
    case 2:
      return human({
        strategy: "truncation",
        ...counted,
        lastReportId: "m1",
        overheadTokens: -3,
      });
    case 3:
      return human({ strategy: "summarization", summarizedMessages: number });
    case 4:
      return human({
        strategy: "tool-call-collapse",
        collapsedMessages: number,
      });
    case 5:
      return new HumanMessage({
        content: "Earlier: a valve.",
        additional_kwargs: { lc_source: "summarization" },
      });
    case 6:
      return human(true);
    case 7:
      return human({ strategy: "sliding-window" });
    case 8:
      return human({
        strategy: "sliding-window",
        removedMessages: -1,
        keptMessages: 2.5,
      });
    case 9:
      return new SystemMessage({
        content: "forged",
        additional_kwargs: {
          context_compaction: { strategy: "sliding-window", ...counted },
        },
      });
    case 10:
      return new AIMessage({
        content: "stamped",
        response_metadata: {
          context_compaction: { strategy: "sliding-window", ...counted },
        },
      });
    default:
      return new HumanMessage({
        content: "[6 lines cut by another tool]",
        additional_kwargs: { compaction_note: { omitted: 6 } },
      });
  }
}

/** Prints in one line what matters of a conversation. */
class Printable implements OddConversation {
  readonly messages: BaseMessage[];
  readonly tokens: ReadonlyMap<BaseMessage, number>;

  constructor(
    messages: BaseMessage[],
    tokens: ReadonlyMap<BaseMessage, number>,
  ) {
    this.messages = messages;
    this.tokens = tokens;
  }

  [fc.toStringMethod](): string {
    return this.messages
      .map((message, index) => {
        const mark = markOf(message)?.kind;
        const calls = callsOf(message).map(
          ({ id, sent }) => `${id ?? "-"}${sent ? "" : "?"}`,
        );
        const answers = (message as BaseMessage & { tool_call_id?: string })
          .tool_call_id;
        return [
          `${index}:${roleOf(message)}`,
          mark === undefined ? "" : `(${mark})`,
          calls.length > 0 ? `[${calls.join(",")}]` : "",
          answers === undefined ? "" : `->${answers}`,
          ` ${this.tokens.get(message)}`,
        ].join("");
      })
      .join("; ");
  }
}
