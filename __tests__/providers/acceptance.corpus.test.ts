import { expect, it } from "@jest/globals";
import { CORPUS, toConversations } from "../support/corpus.js";
import { describeShared } from "../support/shared-files.js";
import { contenders } from "./acceptance/contenders.js";
import { measureAcceptance } from "./acceptance/measure-acceptance.js";

describeShared<unknown>(
  "contexts of recorded conversations",
  CORPUS,
  (lines) => {
    it("are taken by the providers, whichever compactor made them", async () => {
      const results = await measureAcceptance(
        toConversations(lines),
        contenders.filter(({ isOurs }) => isOurs),
        { requests: 1, shares: [0.4] },
      );
      for (const { contender, provider, built } of results) {
        expect([contender.name, provider, built > 50]).toEqual([
          contender.name,
          provider,
          true,
        ]);
      }
      const refused = results.filter(
        (result) =>
          result.refused > 0 &&
          // A note beside a question, which this provider's client does not join.
          result.provider !== "bedrock" &&
          // A record of folded calls, which this one refuses behind a result.
          !(
            result.provider === "mistral" &&
            result.contender.name.includes("Collapse")
          ) &&
          // Without a note a conversation may begin with a call.
          !result.contender.name.includes("null"),
      );
      expect(
        refused.map(({ contender, provider, example }) => [
          contender.name,
          provider,
          example,
        ]),
      ).toEqual([]);
      const repaired = results.filter(({ contender }) =>
        contender.name.includes("repair"),
      );
      expect(repaired.map((result) => result.refused)).toEqual(
        repaired.map(() => 0),
      );
    }, 300_000);
  },
);
