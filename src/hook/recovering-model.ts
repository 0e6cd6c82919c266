import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import {
  Runnable,
  type RunnableConfig,
  type RunnableInterface,
} from "@langchain/core/runnables";
import type { CompactorInput } from "../compactors/compactor.js";
import { coerceMessages } from "../conversation/coerce-messages.js";
import { MARKER_KEY } from "../conversation/marker.js";
import { roleOf } from "../conversation/message.js";
import { invalidOption } from "../options.js";
import type { CompactionHook } from "./compaction-hook.js";
import { factsWithModel } from "./facts-in-options.js";
import { innerConfig } from "./inner-config.js";
import { OverflowRecovery, type RecoveringHook } from "./overflow-recovery.js";
import { stampDecision } from "./stamp.js";
import type { ViewResult } from "./view.js";

/** A chat model, or what `bindTools` makes of one. */
export type RecoverableModel<Answer extends BaseMessage> = RunnableInterface<
  BaseLanguageModelInput,
  Answer
>;

type ViewingHook = RecoveringHook &
  Pick<CompactionHook<string>, "options" | "viewRequest">;

/** A model behind a view that gets smaller where the model says that it is too long. */
export class RecoveringModel<Answer extends BaseMessage> extends Runnable<
  CompactorInput,
  Answer
> {
  lc_namespace: string[] = ["langchain_compaction", "hook"];
  readonly #hook: ViewingHook;
  readonly #model: RecoverableModel<Answer>;

  static override lc_name(): string {
    return "RecoveringModel";
  }

  /** @throws CompactionError `INVALID_OPTION` for what is no model */
  constructor(hook: ViewingHook, model: RecoverableModel<Answer>) {
    if (typeof (model as Partial<typeof model> | null)?.invoke !== "function") {
      throw invalidOption("model", model, "a chat model");
    }
    super();
    this.#hook = hook;
    this.#model = model;
  }

  override async invoke(
    input: CompactorInput,
    options: Partial<RunnableConfig> = {},
  ): Promise<Answer> {
    return this._callWithConfig(
      async (given: CompactorInput, config, runManager) => {
        const inner = innerConfig(config, runManager);
        const recovery = await this.#open(given, inner);
        const answer = await recovery.run((messages) =>
          this.#model.invoke([...messages], inner),
        );
        const { view } = recovery.shown;
        return view === undefined || roleOf(answer) !== "ai"
          ? answer
          : stampDecision(answer, view.decision);
      },
      input,
      options,
    );
  }

  override async *_streamIterator(
    input: CompactorInput,
    options: Partial<RunnableConfig> = {},
  ): AsyncGenerator<Answer> {
    yield* this._transformStreamWithConfig(
      only(input),
      (inputs, runManager, config) => this.#stream(inputs, config, runManager),
      options,
    );
  }

  async *#stream(
    inputs: AsyncGenerator<CompactorInput>,
    config: Partial<RunnableConfig> | undefined,
    runManager: CallbackManagerForChainRun | undefined,
  ): AsyncGenerator<Answer> {
    const inner = innerConfig(config, runManager);
    for await (const input of inputs) {
      const recovery = await this.#open(input, inner);
      yield* this.#streamUntilTaken(recovery, inner);
      const { view } = recovery.shown;
      if (view !== undefined) {
        yield decisionChunk(view) as unknown as Answer;
      }
    }
  }

  async *#streamUntilTaken(
    recovery: OverflowRecovery,
    config: Partial<RunnableConfig>,
  ): AsyncGenerator<Answer> {
    for (;;) {
      let hasGivenTokens = false;
      // What says nothing yet is held back: the call may be made again.
      let held: Answer[] = [];
      try {
        const { messages } = recovery.shown;
        for await (const chunk of await this.#model.stream(
          [...messages],
          config,
        )) {
          held.push(chunk);
          if (hasGivenTokens || !isBlank(chunk)) {
            hasGivenTokens = true;
            yield* held;
            held = [];
          }
        }
        yield* held;
        return;
      } catch (error) {
        await recovery.showLess(error, hasGivenTokens);
      }
    }
  }

  async #open(
    input: CompactorInput,
    config: Partial<RunnableConfig>,
  ): Promise<OverflowRecovery> {
    const { settings, options } = this.#hook;
    const shown = await this.#hook.viewRequest(
      coerceMessages(input),
      config,
      () => factsWithModel(settings, options, this.#model, config.signal),
    );
    await this.#hook.tell(shown.report, config);
    return new OverflowRecovery(this.#hook, shown, config);
  }
}

async function* only<Value>(value: Value): AsyncGenerator<Value> {
  yield value;
}

function isBlank(chunk: BaseMessage): boolean {
  const { tool_call_chunks: calls = [] } = chunk as Partial<AIMessageChunk>;
  return chunk.content.length === 0 && calls.length === 0;
}

/** The last chunk of a stream: chunks that are put together make one answer with the decision on it. */
function decisionChunk({
  decision,
}: NonNullable<ViewResult["view"]>): AIMessageChunk {
  return new AIMessageChunk({
    content: "",
    response_metadata: { [MARKER_KEY]: decision },
  });
}
