import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { RunnableConfig } from "@langchain/core/runnables";

/**
 * Sees whether a model has begun to answer in a run that is listened to.
 *
 * Whoever streams the run has those tokens then, whatever becomes of the call.
 */
export class TokenWatch {
  readonly #manager: HandlerHolder | undefined;
  /** Only where somebody listens, since making one takes as long as a pass. */
  readonly #handler: BaseCallbackHandler | undefined;
  #hasSeenTokens = false;

  constructor({ callbacks }: Partial<RunnableConfig>) {
    if (!isHolder(callbacks)) {
      return;
    }
    this.#handler = BaseCallbackHandler.fromMethods({
      handleLLMNewToken: (token, _place, _run, _parent, _tags, fields) => {
        this.#hasSeenTokens ||= token !== "" || hasCalls(fields?.chunk);
      },
    });
    // Told at once, not in the background: the error comes right behind.
    this.#handler.awaitHandlers = true;
    this.#manager = callbacks;
    this.#manager.addHandler(this.#handler, true);
  }

  get hasSeenTokens(): boolean {
    return this.#hasSeenTokens;
  }

  stop(): void {
    if (this.#handler !== undefined) {
      this.#manager?.removeHandler(this.#handler);
    }
  }
}

/** A callback manager, of whichever copy of LangChain. */
interface HandlerHolder {
  addHandler(handler: BaseCallbackHandler, inherit: boolean): void;
  removeHandler(handler: BaseCallbackHandler): void;
}

function isHolder(callbacks: unknown): callbacks is HandlerHolder {
  const { addHandler, removeHandler } = (callbacks ??
    {}) as Partial<HandlerHolder>;
  return (
    typeof addHandler === "function" && typeof removeHandler === "function"
  );
}

function hasCalls(chunk: unknown): boolean {
  const { message } = (chunk ?? {}) as {
    message?: { tool_call_chunks?: readonly unknown[] };
  };
  return (message?.tool_call_chunks?.length ?? 0) > 0;
}
