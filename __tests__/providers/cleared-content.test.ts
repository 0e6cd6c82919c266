import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  HumanMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { ToolResultPruningCompactor } from "../../src/index.js";
import {
  startProtocolServer,
  type ModelAnswer,
  type ProtocolServer,
} from "../../src/testing/index.js";
import { storedForms } from "../support/stored-forms.js";
import { checkWire } from "./wire/check-wire.js";
import { sendWith } from "./wire/send.js";
import { WIRE_PROVIDERS, type WireProvider } from "./wire/wire-provider.js";

// What was cleared is in nothing that a provider is sent or a store keeps. The
// answers with the calls are those of the real clients, whole and streamed.

const BODY = "the body of the file, as it was written\n".repeat(40);
const OUTPUT = "the output of the tool, as it came back\n".repeat(40);

const MODELS = {
  "chat completions": (server: ProtocolServer) => openAI(server),
  "chat completions, v1": (server: ProtocolServer) =>
    openAI(server, { outputVersion: "v1" }),
  Responses: (server: ProtocolServer) =>
    openAI(server, { useResponsesApi: true }),
  "Responses, v1": (server: ProtocolServer) =>
    openAI(server, { useResponsesApi: true, outputVersion: "v1" }),
  Anthropic: (server: ProtocolServer) => anthropic(server),
  "Anthropic, v1": (server: ProtocolServer) =>
    anthropic(server, { outputVersion: "v1" }),
};

/** The client that such an answer goes back to. */
const HOME: Readonly<Record<keyof typeof MODELS, WireProvider>> = {
  "chat completions": "openai",
  "chat completions, v1": "openai",
  Responses: "openai-responses",
  "Responses, v1": "openai-responses",
  Anthropic: "anthropic",
  "Anthropic, v1": "anthropic",
};

function openAI(
  server: ProtocolServer,
  fields: Partial<ConstructorParameters<typeof ChatOpenAI>[0]> = {},
): ChatOpenAI {
  return new ChatOpenAI({
    model: "gpt-4.1",
    apiKey: "unused",
    maxRetries: 0,
    ...fields,
    configuration: { baseURL: server.baseURL },
  } as ConstructorParameters<typeof ChatOpenAI>[0]);
}

function anthropic(
  server: ProtocolServer,
  fields: Partial<ConstructorParameters<typeof ChatAnthropic>[0]> = {},
): ChatAnthropic {
  return new ChatAnthropic({
    model: "claude-sonnet-4-5",
    apiKey: "unused",
    maxRetries: 0,
    ...fields,
    anthropicApiUrl: server.anthropicURL,
  });
}

const WAYS = {
  whole: (model: ChatOpenAI | ChatAnthropic, input: BaseMessage[]) =>
    model.invoke(input),
  streamed: async (model: ChatOpenAI | ChatAnthropic, input: BaseMessage[]) => {
    const chunks = [];
    for await (const chunk of await model.stream(input)) {
      chunks.push(chunk);
    }
    return chunks.reduce((all, chunk) => concat(all, chunk));
  },
};

const TOOL = {
  name: "write_file",
  description: "Writes a file.",
  schema: {
    type: "object",
    properties: { path: { type: "string" }, body: { type: "string" } },
  },
} as const;

/** An old step as this client brings it, and a newer one behind it. */
async function threadOf(
  name: keyof typeof MODELS,
  way: keyof typeof WAYS,
  reasoning?: string,
): Promise<BaseMessage[]> {
  const answer: ModelAnswer = {
    text: "I write it.",
    toolCalls: [
      { name: "write_file", args: { path: "a.txt", body: BODY }, id: "call_1" },
    ],
    ...(reasoning === undefined ? {} : { reasoning }),
  };
  await using server = await startProtocolServer({ respond: () => answer });
  const model = MODELS[name](server).bindTools([TOOL]) as unknown as ChatOpenAI;
  const task = new HumanMessage({ id: "task", content: "Write it." });
  const call = await WAYS[way](model, [task]);
  return [
    task,
    call,
    new ToolMessage({
      id: "result",
      content: OUTPUT,
      artifact: { raw: OUTPUT },
      tool_call_id: (call as AIMessage).tool_calls![0]!.id!,
      name: "write_file",
    }),
    new AIMessage({
      content: "",
      tool_calls: [{ id: "call_2", name: "look", args: {}, type: "tool_call" }],
    }),
    new ToolMessage({ content: "seen", tool_call_id: "call_2", name: "look" }),
    new AIMessage("Done."),
  ];
}

async function clear(messages: readonly BaseMessage[]): Promise<BaseMessage[]> {
  const cleared = await new ToolResultPruningCompactor({
    clearToolInputs: true,
  }).compact(messages, { targetTokens: 0 });
  return cleared!;
}

/** What each client sends, where it takes the messages at all, and what is stored. */
async function everyForm(
  messages: BaseMessage[],
): Promise<ReadonlyMap<string, string>> {
  const forms = new Map<string, string>();
  for (const provider of WIRE_PROVIDERS) {
    try {
      const sent = await sendWith(provider, messages);
      forms.set(provider, JSON.stringify(sent));
    } catch {
      // Not every client takes every other one's blocks.
    }
  }
  forms.set("stored", (await storedForms(messages)).join("\n"));
  return forms;
}

/** The forms in which a text stands. */
function formsWith(forms: ReadonlyMap<string, string>, text: string): string[] {
  return [...forms].flatMap(([name, form]) =>
    form.includes(text) ? [name] : [],
  );
}

const BODY_LINE = BODY.split("\n")[0]!;
const OUTPUT_LINE = OUTPUT.split("\n")[0]!;

describe.each(Object.keys(MODELS) as (keyof typeof MODELS)[])("%s", (name) => {
  it.each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
    "%s: arguments and result are gone from everything that is sent or stored",
    async (way) => {
      const before = await threadOf(name, way);
      const formsBefore = await everyForm(before);
      // The client of OpenAI loses the arguments of a streamed v1 answer itself.
      const isLost = name === "Responses, v1" && way === "streamed";
      const home = isLost ? ["stored"] : [HOME[name], "stored"];
      expect(formsWith(formsBefore, BODY_LINE)).toEqual(
        expect.arrayContaining(home),
      );
      expect(formsWith(formsBefore, OUTPUT_LINE)).toEqual(
        expect.arrayContaining(home),
      );

      const after = await clear(before);
      expect(after[1]).toMatchObject({
        tool_calls: [
          { args: { path: "a.txt", body: "[removed to free up context]" } },
        ],
      });
      const formsAfter = await everyForm(after);
      expect([...formsAfter.keys()]).toEqual(
        expect.arrayContaining([...formsBefore.keys()]),
      );
      expect(formsWith(formsAfter, BODY_LINE)).toEqual([]);
      expect(formsWith(formsAfter, OUTPUT_LINE)).toEqual([]);
      // The call is still there with its short argument.
      expect(formsWith(formsAfter, "a.txt")).toEqual(
        expect.arrayContaining(formsWith(formsBefore, "a.txt")),
      );
      for (const provider of WIRE_PROVIDERS) {
        if ((await checkWire(provider, before)).length === 0) {
          expect(await checkWire(provider, after)).toEqual([]);
        }
      }
    },
  );
});

describe("calls that belong to signed or sealed reasoning", () => {
  it.each<[keyof typeof MODELS, keyof typeof WAYS]>([
    ["Anthropic", "whole"],
    ["Anthropic", "streamed"],
    ["Anthropic, v1", "whole"],
    ["Responses", "whole"],
    ["Responses", "streamed"],
    ["Responses, v1", "whole"],
  ])("of %s, %s, stay as they are; their results go", async (name, way) => {
    const before = await threadOf(name, way, "I think, therefore I write.");
    const after = await clear(before);
    expect(after[1]).toBe(before[1]);
    const forms = await everyForm(after);
    expect(formsWith(forms, BODY_LINE)).toContain(HOME[name]);
    expect(formsWith(forms, OUTPUT_LINE)).toEqual([]);
  });

  it("of Gemini stay too", async () => {
    const before = await threadOf("chat completions", "whole");
    before[1]!.additional_kwargs = {
      __gemini_function_call_thought_signatures__: { call_1: "c2lnbmVk" },
    };
    expect((await clear(before))[1]).toBe(before[1]);
  });
});

it("a message in which a copy would remain stays as it is", async () => {
  const before = await threadOf("chat completions", "whole");
  before[1]!.additional_kwargs = { raw: `<call>${BODY}</call>` };
  expect((await clear(before))[1]).toBe(before[1]);
});
