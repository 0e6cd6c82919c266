import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import fc from "fast-check";

// Lists of messages as broken threads hold them: results lost, doubled and out
// of place, ids missing and of every form, empty and foreign content.

const callId = fc.constantFrom<(string | undefined)[]>(
  "call_1",
  "call_2",
  "call_3",
  "functions.look_up:0",
  "c".repeat(50),
  "x".repeat(70),
  "__proto__",
);

const maybeCallId = fc.oneof(
  { weight: 20, arbitrary: callId },
  { weight: 1, arbitrary: fc.constantFrom(undefined, "") },
);

const plainText = fc.constantFrom("hello", "a longer text", "日本語");

const textContent = fc.oneof(
  { weight: 8, arbitrary: plainText },
  { weight: 1, arbitrary: fc.constantFrom("", "  \n") },
  {
    weight: 2,
    arbitrary: fc.array(
      fc
        .oneof(
          { weight: 6, arbitrary: plainText },
          { weight: 1, arbitrary: fc.constantFrom("", " ") },
        )
        .map((text) => ({ type: "text", text })),
      { maxLength: 3 },
    ),
  },
);

const systemMessage = fc
  .constantFrom("Be brief.", "Use tools.")
  .map((content) => new SystemMessage({ content }));

const humanMessage = textContent
  // Some clients take a list of no blocks out, others join it to its neighbours.
  .filter((content) => content.length > 0 || typeof content === "string")
  .map((content) => new HumanMessage({ content }));

const thinking = fc.constantFrom<Record<string, unknown>[]>(
  { type: "thinking", thinking: "so", signature: "c2ln" },
  { type: "thinking", thinking: "unsigned" },
);

const aiContent = fc.oneof(
  { weight: 8, arbitrary: textContent },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(thinking, { maxLength: 2 }), plainText, fc.boolean())
      .map(([thoughts, text, isFirst]) => {
        const said = { type: "text", text };
        return isFirst ? [...thoughts, said] : [said, ...thoughts];
      }),
  },
);

const calls = fc.array(maybeCallId, { maxLength: 3 });

const aiMessage = fc.tuple(aiContent, calls).map(
  ([content, ids]) =>
    new AIMessage({
      content: content as string,
      tool_calls: ids.map((id) => ({
        ...(id === undefined ? {} : { id }),
        name: "look_up",
        args: { q: 1 },
        type: "tool_call" as const,
      })),
    }),
);

/** Calls that stand where only some clients look. */
const aiWithCallsElsewhere = fc
  .tuple(callId, fc.constantFrom("tool_use", "raw", "mirrored"))
  .map(([id, place]) => {
    const block = {
      type: "tool_use",
      id: id!,
      name: "look_up",
      input: { q: 1 },
    };
    const call = {
      id: id!,
      name: "look_up",
      args: { q: 1 },
      type: "tool_call" as const,
    };
    switch (place) {
      case "tool_use":
        return new AIMessage({ content: [block], tool_calls: [] });
      case "mirrored":
        return new AIMessage({ content: [block], tool_calls: [call] });
      default:
        return withRawCall(id!);
    }
  });

const toolMessage = fc.tuple(maybeCallId, textContent).map(
  ([id, content]) =>
    new ToolMessage({
      content: content as string,
      tool_call_id: id as string,
      name: "look_up",
    }),
);

/** A call with the result that belongs to it, so that whole steps occur too. */
const wholeStep = fc
  .tuple(fc.uniqueArray(callId, { minLength: 1, maxLength: 2 }), plainText)
  .map(([ids, text]): BaseMessage[] => [
    new AIMessage({
      content: text,
      tool_calls: ids.map((id) => ({ id: id!, name: "look_up", args: {} })),
    }),
    ...ids.map(
      (id) =>
        new ToolMessage({
          content: "found",
          tool_call_id: id!,
          name: "look_up",
        }),
    ),
  ]);

/** As some stores hand messages back: with no content, not even an empty one. */
const withoutContent = fc
  .tuple(
    fc.oneof(systemMessage, humanMessage, aiMessage, toolMessage),
    fc.constantFrom(null, undefined),
  )
  .map(([message, content]) =>
    Object.assign(message as BaseMessage, { content }),
  ) as fc.Arbitrary<BaseMessage>;

/** A conversation with any of these in any order; every message has an id of its own. */
export const oddConversation: fc.Arbitrary<BaseMessage[]> = fc
  .array(
    fc.oneof(
      { weight: 1, arbitrary: systemMessage.map(one) },
      { weight: 5, arbitrary: humanMessage.map(one) },
      { weight: 5, arbitrary: aiMessage.map(one) },
      { weight: 1, arbitrary: aiWithCallsElsewhere.map(one) },
      { weight: 4, arbitrary: toolMessage.map(one) },
      { weight: 3, arbitrary: wholeStep },
      { weight: 1, arbitrary: withoutContent.map(one) },
    ),
    { maxLength: 12 },
  )
  .map((parts) => {
    const messages = parts.flat();
    messages.forEach((message, index) => {
      message.id = `${message.type}-${index}`;
      message.lc_kwargs["id"] = message.id;
    });
    return messages;
  });

/** As a stream leaves a call whose arguments did not parse. */
function withRawCall(id: string): AIMessage {
  const args = '{"q": ';
  const message = new AIMessage({
    content: "",
    invalid_tool_calls: [{ id, name: "look_up", args, error: "cut" }],
  });
  // The constructor would parse it again, and warn.
  message.additional_kwargs = {
    tool_calls: [
      { id, type: "function", function: { name: "look_up", arguments: args } },
    ],
  };
  return message;
}

function one(message: BaseMessage): BaseMessage[] {
  return [message];
}

/** A conversation in a form that a failing test can show. */
export function show(messages: readonly BaseMessage[]): string {
  return messages
    .map((message) => {
      const { tool_calls, tool_call_id } = message as {
        tool_calls?: { id?: string }[];
        tool_call_id?: string;
      };
      const ids = tool_calls?.map(({ id }) => id) ?? tool_call_id ?? "";
      return `${message.type} ${JSON.stringify(ids)} ${JSON.stringify(message.content)}`;
    })
    .join("\n");
}
