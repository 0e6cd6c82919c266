import { describe, expect, it } from "@jest/globals";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { KeptMessages } from "../../src/hook/kept-messages.js";
import { human } from "../support/make-messages.js";
import { propertyRuns } from "../support/property-runs.js";

const PARAMETERS = propertyRuns(500);
const pool = Array.from({ length: 12 }, (_, index) =>
  // Some share an id, as an edited message and its original do.
  human(`m${index % 9}`),
);
const nameless = [new HumanMessage("go on"), new HumanMessage("go on")];
const list = fc.array(fc.constantFrom(...pool, ...nameless));

const without = (
  from: BaseMessage[],
  gone: readonly boolean[],
): BaseMessage[] => from.filter((_, index) => gone[index] !== true);

describe("KeptMessages", () => {
  it("finds a message as an object or by its id, whatever the lists", () => {
    fc.assert(
      fc.property(list, list, (before, after) => {
        const kept = new KeptMessages(before, after);
        before.forEach((message, index) => {
          const isThere = after.some(
            (one) =>
              one === message ||
              (one.id !== undefined && one.id === message.id),
          );
          expect(kept.has(index)).toBe(isThere);
        });
      }),
      PARAMETERS,
    );
  });

  it("tells a list that is only shorter from one in another order, with an edit or a message twice", () => {
    const each = fc.uniqueArray(fc.nat(8).map((index) => pool[index]!));
    fc.assert(
      fc.property(
        each,
        fc.array(fc.boolean()),
        fc.nat(),
        fc.constantFrom("nothing", "note", "edit", "repeat", "reverse"),
        (before, gone, place, change) => {
          const after = without(before, gone);
          fc.pre(after.length > 1);
          const at = place % after.length;
          const { id } = after[at]!;
          const note = human("note");
          const changed = {
            nothing: after,
            note: after.toSpliced(at, 0, note),
            edit: after.with(at, human(id!)),
            repeat: after.toSpliced(at, 0, after.at(-1)!),
            reverse: after.toReversed(),
          }[change];
          const kept = new KeptMessages(before, changed);
          expect(kept.isOnlyShorter).toBe(
            change === "nothing" || change === "note",
          );
          expect(kept.fresh.includes(note)).toBe(change === "note");
        },
      ),
      PARAMETERS,
    );
  });
});
