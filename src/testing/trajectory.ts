import type { BaseMessage } from "@langchain/core/messages";
import { roleOf } from "../conversation/message.js";
import { checkConversation } from "../health/check-conversation.js";
import type { RuleSet } from "../health/provider.js";
import type { CompactionReport } from "../hook/report.js";
import { invalidOption, requireKnownOptions } from "../options.js";
import { defaultTokenCounter } from "../tokens/default-counter.js";
import { measure } from "../tokens/measured-conversation.js";
import type { TokenCounterLike } from "../tokens/token-counter.js";

/** What is put to the test: a hook, or any function from messages to fewer messages. */
export type TrajectorySubject =
  | {
      compact(
        messages: BaseMessage[],
      ): Promise<{ messages: BaseMessage[]; report: CompactionReport }>;
    }
  | ((messages: BaseMessage[]) => BaseMessage[] | Promise<BaseMessage[]>);

export interface TrajectoryOptions {
  /**
   * `rewrite` where the next call starts from the result of this one, as in a
   * graph's state; `view` where it starts from the whole history.
   *
   * @default "rewrite"
   */
  readonly mode?: "rewrite" | "view";
  /** Tokens that no request may exceed. @default no limit */
  readonly budget?: number;
  /** Whose rules every request has to meet. @default "strict" */
  readonly provider?: RuleSet;
  /** @default an estimate that needs no tokenizer */
  readonly tokenCounter?: TokenCounterLike;
}

/** One call of the model. */
export interface TrajectoryCall {
  /** What was sent. */
  readonly messages: readonly BaseMessage[];
  readonly tokens: number;
  /** Whether earlier messages changed since the call before, which breaks a prompt cache. */
  readonly compacted: boolean;
}

/** A rule that a call broke. */
export interface TrajectoryViolation {
  readonly rule: "valid" | "budget" | "prefix" | "loop";
  /** Number of the call, from 0. */
  readonly call: number;
  readonly message: string;
}

export interface Trajectory {
  readonly calls: readonly TrajectoryCall[];
  /** Calls before which earlier messages changed. */
  readonly compactions: number;
  readonly violations: readonly TrajectoryViolation[];
}

/**
 * Grows a conversation message by message and looks at every request to the model.
 *
 * A request is made before each AI message of the script, and one at the end
 * where the script ends otherwise. Four rules are checked. `valid`: the
 * provider takes what is sent, if it takes the whole history. `budget`: it
 * fits, unless the report says that what is protected does not. `prefix`:
 * earlier messages change only where the report says that it compacted.
 * `loop`: asked again at once, nothing changes any more.
 *
 * @param script the whole conversation, as it would be without compaction
 * @throws CompactionError `INVALID_OPTION`
 */
export async function simulateTrajectory(
  script: readonly BaseMessage[],
  subject: TrajectorySubject,
  options: TrajectoryOptions = {},
): Promise<Trajectory> {
  const run = new Run(subject, options);
  for (const message of script) {
    if (roleOf(message) === "ai" && run.history.length > 0) {
      await run.call();
    }
    run.add(message);
  }
  const last = script.at(-1);
  if (last !== undefined && roleOf(last) !== "ai") {
    await run.call();
  }
  const compactions = run.calls.filter(({ compacted }) => compacted).length;
  return { calls: run.calls, compactions, violations: run.violations };
}

class Run {
  readonly history: BaseMessage[] = [];
  readonly calls: TrajectoryCall[] = [];
  readonly violations: TrajectoryViolation[] = [];
  readonly #subject: TrajectorySubject;
  readonly #options: TrajectoryOptions;
  #state: BaseMessage[] = [];

  constructor(subject: TrajectorySubject, options: TrajectoryOptions) {
    requireKnownOptions("simulateTrajectory", options, [
      "mode",
      "budget",
      "provider",
      "tokenCounter",
    ]);
    const { mode } = options;
    if (mode !== undefined && mode !== "rewrite" && mode !== "view") {
      throw invalidOption("mode", mode, '"rewrite" or "view"');
    }
    this.#subject = subject;
    this.#options = options;
  }

  add(message: BaseMessage): void {
    this.history.push(message);
    this.#state.push(message);
  }

  async call(): Promise<void> {
    const { mode = "rewrite", budget = Infinity } = this.#options;
    const asked = mode === "view" ? this.history : this.#state;
    const { messages, report } = await this.#ask(asked);
    const compacted = !startsWith(messages, this.calls.at(-1)?.messages ?? []);
    const tokens = await this.#count(messages);
    this.#checkValid(messages);
    if (tokens > budget && report?.overTarget !== true) {
      this.#violate("budget", `${tokens} tokens, and ${budget} were allowed`);
    }
    if (compacted && report !== undefined && report.outcome !== "compacted") {
      this.#violate(
        "prefix",
        `earlier messages changed, though the report says ${report.outcome} (${report.reason})`,
      );
    }
    const again = await this.#ask(mode === "view" ? asked : messages);
    if (!isSame(again.messages, messages)) {
      this.#violate(
        "loop",
        `${messages.length} messages became ${again.messages.length} when it was asked again`,
      );
    }
    this.calls.push({ messages, tokens, compacted });
    this.#state = [...messages];
  }

  async #ask(messages: readonly BaseMessage[]): Promise<{
    messages: BaseMessage[];
    report?: CompactionReport;
  }> {
    const given = [...messages];
    return typeof this.#subject === "function"
      ? { messages: await this.#subject(given) }
      : this.#subject.compact(given);
  }

  async #count(messages: readonly BaseMessage[]): Promise<number> {
    const { tokenCounter = defaultTokenCounter } = this.#options;
    return (await measure(messages, tokenCounter)).total;
  }

  #checkValid(messages: readonly BaseMessage[]): void {
    const { provider = "strict" } = this.#options;
    const problems = checkConversation(messages, { provider });
    if (
      problems.length > 0 &&
      checkConversation(this.history, { provider }).length === 0
    ) {
      this.#violate("valid", problems.map(({ message }) => message).join("; "));
    }
  }

  #violate(rule: TrajectoryViolation["rule"], message: string): void {
    this.violations.push({ rule, call: this.calls.length, message });
  }
}

function startsWith(
  messages: readonly BaseMessage[],
  prefix: readonly BaseMessage[],
): boolean {
  return (
    messages.length >= prefix.length &&
    prefix.every((message, index) => isSameMessage(message, messages[index]!))
  );
}

function isSame(a: readonly BaseMessage[], b: readonly BaseMessage[]): boolean {
  return a.length === b.length && startsWith(a, b);
}

/** Whether two messages send the same; what a hook notes in the metadata is not sent. */
function isSameMessage(a: BaseMessage, b: BaseMessage): boolean {
  return a === b || sentPart(a) === sentPart(b);
}

function sentPart(message: BaseMessage): string {
  const { type, content, name } = message;
  const { tool_calls, tool_call_id } = message as {
    tool_calls?: unknown;
    tool_call_id?: unknown;
  };
  return JSON.stringify([type, content, name, tool_calls, tool_call_id]);
}
