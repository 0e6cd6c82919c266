import {
  BaseChatModel,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/** A model that answers at once: it calls a tool so many times, and then ends. */
export class InstantModel extends BaseChatModel {
  readonly #calls: number;
  #made = 0;

  constructor(calls: number) {
    super({});
    this.#calls = calls;
  }

  override _llmType(): string {
    return "instant";
  }

  override bindTools(_tools: BindToolsInput[]): this {
    return this;
  }

  override async _generate(): Promise<ChatResult> {
    this.#made += 1;
    const id = `step-${this.#made}`;
    const message = new AIMessage({
      id,
      content: "Let me look that up.",
      tool_calls:
        this.#made > this.#calls
          ? []
          : [{ id: `${id}-call`, name: "look_up", args: { query: id } }],
    });
    return { generations: [{ text: "", message }] };
  }
}
