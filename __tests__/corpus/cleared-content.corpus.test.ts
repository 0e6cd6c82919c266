import { expect, it } from "@jest/globals";
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { ToolResultPruningCompactor } from "langchain-compaction";
import { checkWire } from "../providers/wire/check-wire.js";
import { sendWith } from "../providers/wire/send.js";
import type { WireProvider } from "../providers/wire/wire-provider.js";
import { CORPUS, toConversations } from "../support/corpus.js";
import { describeShared } from "../support/shared-files.js";
import { storedForms } from "../support/stored-forms.js";
import { isEdited } from "../support/tier-rules.js";

// What pruning took out of recorded conversations stands in nothing that the
// real clients send and in nothing that is stored.

const PROVIDERS: readonly WireProvider[] = [
  "openai",
  "openai-responses",
  "anthropic",
  "bedrock",
];

describeShared<unknown>("recorded conversations", CORPUS, (lines) => {
  it("keep nothing of what was cleared, and are refused no more than before", async () => {
    let edited = 0;
    let searched = 0;
    const found: string[] = [];
    const refused: string[] = [];
    for (const { id, messages } of toConversations(lines)) {
      const after = await new ToolResultPruningCompactor({
        clearToolInputs: true,
        skip: () => false,
      }).compact(messages, { targetTokens: 0 });
      if (after === null) {
        continue;
      }
      edited += after.filter(isEdited).length;
      const removed = textsOnlyIn(messages, after);
      const forms: [string, string][] = [
        ["stored", (await storedForms(after)).join("\n")],
      ];
      for (const provider of PROVIDERS) {
        const before = await checkWire(provider, messages);
        const now = await checkWire(provider, after);
        const fresh = now.filter(
          ({ message }) => !before.some((old) => old.message === message),
        );
        refused.push(
          ...fresh.map(({ message }) => `${id}, ${provider}: ${message}`),
        );
        try {
          const sent = await sendWith(provider, after);
          forms.push([provider, JSON.stringify(sent)]);
        } catch {
          // Its client does not take the recording as it is either.
        }
      }
      for (const [name, form] of forms) {
        searched += removed.length;
        const left = removed.filter((text) => form.includes(text));
        found.push(...left.map((text) => `${id}, ${name}: ${text}`));
      }
    }
    expect(refused).toEqual([]);
    expect(found).toEqual([]);
    expect(edited).toBeGreaterThan(1_000);
    expect(searched).toBeGreaterThan(3_000);
  });
});

/** A long line of each text that went, where no message that stayed says it too. */
function textsOnlyIn(
  before: readonly BaseMessage[],
  after: readonly BaseMessage[],
): string[] {
  const kept = JSON.stringify(after.map(saidBy));
  return before
    .filter((message, index) => message !== after[index])
    .flatMap((message) => {
      const line = JSON.stringify(saidBy(message))
        .split(/\\+[a-z"\\]|"/)
        .filter((text) => text.length > 20 && !kept.includes(text))
        .reduce(
          (longest, text) => (text.length > longest.length ? text : longest),
          "",
        );
      return line === "" ? [] : [line];
    });
}

function saidBy(message: BaseMessage): unknown {
  return [message.content, (message as AIMessage).tool_calls];
}
