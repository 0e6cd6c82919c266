import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import {
  invalidOption,
  requireKnownOptions,
  requireWholeNumber,
} from "../../options.js";
import { anthropic } from "./anthropic.js";
import { decideFate, type Fate, type ServedModel } from "./exchange.js";
import { readBody, sendEvents, sendJson } from "./http.js";
import type { Json } from "./json.js";
import type { ModelReply, ModelRequest, ProtocolName } from "./model.js";
import { openAIChat } from "./openai-chat.js";
import { openAIResponses } from "./openai-responses.js";
import type { Protocol } from "./protocol.js";
import { TokenUsageCounter } from "./token-usage.js";

/** What `startProtocolServer` takes. */
export interface ProtocolServerOptions {
  /**
   * Stands for the model: says what the answer to a request is.
   *
   * It is asked only where a request breaks no rule and fits the window. What it
   * throws reaches the client as status 500.
   */
  respond: (request: ModelRequest) => ModelReply | Promise<ModelReply>;
  /**
   * Size of the model's context window, in tokens.
   *
   * @default 128_000
   */
  contextWindow?: number;
  /** Called with each request once its fate is known. */
  onRequest?: (request: RecordedRequest) => void;
}

/** A request that the server received, and what became of it. */
export interface RecordedRequest {
  readonly protocol: ProtocolName;
  readonly stream: boolean;
  /** The parsed body. */
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * `answered`; `refused`, as the provider would; `failed`, as `respond` asked or
   * because it threw; or `stalled`.
   */
  readonly outcome: "answered" | "refused" | "failed" | "stalled";
  /** The HTTP status; 0 where the server never answers. */
  readonly status: number;
  /** Size of the request in tokens; 0 where a rule refused it before it was counted. */
  readonly inputTokens: number;
  /** Size of the answer in tokens. */
  readonly outputTokens: number;
  /** Why it was refused or failed. */
  readonly error?: { readonly message: string; readonly code?: string };
}

/** A running server. It does not keep the process alive. */
export interface ProtocolServer extends AsyncDisposable {
  /** The base URL for OpenAI clients: `http://127.0.0.1:<port>/v1`. */
  readonly baseURL: string;
  /** The base URL for Anthropic clients: `http://127.0.0.1:<port>`. */
  readonly anthropicURL: string;
  /** Every request so far, in the order in which their fates were known. */
  readonly requests: readonly RecordedRequest[];
  /** Stops the server and cuts open connections. */
  close(): Promise<void>;
}

/**
 * Starts a local server that speaks OpenAI chat completions, OpenAI Responses and
 * Anthropic messages, streaming and not.
 *
 * It holds the providers' rules on messages, tools and context size and refuses
 * with their error bodies. `usage` is counted with `js-tiktoken`, whatever the
 * vendor.
 *
 * @example
 * ```ts
 * await using server = await startProtocolServer({
 *   contextWindow: 8_000,
 *   respond: ({ messages }) => `I see ${messages.length} messages.`,
 * });
 * const model = new ChatOpenAI({
 *   model: "gpt-4.1",
 *   apiKey: "unused",
 *   configuration: { baseURL: server.baseURL },
 * });
 * ```
 *
 * @throws CompactionError `INVALID_OPTION` for an option that makes no sense.
 */
export async function startProtocolServer(
  options: ProtocolServerOptions,
): Promise<ProtocolServer> {
  checkOptions(options);
  const model: ServedModel = {
    respond: options.respond,
    contextWindow: options.contextWindow ?? 128_000,
    counter: new TokenUsageCounter(),
  };
  const requests: RecordedRequest[] = [];
  const record = (request: RecordedRequest): void => {
    requests.push(request);
    options.onRequest?.(request);
  };
  const server = createServer((request, response) => {
    // A client that leaves in the middle of its request, or a failing listener.
    handle(request, response, { model, record }).catch((error: Error) =>
      response.destroy(error),
    );
  });
  // Neither the server nor an idle connection is a reason to stay alive.
  server.unref();
  server.on("connection", (socket) => socket.unref());
  const origin = await listen(server);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= shut(server));
  return {
    baseURL: `${origin}/v1`,
    anthropicURL: origin,
    requests,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function checkOptions(options: ProtocolServerOptions): void {
  requireKnownOptions("startProtocolServer", options, [
    "respond",
    "contextWindow",
    "onRequest",
  ]);
  const { respond, contextWindow, onRequest } = options;
  if (typeof respond !== "function") {
    throw invalidOption(
      "respond",
      respond,
      "a function from a request to a reply",
    );
  }
  if (contextWindow !== undefined) {
    requireWholeNumber("contextWindow", contextWindow, 1, "tokens");
  }
  if (onRequest !== undefined && typeof onRequest !== "function") {
    throw invalidOption("onRequest", onRequest, "a function of a request");
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function shut(server: Server): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await ended;
}

const PROTOCOLS = [openAIChat, openAIResponses, anthropic];

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  context: { model: ServedModel; record: (request: RecordedRequest) => void },
): Promise<void> {
  const path = (request.url ?? "").split("?")[0];
  const protocol = PROTOCOLS.find((known) => known.path === path);
  if (protocol === undefined || request.method !== "POST") {
    const message = `Invalid URL (${request.method} ${path})`;
    sendJson(response, 404, openAIChat.errorBody({ message }));
    return;
  }
  const body = await readBody(request);
  if (body === undefined) {
    const message = "We could not parse the JSON body of your request.";
    sendJson(response, 400, protocol.errorBody({ message }));
    return;
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const fate = await decideFate(protocol, body, context.model, gone.signal);
  context.record(recordOf(protocol, body, fate));
  send(response, protocol, fate);
}

function recordOf(protocol: Protocol, body: Json, fate: Fate): RecordedRequest {
  const request = {
    protocol: protocol.name,
    stream: body.stream === true,
    body,
    outcome: fate.outcome,
    inputTokens: fate.inputTokens,
    outputTokens: 0,
  };
  switch (fate.outcome) {
    case "answered":
      return { ...request, status: 200, outputTokens: fate.turn.usage.output };
    case "stalled":
      return { ...request, status: 0 };
    default: {
      const { message, code, status = 400 } = fate.problem;
      return {
        ...request,
        status,
        error: { message, ...(code !== undefined && { code }) },
      };
    }
  }
}

function send(response: ServerResponse, protocol: Protocol, fate: Fate): void {
  switch (fate.outcome) {
    case "stalled":
      return;
    case "answered":
      if (fate.turn.body.stream === true) {
        sendEvents(response, protocol.answerEvents(fate.answer, fate.turn));
      } else {
        sendJson(response, 200, protocol.answerBody(fate.answer, fate.turn));
      }
      return;
    default: {
      const { problem } = fate;
      sendJson(response, problem.status ?? 400, protocol.errorBody(problem));
    }
  }
}
