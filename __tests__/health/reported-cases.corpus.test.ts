import { expect, it } from "@jest/globals";
import { checkConversation } from "../../src/health/check-conversation.js";
import { PROVIDERS } from "../../src/health/provider.js";
import { repairConversation } from "../../src/health/repair-conversation.js";
import {
  CompactionHook,
  SlidingWindowCompactor,
  ToolCallCollapseCompactor,
  TruncationCompactor,
} from "../../src/index.js";
import { checkWire } from "../providers/wire/check-wire.js";
import {
  CASES,
  type ReportedCase,
  toCaseMessage,
} from "../support/reported-cases.js";
import { describeShared } from "../support/shared-files.js";

describeShared<ReportedCase>(
  "threads that other tools broke",
  CASES,
  (cases) => {
    it.each(cases.map((row) => [row.n, row.kind, row] as const))(
      "%i, %s, is mended for every provider",
      async (_n, _kind, row) => {
        const messages = row.input.map(toCaseMessage);
        const people = messages.filter(({ type }) => type === "human");
        for (const provider of PROVIDERS) {
          const mended = repairConversation(messages, { provider }).messages;
          expect(checkConversation(mended, { provider, atRest: true })).toEqual(
            [],
          );
          const texts = mended.map(({ text }) => text);
          for (const { text } of people) {
            expect(texts).toContain(text);
          }
          if (checkConversation(mended, { provider }).length === 0) {
            expect(await checkWire(provider, mended)).toEqual([]);
          }
        }
      },
    );

    it.each(cases.map((row) => [row.n, row.kind, row] as const))(
      "%i, %s, is still taken after a compaction for its provider",
      async (_n, _kind, row) => {
        const messages = row.input.map(toCaseMessage);
        for (const provider of PROVIDERS) {
          const mended = repairConversation(messages, { provider }).messages;
          for (const compactor of [
            new SlidingWindowCompactor(),
            new TruncationCompactor({ minKeepGroups: 1 }),
            new ToolCallCollapseCompactor({ minKeepGroups: 1 }),
          ]) {
            const hook = new CompactionHook({
              compactor,
              contextWindow: Number.MAX_SAFE_INTEGER,
              compactAt: () => true,
              compactTo: { messages: Math.ceil(mended.length / 2) },
              provider,
            });
            const after = await hook.compact(mended);
            expect(after.report.error).toBeUndefined();
            expect(
              checkConversation(after.messages, { provider, atRest: true }),
            ).toEqual([]);
            if (checkConversation(mended, { provider }).length === 0) {
              expect(await checkWire(provider, after.messages)).toEqual([]);
            }
          }
        }
      },
    );
  },
);
