import { expect, it } from "@jest/globals";
import { CORPUS, toConversations } from "../support/corpus.js";
import { describeShared } from "../support/shared-files.js";
import { byThemselves, inHook } from "./acceptance/contenders.js";
import {
  type Acceptance,
  measureAcceptance,
} from "./acceptance/measure-acceptance.js";

describeShared<unknown>(
  "contexts of recorded conversations",
  CORPUS,
  (lines) => {
    const options = { requests: 1, shares: [0.4] };

    it("are taken by every provider that a hook knows of, whichever compactor made them", async () => {
      const results = await measureAcceptance(
        toConversations(lines),
        inHook,
        options,
      );
      expect(results.filter(({ built }) => built <= 50)).toEqual([]);
      expect(refusedIn(results)).toEqual([]);
    }, 300_000);

    it("are taken from a compactor by itself but where the page of conversation health says so", async () => {
      const results = await measureAcceptance(
        toConversations(lines),
        byThemselves,
        options,
      );
      expect(results.filter(({ built }) => built <= 50)).toEqual([]);
      expect(
        refusedIn(results).filter(
          ([compactor, provider]) =>
            !(
              // A note beside a question, which this provider's client does not join.
              (provider === "bedrock" && !compactor.includes("Repair")) ||
              // A record of folded calls, which this one refuses behind a result.
              (provider === "mistral" && compactor.includes("Collapse")) ||
              // Without a note a conversation may begin with a call.
              compactor.includes("null")
            ),
        ),
      ).toEqual([]);
    }, 300_000);
  },
);

function refusedIn(
  results: readonly Acceptance[],
): [compactor: string, provider: string, example: string | undefined][] {
  return results
    .filter(({ refused }) => refused > 0)
    .map(({ contender, provider, example }) => [
      contender.name,
      provider,
      example,
    ]);
}
