import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { Random } from "./random.js";
import { prose, records } from "./agent-text.js";

/** A conversation of an agent that works for a person with tools, the same on each run. */
export class MadeConversation {
  readonly #messages: readonly MessageFields[];

  /** Turns of about 18 messages each, until there are so many messages. */
  constructor(messages: number, seed = 42) {
    this.#messages = makeFields(messages, new Random(seed));
  }

  get length(): number {
    return this.#messages.length;
  }

  /** The messages as new objects, which no cache has seen. */
  build(): BaseMessage[] {
    return this.#messages.map(buildMessage);
  }
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

type MessageFields =
  | { role: "system" | "human"; id: string; content: string }
  | { role: "ai"; id: string; content: string; tool_calls: Call[] }
  | { role: "tool"; id: string; content: string; tool_call_id: string };

const TOOLS = ["search", "read_file", "run_query", "list_issues"];

function makeFields(length: number, random: Random): MessageFields[] {
  const messages: MessageFields[] = [];
  const add = (fields: MessageFields): void => {
    messages.push(fields);
  };
  const nextId = (): string => `m${messages.length}`;
  add({ role: "system", id: nextId(), content: prose(random, 1_200) });
  while (messages.length < length) {
    add({ role: "human", id: nextId(), content: prose(random, 160) });
    const steps = 3 + random.below(6);
    for (let step = 0; step < steps; step += 1) {
      const id = nextId();
      const tool_calls = Array.from(
        { length: random.pick([1, 1, 1, 2, 2, 3, 4]) },
        (_, call) => makeCall(`${id}-c${call}`, random),
      );
      const content = random.below(2) === 0 ? "" : prose(random, 120);
      add({ role: "ai", id, content, tool_calls });
      for (const call of tool_calls) {
        add({
          role: "tool",
          id: nextId(),
          content: makeResult(random),
          tool_call_id: call.id,
        });
      }
    }
    add({
      role: "ai",
      id: nextId(),
      content: prose(random, 600),
      tool_calls: [],
    });
  }
  return messages.slice(0, endOfWholeStep(messages, length));
}

/** Half of the results have fewer than 250 tokens, one in ten has over 1,400. */
function makeResult(random: Random): string {
  const tokens = Math.min(8_000, Math.max(50, random.lognormal(250, 1.34)));
  const characters = Math.round(tokens * 4);
  return random.below(3) === 0
    ? prose(random, characters)
    : records(random, characters);
}

function makeCall(id: string, random: Random): Call {
  return {
    id,
    name: random.pick(TOOLS),
    args: {
      query: prose(random, 40),
      path: `src/${random.below(100)}/${random.below(1_000)}.ts`,
      limit: random.below(100),
      filters: { since: "2024-05-01", tags: ["open", "triaged"] },
    },
  };
}

/** At most so many messages, and no call without its results. */
function endOfWholeStep(
  messages: readonly MessageFields[],
  most: number,
): number {
  let end = Math.min(most, messages.length);
  while (end < messages.length && messages[end]!.role === "tool") {
    end -= 1;
  }
  return end;
}

function buildMessage(fields: MessageFields): BaseMessage {
  switch (fields.role) {
    case "system":
      return new SystemMessage({ id: fields.id, content: fields.content });
    case "human":
      return new HumanMessage({ id: fields.id, content: fields.content });
    case "ai":
      return new AIMessage({
        id: fields.id,
        content: fields.content,
        tool_calls: fields.tool_calls,
      });
    case "tool":
      return new ToolMessage({
        id: fields.id,
        content: fields.content,
        tool_call_id: fields.tool_call_id,
      });
  }
}
