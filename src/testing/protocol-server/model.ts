/** The wire protocol that a request came in. */
export type ProtocolName = "openai" | "openai-responses" | "anthropic";

/** A request as the stand-in for a model sees it: the same shape for every protocol. */
export interface ModelRequest {
  readonly protocol: ProtocolName;
  /** The model's name, as the client sent it. */
  readonly model: string;
  /** The text of the instructions before the first other message; `""` without any. */
  readonly system: string;
  /** What follows the instructions, in order. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** Whether the client asked for server-sent events. */
  readonly stream: boolean;
  /** Size of the request, in tokens. */
  readonly inputTokens: number;
  /** Aborted when the client goes away or the server closes. */
  readonly signal: AbortSignal;
}

/** One message; `media` counts the images, audio clips and files in it. */
export type ModelMessage =
  | { readonly role: "system"; readonly text: string }
  | { readonly role: "user"; readonly text: string; readonly media: number }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly reasoning: string;
      readonly toolCalls: readonly SentToolCall[];
    }
  | {
      readonly role: "tool";
      readonly toolCallId: string;
      readonly text: string;
      readonly media: number;
    };

/** A tool call in the history that the client sent. */
export interface SentToolCall {
  readonly id: string;
  readonly name: string;
  /** The parsed arguments; `{}` where they are no JSON object. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The arguments as they were sent. */
  readonly argsText: string;
}

/** A tool that the client offers. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** The JSON schema of the arguments. */
  readonly parameters: unknown;
}

/** What the stand-in for a model says: a text alone is short for `{ text }`. */
export type ModelReply =
  | string
  | ModelAnswer
  | ModelRefusal
  | ModelFailure
  | ModelStall;

/** An answer; without text and calls it is the empty one that models give now and then. */
export interface ModelAnswer {
  text?: string;
  toolCalls?: readonly ModelToolCall[];
  /** A thinking block (Anthropic) or reasoning item (Responses); chat completions count it without showing it. */
  reasoning?: string;
  /**
   * In how many pieces each text and each argument string is streamed.
   *
   * @default 3
   */
  chunks?: number;
}

/** A tool call of an answer. */
export interface ModelToolCall {
  name: string;
  args: Readonly<Record<string, unknown>>;
  /** @default a fresh id in the provider's form */
  id?: string;
}

/** The model declines, in the provider's own form for that. */
export interface ModelRefusal {
  refusal: string;
}

/** The request fails with an HTTP status and the provider's error body. */
export interface ModelFailure {
  status: number;
  message?: string;
  /** @default the provider's word for the status */
  type?: string;
  /** Only OpenAI has it. */
  code?: string;
}

/** The server never answers; the client has to give up. */
export interface ModelStall {
  stall: true;
}
