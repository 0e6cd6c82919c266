import { describe, expect, it } from "@jest/globals";
import {
  type BaseMessage,
  mapChatMessagesToStoredMessages,
} from "@langchain/core/messages";
import fc from "fast-check";
import { checkConversation } from "../../src/health/check-conversation.js";
import { PROVIDERS, type RuleSet } from "../../src/health/provider.js";
import { repairConversation } from "../../src/health/repair-conversation.js";
import { oddConversations } from "../support/odd-conversations.js";
import { propertyRuns } from "../support/property-runs.js";
import { oddConversation, show } from "./odd-conversation.js";

// What holds for every repair, whatever was broken.

const RULE_SETS: readonly RuleSet[] = [...PROVIDERS, "strict"];

const conversation = fc.oneof(
  oddConversation,
  oddConversations().map(({ messages }) => messages),
);

function holds(
  name: string,
  rule: (messages: BaseMessage[], provider: RuleSet) => void,
): void {
  it(name, () => {
    fc.assert(
      fc.property(
        conversation,
        fc.constantFrom(...RULE_SETS),
        (messages, provider) => {
          try {
            rule(messages, provider);
          } catch (cause) {
            throw new Error(`${provider}\n${show(messages)}`, { cause });
          }
        },
      ),
      propertyRuns(300),
    );
  });
}

/** A message's text; core throws for one whose content is missing. */
function textOf(message: BaseMessage): string {
  return (message.content as unknown) ? message.text : "";
}

describe("a repair", () => {
  holds("leaves nothing that it could mend", (messages, provider) => {
    const { messages: mended } = repairConversation(messages, { provider });
    expect(checkConversation(mended, { provider, atRest: true })).toEqual([]);
  });

  holds("does nothing the second time", (messages, provider) => {
    const { messages: mended } = repairConversation(messages, { provider });
    const again = repairConversation(mended, { provider });
    expect(again.mends).toEqual([]);
    expect(again.messages).toBe(mended);
  });

  holds("hands a healthy list back as it is", (messages, provider) => {
    const isHealthy =
      checkConversation(messages, { provider, atRest: true }).length === 0;
    const { messages: mended, mends } = repairConversation(messages, {
      provider,
    });
    expect(mended === messages).toBe(isHealthy);
    expect(mends.length === 0).toBe(isHealthy);
  });

  holds("never changes what it was given", (messages, provider) => {
    const list = [...messages];
    const before = JSON.stringify(mapChatMessagesToStoredMessages(messages));
    repairConversation(messages, { provider });
    expect(messages).toEqual(list);
    expect(messages.every((message, index) => message === list[index])).toBe(
      true,
    );
    expect(JSON.stringify(mapChatMessagesToStoredMessages(messages))).toBe(
      before,
    );
  });

  holds("never loses what a person said", (messages, provider) => {
    const { messages: mended } = repairConversation(messages, { provider });
    const left = mended.map(textOf).join("\n");
    for (const message of messages.filter(({ type }) => type === "human")) {
      for (const word of textOf(message).split(/\s+/)) {
        expect(left).toContain(word);
      }
    }
  });

  holds("keeps the order of what stays", (messages, provider) => {
    const { messages: mended } = repairConversation(messages, { provider });
    const kept = messages.filter(
      (message) => message.type !== "tool" && mended.includes(message),
    );
    expect(mended.filter((message) => kept.includes(message))).toEqual(kept);
  });

  holds("says what it did, message by message", (messages, provider) => {
    const { messages: mended, mends } = repairConversation(messages, {
      provider,
    });
    const touched = new Set(mends.map(({ index }) => index));
    for (const [index, message] of messages.entries()) {
      if (!mended.includes(message)) {
        expect(touched.has(index)).toBe(true);
      }
    }
    for (const { index, what } of mends) {
      expect(messages[index]).toBeDefined();
      expect(what).not.toBe("");
    }
  });
});
