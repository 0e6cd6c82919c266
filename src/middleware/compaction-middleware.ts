import { getConfig } from "@langchain/langgraph";
import { type AgentMiddleware, createMiddleware } from "langchain";
import type { CompactionHook } from "../hook/compaction-hook.js";
import type { ModelAnswer } from "./answer.js";
import { type CompactionMiddlewareOptions, Door } from "./door.js";
import { type CompactionContext, ownOptions } from "./run-context.js";
import { summariesSchema } from "./summaries-state.js";

/**
 * Middleware for `createAgent` that keeps each request inside the model's context window.
 *
 * By default the model sees a compacted view and the state stays whole. With
 * `mode: "rewrite"` the same view is written back wherever that is safe. It
 * measures what is sent: system message, tool schemas and messages; it adds no
 * step to the graph and nothing to the stream, and it writes what it decided on
 * the answer, so that another model or other options do not change the past.
 *
 * @param options options, or a `CompactionHook` with its window
 * @throws CompactionError `INVALID_OPTION`; in a run `WINDOW_UNKNOWN` where the
 *   window is `"auto"` and the model has no profile
 */
export function compactionMiddleware(
  options: CompactionMiddlewareOptions | CompactionHook,
): AgentMiddleware<undefined, undefined, unknown, readonly [], readonly []> {
  const usual = new Door(options);
  const ofRun = new WeakMap<CompactionContext, Door>();
  const doorFor = (context: unknown): Door => {
    const own = ownOptions(context);
    if (own === undefined) {
      return usual;
    }
    const door = ofRun.get(own) ?? new Door(options, own);
    ofRun.set(own, door);
    return door;
  };
  const middleware = createMiddleware({
    name: "CompactionMiddleware",
    // A key of the state costs each call a little.
    ...(usual.writesSummaries ? { stateSchema: summariesSchema } : {}),
    wrapModelCall: async (request, handler) => {
      const { context, signal, writer } = request.runtime;
      const door = doorFor(context);
      const config = { writer, ...getConfig(), signal };
      const opened = await door.open(request, config);
      // The handler gives back more forms than its type admits.
      const call = handler as unknown as (
        shownRequest: typeof request,
      ) => Promise<ModelAnswer>;
      const recovery = door.recovery(opened, config);
      const answer = await recovery.run((messages) =>
        call({ ...request, messages: [...messages] }),
      );
      return door.close(request, recovery.shown, answer, config) as Awaited<
        ReturnType<typeof handler>
      >;
    },
  });
  // Its state is nobody else's.
  return middleware as AgentMiddleware<
    undefined,
    undefined,
    unknown,
    readonly [],
    readonly []
  >;
}
