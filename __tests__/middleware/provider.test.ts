import { describe, expect, it } from "@jest/globals";
import { ChatBedrockConverse } from "@langchain/aws";
import type { BaseMessage } from "@langchain/core/messages";
import { createAgent, createMiddleware, initChatModel } from "langchain";
import type { CompactionMiddlewareOptions } from "langchain-compaction/middleware";
import { refusalsByBedrock } from "../providers/wire/bedrock-rules.js";
import type { Json } from "../providers/wire/wire-provider.js";
import { ai, human } from "../support/make-messages.js";
import { busyModel, compaction } from "./agents.js";

/** What the real client is made of, and what it sends. */
function bedrock(): {
  fields: ConstructorParameters<typeof ChatBedrockConverse>[0];
  sent: Json[];
} {
  const sent: Json[] = [];
  const client = {
    config: {},
    send: async ({ input }: { input: Json }): Promise<Json> => {
      sent.push(input);
      return {
        output: { message: { role: "assistant", content: [{ text: "ok" }] } },
        stopReason: "end_turn",
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        metrics: { latencyMs: 1 },
        $metadata: {},
      };
    },
  };
  const fields = {
    model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    region: "us-east-1",
    client: client as unknown as ChatBedrockConverse["client"],
  };
  return { fields, sent };
}

/** Forty questions; ten tokens a message, where 200 are too many. */
function thread(): BaseMessage[] {
  const messages = Array.from({ length: 40 }, (_, turn) => [
    human(`h${turn}`),
    ai(`a${turn}`),
  ]);
  return [...messages.flat(), human("task")];
}

async function requestOf(
  options: Partial<CompactionMiddlewareOptions>,
): Promise<Json> {
  const { fields, sent } = bedrock();
  const { middleware } = compaction(options);
  await createAgent({
    model: new ChatBedrockConverse(fields),
    middleware: [middleware],
  }).invoke({ messages: thread() });
  expect(sent).toHaveLength(1);
  expect(sent[0].messages.length).toBeLessThan(30);
  return sent[0];
}

describe("a middleware in front of ChatBedrockConverse", () => {
  it.each(["view", "rewrite"] as const)(
    "sends what Bedrock takes, unasked: %s",
    async (mode) => {
      expect(refusalsByBedrock(await requestOf({ mode }))).toEqual([]);
    },
  );

  it("goes by what it is told instead", async () => {
    const request = await requestOf({ provider: "openai" });
    expect(refusalsByBedrock(request)).not.toEqual([]);
  });

  it("follows the model of each call, also one that is only known then", async () => {
    const { fields, sent } = bedrock();
    const configurable = await initChatModel("anthropic.claude", {
      modelProvider: "bedrock",
      ...fields,
    });
    const { middleware } = compaction();
    const switching = createMiddleware({
      name: "Switching",
      wrapModelCall: (request, handler) =>
        handler({ ...request, model: configurable }),
    });
    await createAgent({
      model: busyModel(0),
      middleware: [switching, middleware],
    }).invoke({ messages: thread() });
    expect(refusalsByBedrock(sent[0])).toEqual([]);
  });
});
