import type { Json } from "./json.js";
import type {
  ModelFailure,
  ModelMessage,
  ModelTool,
  ProtocolName,
} from "./model.js";

/** What one wire protocol knows: its rules, and how to read and write it. */
export interface Protocol {
  readonly name: ProtocolName;
  /** The path of the requests. */
  readonly path: string;
  /**
   * The rules that a request breaks.
   *
   * The server answers with the first, as the providers do; it does not ask for
   * what follows, so later rules may rely on the earlier ones.
   */
  problems(body: Json): Iterable<ProviderProblem>;
  /** Reads a request that broke no rule. */
  read(body: Json): ReadRequest;
  /** The provider's words for a request that does not fit the context window. */
  overflow(size: RequestSize, contextWindow: number): ProviderProblem;
  errorBody(problem: ProviderProblem): Json;
  /** The error of a model that fails by order of the test. */
  failure(failure: ModelFailure): ProviderProblem;
  /** Prefix of the ids of tool calls. */
  readonly toolCallPrefix: string;
  answerBody(answer: Answer, turn: Turn): Json;
  answerEvents(answer: Answer, turn: Turn): Iterable<ServerSentEvent>;
}

/** A request in the shape that all protocols share. */
export interface ReadRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly stream: boolean;
  /** Tokens that the client wants to leave for the reply; 0 where it does not say. */
  readonly maxOutputTokens: number;
}

/** Sizes of a request, in tokens. */
export interface RequestSize {
  readonly messages: number;
  readonly tools: number;
  readonly maxOutputTokens: number;
}

/** A reason to answer with an error. */
export interface ProviderProblem {
  readonly message: string;
  /** @default 400 */
  readonly status?: number;
  /** @default "invalid_request_error" */
  readonly type?: string;
  /** The parameter at fault; only OpenAI names it. */
  readonly param?: string;
  /** A fixed word for the reason; only OpenAI has it. */
  readonly code?: string;
}

/** An answer with everything filled in. */
export interface Answer {
  readonly text: string;
  readonly refusal: string;
  readonly reasoning: string;
  readonly toolCalls: readonly AnswerToolCall[];
  /** Pieces per streamed text. */
  readonly chunks: number;
}

/** A tool call with its id and the argument string that goes over the wire. */
export interface AnswerToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly argsText: string;
}

/** What an answer needs to know about its request. */
export interface Turn {
  readonly body: Json;
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly usage: TokenUsage;
  /** A fresh id behind a prefix. */
  readonly newId: (prefix: string) => string;
}

/** Tokens of a request and of its answer; `reasoning` is a part of `output`. */
export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
}

/** One server-sent event; OpenAI's chat completions send no event names. */
export interface ServerSentEvent {
  readonly event?: string;
  readonly data: Json | string;
}
