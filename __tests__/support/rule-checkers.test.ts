import { describe, expect, it } from "@jest/globals";
import type { BaseMessage } from "@langchain/core/messages";
import {
  ai,
  human,
  idsOf,
  note,
  summary,
  system,
  tool,
} from "./make-messages.js";
import {
  checkAsMuchAsFits,
  checkNewestFirst,
  checkOneNote,
  checkOnlyIfSmaller,
  checkPass,
  checkProtected,
  checkSameObjects,
  checkSecondPass,
  checkValidOut,
  snapshot,
  type WindowPass,
} from "./rule-checkers.js";
import { expectedSlidingWindow } from "./sliding-window-rules.js";

const TEXT = "[{num_removed} gone]";

/** Two old turns, then a task with two steps: one token a message, notes too. */
const conversation = (): BaseMessage[] => [
  system("s"),
  human("h1"),
  ai("a1", ["c1"]),
  tool("t1", "c1"),
  human("h2"),
  ai("a2"),
  human("h3"),
  ai("a3", ["c3"]),
  tool("t3", "c3"),
  ai("a4", ["c4", "c5"]),
  tool("t4", "c4"),
  tool("t5", "c5"),
];

const made = (removed: number, kept: number, id = "made"): BaseMessage =>
  note(id, removed, { keptMessages: kept, content: `[${removed} gone]` });

/** A pass that came out as these ids say; `*` is the note. */
function passOf(
  out: string | null,
  change: Partial<WindowPass> & { says?: number } = {},
): WindowPass {
  const before = change.before ?? conversation();
  const ids = out?.split(" ") ?? [];
  const kept = ids.filter((id) => id !== "*").length;
  const removed = change.says ?? before.length - kept;
  return {
    before,
    after:
      out === null
        ? null
        : ids.map((id) =>
            id === "*"
              ? made(removed, kept)
              : before.find((message) => message.id === id)!,
          ),
    target: 10,
    minKeepSteps: 1,
    note: TEXT,
    count: () => 1,
    noteTokens: () => 1,
    ...change,
  };
}

describe("the rule checkers", () => {
  it("let what the restatement expects pass, at every target", () => {
    for (const conversationOf of [conversation, oddConversation]) {
      for (let target = 0; target < 20; target += 1) {
        for (const minKeepSteps of [0, 1, 3]) {
          for (const text of [TEXT, null]) {
            const rules = {
              target,
              minKeepSteps,
              note: text,
              count: () => 1,
              noteTokens: () => 1,
            };
            const before = conversationOf();
            const expected = expectedSlidingWindow(before, rules);
            const after = expected === null ? null : [...expected.kept];
            if (expected?.note) {
              const { position, removedMessages, keptMessages } = expected.note;
              after!.splice(position, 0, made(removedMessages, keptMessages));
            }
            expect(checkPass({ before, after, ...rules })).toEqual([]);
          }
        }
      }
    }
  });

  it("let a right output pass", () => {
    expect(checkPass(passOf("s * h2 a2 h3 a3 t3 a4 t4 t5"))).toEqual([]);
    expect(checkPass(passOf("s h3 * a4 t4 t5", { target: 7 }))).toEqual([]);
    expect(checkPass(passOf(null, { target: 12 }))).toEqual([]);
  });

  it.each([
    ["a result without its call", "s * h2 a2 h3 t3 a4 t4 t5", /lost its call/],
    ["a call without one of its results", "s h3 * a4 t4", /was cut/],
    ["a call without its only result", "s * h2 a2 h3 a3 a4 t4 t5", /was cut/],
  ])("refuse %s", (_, out, fault) => {
    expect(checkValidOut(passOf(out)).join()).toMatch(fault);
  });

  it("refuse the removal of a pending step, and a dead message that stayed", () => {
    const pending = [
      human("h0"),
      ai("a0"),
      human("h1"),
      ai("a1", ["c1"]),
      ai("a2"),
    ];
    expect(checkValidOut(passOf("h1 * a2", { before: pending }))).toEqual([
      "the pending step at 3 was removed",
    ]);
    expect(checkValidOut(passOf("h1 * a1 a2", { before: pending }))).toEqual(
      [],
    );
    const dead = [
      human("h1"),
      ai("a1", ["c1"]),
      human("h2"),
      ai("a2"),
      tool("t", "x"),
    ];
    expect(checkValidOut(passOf("* a1 h2 a2", { before: dead }))).toEqual([
      "the dead message at 1 stayed",
    ]);
    expect(checkValidOut(passOf("h1 * h2 a2 t", { before: dead }))).toEqual([
      "the dead message at 4 stayed",
    ]);
    expect(checkValidOut(passOf("* h1 h2 a2", { before: dead }))).toEqual([]);
  });

  it("refuse a result that answers another call than before", () => {
    const twice = [
      human("h1"),
      ai("a1", ["c"]),
      human("h2"),
      ai("a2", ["c"]),
      tool("t2", "c"),
      tool("t1", "c"),
    ];
    const faults = checkValidOut(passOf("* h1 a1 h2 t2", { before: twice }));
    expect(faults.join()).toMatch(/answers another call/);
  });

  it.each([
    [
      "the instructions",
      "* h2 a2 h3 a3 t3 a4 t4 t5",
      /protected message at 0 /,
    ],
    ["the task", "s * h2 a2 a3 t3 a4 t4 t5", /protected message at 6 /],
    ["the newest step", "s h3 *", /the floor is 1/],
  ])("refuse the removal of %s", (_, out, fault) => {
    expect(checkProtected(passOf(out)).join()).toMatch(fault);
  });

  it("refuse the removal of a pinned message, or of its step", () => {
    const pin = (message: BaseMessage): boolean => message.id === "t1";
    expect(
      checkProtected(passOf("s * h3 a3 t3 a4 t4 t5", { pin, target: 9 })),
    ).toHaveLength(2);
    expect(
      checkProtected(
        passOf("s * a1 t1 h3 a3 t3 a4 t4 t5", { pin, target: 10 }),
      ),
    ).toEqual([]);
  });

  it.each([
    [
      "an older turn that outlives a newer one",
      "s * h1 a1 t1 h3 a3 t3 a4 t4 t5",
    ],
    ["an older step that outlives a newer one", "s h3 * a3 t3"],
    ["a turn that outlives a step of the task", "s h2 a2 h3 * a4 t4 t5"],
    ["a turn that was cut", "s * a2 h3 a3 t3 a4 t4 t5"],
  ])("refuse %s", (fault, out) => {
    const words = fault
      .replace("that outlives", "outlived")
      .replace("that was", "was");
    expect(checkNewestFirst(passOf(out))).toEqual([words]);
  });

  it.each([
    [
      "a turn that would have fitted",
      "s * h3 a3 t3 a4 t4 t5",
      10,
      /2 tokens would/,
    ],
    ["a step that would have fitted", "s h3 * a4 t4 t5", 8, /2 tokens would/],
    ["more than fits", "s * h2 a2 h3 a3 t3 a4 t4 t5", 8, /over the target/],
    ["nothing done although much could go", null, 8, /12 could have become 6/],
  ])("refuse %s", (_, out, target, fault) => {
    expect(checkAsMuchAsFits(passOf(out, { target })).join()).toMatch(fault);
  });

  it("refuse a copy, a doubled message and a changed order", () => {
    const pass = passOf("s * h2 a2 h3 a3 t3 a4 t4 t5");
    const at = pass.after!.findIndex((message) => message.id === "a2");
    expect(
      checkSameObjects({ ...pass, after: pass.after!.with(at, ai("a2")) }),
    ).toHaveLength(1);
    expect(checkSameObjects(passOf("s * h2 h2 a2 h3"))).toHaveLength(1);
    expect(checkSameObjects(passOf("s * a2 h2 h3"))).toHaveLength(1);
    expect(checkSameObjects({ ...pass, after: pass.before })).toHaveLength(1);
  });

  it("refuse a pass under the target, and one that makes nothing smaller", () => {
    expect(
      checkOnlyIfSmaller(passOf("s * h2 a2 h3 a3 t3 a4 t4 t5", { target: 12 })),
    ).toEqual(["it fitted already: 12 of 12"]);
    const before = [human("h1"), human("h2", { content: "" }), ai("a1")];
    expect(
      checkOnlyIfSmaller(passOf("* h2 a1", { before, target: 1 })),
    ).toEqual(["it is no smaller: 3 became 3"]);
    expect(checkSecondPass([human("h1")])).toHaveLength(1);
    expect(checkSecondPass(null)).toEqual([]);
  });

  describe("on the note", () => {
    const right = "s * h2 a2 h3 a3 t3 a4 t4 t5";
    const withNote = (replacement: BaseMessage): WindowPass => {
      const pass = passOf(right);
      return { ...pass, after: pass.after!.with(1, replacement) };
    };

    it.each([
      ["none at all", "0 notes stand", passOf("s h2 a2 h3 a3 t3 a4 t4 t5")],
      ["two of them", "2 notes stand", passOf("s * * h2 a2 h3 a3 t3 a4 t4 t5")],
      [
        "one that is switched off",
        "switched off",
        passOf(right, { note: null }),
      ],
      [
        "one before the instructions",
        "stands at 0, not at 1",
        passOf("* s h2 a2 h3 a3 t3 a4 t4 t5"),
      ],
      [
        "one behind the task where only turns went",
        "stands at 2, not at 1",
        passOf("s h3 * a3 t3 a4 t4 t5"),
      ],
      [
        "one before the task where a step went",
        "stands at 1, not at 2",
        passOf("s * h3 a4 t4 t5"),
      ],
      ["a wrong number", "3 are gone", withNote(made(4, 9))],
      ["a wrong count of what was kept", "10 were kept", withNote(made(3, 10))],
      [
        "another text",
        "it says",
        withNote(note("made", 3, { keptMessages: 9 })),
      ],
      ["no id", "no id", withNote(made(3, 9, ""))],
      ["the id of a kept message", "id of a kept", withNote(made(3, 9, "h3"))],
      [
        "the AI's voice",
        "0 notes stand",
        withNote(
          ai("made", [], {
            content: "[3 gone]",
            additional_kwargs: {
              context_compaction: {
                strategy: "sliding-window",
                removedMessages: 3,
                keptMessages: 9,
              },
            },
          }),
        ),
      ],
    ])("refuse %s", (_, fault, pass) => {
      expect(checkOneNote(pass).join()).toContain(fault);
    });

    it("refuse a count that forgets an earlier note or a summary", () => {
      const before = [
        note("n", 7),
        summary("m", 5),
        ...conversation().slice(1),
      ];
      const out = "* h2 a2 h3 a3 t3 a4 t4 t5";
      expect(checkOneNote(passOf(out, { before, says: 4 })).join()).toMatch(
        /, 15 are gone/,
      );
      expect(checkOneNote(passOf(out, { before, says: 15 }))).toEqual([]);
    });

    it("refuse a place inside a step that holds the task", () => {
      const before = [
        human("h1"),
        ai("a1", ["c1"]),
        human("h2"),
        tool("t1", "c1"),
        ai("a2"),
        ai("a3"),
      ];
      const rules = { before, target: 5, says: 2 };
      expect(checkOneNote(passOf("a1 h2 * t1 a3", rules))).toContain(
        "it stands inside a step",
      );
      expect(checkOneNote(passOf("a1 h2 t1 * a3", rules))).toEqual([]);
    });
  });

  it("see a change of the input list and of a message in it", () => {
    const messages = conversation();
    const changes = snapshot(messages);
    expect(changes()).toEqual([]);
    messages[2]!.lc_kwargs["content"] = "changed";
    expect(changes()).toHaveLength(1);
    messages.pop();
    expect(changes()).toHaveLength(2);
    expect(idsOf(messages)).toHaveLength(11);
  });
});

function oddConversation(): BaseMessage[] {
  return [
    system("s"),
    ai("hello"),
    note("n", 9),
    tool("lost", "nowhere"),
    human("h1"),
    ai("a1", ["c1", "c2"]),
    tool("t1", "c1"),
    human("h2"),
    tool("t2", "c2"),
    ai("dead", ["c3"]),
    human("h3"),
    human("h4"),
    summary("m", 12),
    ai("a4", ["c1"]),
    tool("t4", "c1"),
    system("mid"),
    ai("a5", ["c5"]),
    tool("t5", "c5"),
    ai("wait", ["c6"]),
  ];
}
