import { describe, expect, it } from "@jest/globals";
import {
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import {
  type CompactionHook,
  type CompactorOrTiers,
  SlidingWindowCompactor,
  ToolCallCollapseCompactor,
  ToolResultPruningCompactor,
  TurnWindowCompactor,
} from "langchain-compaction";
import { ai, human, idsOf, system } from "../support/make-messages.js";
import { agentThread, chatThread, hookOf, tens, toolStep } from "./threads.js";

/** Starts at 100 tokens, goes down to 50; ten tokens a message. */
const viewing: typeof hookOf = (options) =>
  hookOf({ mode: "view", ...options });

/** As another process gets it from a store. */
function reload(messages: BaseMessage[]): BaseMessage[] {
  const stored = JSON.stringify(mapChatMessagesToStoredMessages(messages));
  return mapStoredMessagesToChatMessages(JSON.parse(stored));
}

/** Everything of the messages, byte for byte. */
function bytes(messages: readonly BaseMessage[]): string {
  return JSON.stringify(messages.map((message) => message.toDict()));
}

/** The views of each call of a thread, as the history grows by whole steps. */
async function viewsOf(
  hook: CompactionHook,
  history: readonly BaseMessage[],
): Promise<BaseMessage[][]> {
  const views: BaseMessage[][] = [];
  for (let end = 1; end <= history.length; end += 1) {
    if (history[end]?.type === "ai" || end === history.length) {
      views.push(await hook.view(history.slice(0, end)));
    }
  }
  return views;
}

/** How often a view is not the one before it with something added. */
function breaksIn(views: readonly BaseMessage[][]): number {
  return views.filter(
    (view, call) =>
      call > 0 &&
      views[call - 1]!.some(
        (message, index) =>
          bytes([message]) !== bytes([view[index] ?? ai("?")]),
      ),
  ).length;
}

const COMPACTORS: [string, CompactorOrTiers][] = [
  ["a note", new SlidingWindowCompactor()],
  ["no note", new SlidingWindowCompactor({ omissionNote: null })],
  [
    "tiers",
    [
      new ToolResultPruningCompactor({ minTokens: 0 }),
      new ToolCallCollapseCompactor({ minKeepGroups: 2 }),
      new SlidingWindowCompactor(),
    ],
  ],
];

describe("a view", () => {
  it("is the history itself below the trigger, as a list of its own", async () => {
    const history = agentThread(3);
    const view = await viewing().view(history);
    expect(view).not.toBe(history);
    expect(view.every((message, index) => message === history[index])).toBe(
      true,
    );
    expect(view).toHaveLength(history.length);
  });

  it("leaves out what a rewriting hook would remove, and changes nothing", async () => {
    // The reply `a4` came at 90 tokens.
    const history = agentThread(4);
    const before = bytes(history);
    const view = await viewing().view(history);
    const { messages } = await hookOf().compact(history);
    expect(idsOf(view)).toEqual([
      "s",
      "task",
      "compaction-note-a1",
      "a4",
      "r4",
    ]);
    expect(idsOf(view)).toEqual(idsOf(messages));
    expect(bytes(history)).toBe(before);
  });

  it("leaves out turns that one and the same message begins", async () => {
    const goOn = new HumanMessage("go on");
    const history = Array.from({ length: 5 }, (_, turn) => [
      goOn,
      ai(`a${turn}`),
    ]).flat();
    const hook = viewing({ compactTo: 0.1, raiseOnFailure: true });
    const view = await hook.view([...history, goOn]);
    expect(view).toHaveLength(2);
    expect(view.at(-1)).toBe(goOn);
  });

  it("is empty for an empty history alone", async () => {
    expect(await viewing().view([])).toEqual([]);
    expect(await viewing().view([human("q")])).toHaveLength(1);
  });

  describe.each(COMPACTORS)("with %s", (_, compactor) => {
    const history = agentThread(40);

    it("only grows at its end between two compactions", async () => {
      let fired = 0;
      const hook = viewing({
        compactor,
        onReport: ({ outcome }) => {
          fired += outcome === "compacted" ? 1 : 0;
        },
      });
      const views = await viewsOf(hook, history);
      expect(fired).toBeGreaterThan(5);
      expect(fired).toBeLessThan(views.length / 2);
      expect(breaksIn(views)).toBe(fired);
    });

    it("is the same in another process, at any call", async () => {
      const views = await viewsOf(viewing({ compactor }), history);
      for (const [call, view] of views.entries()) {
        const seen = reload(history.slice(0, 2 + 2 * call));
        expect(bytes(await viewing({ compactor }).view(seen))).toBe(
          bytes(view),
        );
      }
    });

    it("is the same for every fork of a thread, whichever was seen before", async () => {
      const hook = viewing({ compactor });
      await hook.view(history);
      const fork = [
        ...history.slice(0, 32),
        human("instead"),
        ...chatThread(9),
      ];
      const forked = await hook.view(fork);
      expect(bytes(forked)).toBe(
        bytes(await viewing({ compactor }).view(fork)),
      );
      expect(bytes(await hook.view(history))).toBe(
        bytes(await viewing({ compactor }).view(history)),
      );
    });
  });

  it("goes on with the count of what it left out", async () => {
    const view = await viewing().view(agentThread(40));
    const note = view.find(({ id }) => id?.startsWith("compaction-note"));
    expect(note!.additional_kwargs["context_compaction"]).toMatchObject({
      removedMessages: 82 - (view.length - 1),
    });
  });
});

describe("after a change of what came before", () => {
  const history = agentThread(60);

  /** The views of the next five calls. */
  async function fiveMore(
    hook: CompactionHook,
    thread: readonly BaseMessage[],
  ): Promise<BaseMessage[][]> {
    const later = Array.from({ length: 5 }, (_, step) => toolStep(101 + step));
    const views = [await hook.view(thread)];
    for (let step = 1; step <= 5; step += 1) {
      views.push(await hook.view([...thread, ...later.slice(0, step).flat()]));
    }
    return views;
  }

  it.each<[string, (thread: BaseMessage[]) => BaseMessage[]]>([
    ["an edited message", (thread) => thread.with(7, ai("edited"))],
    ["a removed step", (thread) => thread.toSpliced(10, 2)],
    ["a message put in", (thread) => thread.toSpliced(1, 0, human("before"))],
  ])("is a function of the new list: %s", async (_, change) => {
    const hook = viewing();
    await viewsOf(hook, history);
    const changed = change(history);
    const views = await fiveMore(hook, changed);
    const anew = await fiveMore(viewing(), reload(changed));
    expect(views.map(bytes)).toEqual(anew.map(bytes));
    // Five steps of 20 tokens take the room of 50 twice.
    expect(breaksIn(views)).toBeLessThanOrEqual(2);
  });

  it("notices an edit in place", async () => {
    const tokenCounter = ([message]: BaseMessage[]): number =>
      message!.text.length;
    const options = { tokenCounter, contextWindow: 1_000 };
    const hook = viewing(options);
    const thread = reload(history);
    const before = await hook.view(thread);
    thread[3]!.content = "x".repeat(300);
    const view = await hook.view(thread);
    expect(bytes(view)).toBe(
      bytes(await viewing(options).view(reload(thread))),
    );
    expect(bytes(view)).not.toBe(bytes(before));
  });

  it.each([
    ["a smaller window", { contextWindow: 180 }],
    ["a larger window", { contextWindow: 400 }],
    ["another trigger", { compactAt: 0.9 }],
  ])("plans anew and stays with it: %s", async (_, options) => {
    await viewsOf(viewing(), history);
    const views = await fiveMore(viewing(options), history);
    expect(breaksIn(views)).toBeLessThanOrEqual(2);
    expect(views.every((view) => view.length > 3)).toBe(true);
  });
});

describe("reports on other requests", () => {
  const wide = { contextWindow: 2_000, compactAt: 0.5, compactTo: 0.25 };

  /** A thread whose every reply reports what `tokensOf` says of the list before it. */
  function reporting(
    steps: number,
    tokensOf: (before: number, step: number) => number,
  ): BaseMessage[] {
    const thread: BaseMessage[] = [system("s"), human("task")];
    for (let step = 1; step <= steps; step += 1) {
      thread.push(...toolStep(step, [tokensOf(thread.length * 10, step), 10]));
    }
    return thread;
  }

  /** Firings while a history is gone over, and the smallest list that one left; tokens. */
  async function replay(
    history: readonly BaseMessage[],
  ): Promise<{ fired: number; smallest: number }> {
    let fired = 0;
    let smallest = Infinity;
    const window = new SlidingWindowCompactor();
    const hook = viewing({
      ...wide,
      compactor: {
        compact: async (messages, options) => {
          const result = await window.compact(messages, options);
          fired += 1;
          smallest = Math.min(smallest, (result?.length ?? Infinity) * 10);
          return result;
        },
      },
    });
    const view = await hook.view(history);
    expect(view.length * 10).toBeLessThan(wide.contextWindow);
    return { fired, smallest };
  }

  it("count for nothing where they are about the whole history", async () => {
    const { fired, smallest } = await replay(
      reporting(1_000, (before) => before + 100),
    );
    // 20,000 tokens, and each compaction makes room for 500.
    expect(fired).toBeGreaterThan(30);
    expect(fired).toBeLessThanOrEqual(41);
    expect(smallest).toBeGreaterThan(300);
  });

  it("are outvoted where another agent's stand among one's own", async () => {
    const own = viewing(wide);
    const thread: BaseMessage[] = [system("s"), human("task")];
    let fired = 0;
    let before: BaseMessage[] = [];
    for (let step = 1; step <= 300; step += 1) {
      const view = await own.view(thread);
      fired += before.some((message, index) => message !== view[index]) ? 1 : 0;
      before = view;
      const isForeign = step % 3 === 0;
      const sent = isForeign ? 4_000 : view.length * 10 + 100;
      thread.push(...toolStep(step, [sent, 10]));
    }
    expect(fired).toBeLessThanOrEqual(13);
    expect(before.length * 10).toBeGreaterThan(200);
  });

  it("are believed again once they are about what is shown", async () => {
    const old = reporting(200, (before) => before + 100);
    const hook = viewing(wide);
    const thread = [...old];
    const overheads: (number | undefined)[] = [];
    for (let step = 201; step <= 260; step += 1) {
      const view = await hook.view(thread);
      const { view: now } = await hook.viewRequest(thread);
      overheads.push(now!.overheadTokens);
      thread.push(...toolStep(step, [view.length * 10 + 150, 10]));
    }
    expect(overheads.at(-1)).toBe(150);
  });
});

describe("a long thread that was recorded without compaction", () => {
  const history = agentThread(5_000);

  it("is shown in the window, and counted once", async () => {
    let counted = 0;
    const hook = viewing({
      contextWindow: 10_000,
      tokenCounter: {
        ...tens,
        countMessage: (message) => {
          counted += message.additional_kwargs["context_compaction"] ? 0 : 1;
          return tens.countMessage(message);
        },
      },
    });
    const view = await hook.view(history);
    expect(view.length * 10).toBeLessThanOrEqual(5_000);
    expect(counted).toBe(history.length);

    const later = [...history, ...toolStep(9_001)];
    const next = await hook.view(later);
    expect(counted).toBe(later.length);
    expect(breaksIn([view, next])).toBe(0);
  });

  it.each([
    ["a size", { turns: 2_000 }],
    ["a predicate", ({ tokens }: { tokens: number }) => tokens >= 1_000_000],
  ])(
    "is gone over without reading it anew for each call: %s",
    async (_, compactAt) => {
      let read = 0;
      const watched = history.map(
        (message) =>
          new Proxy(message, {
            get: (target, key) => {
              read += 1;
              return Reflect.get(target, key, target) as unknown;
            },
          }),
      );
      await viewing({ compactAt, compactTo: { tokens: 50 } }).view(watched);
      expect(read / history.length).toBeLessThan(100);
    },
  );
});

describe("threads that take turns", () => {
  it("are not gone over again where they share their instructions", async () => {
    let asked = 0;
    const hook = viewing({
      compactAt: ({ tokens }) => {
        asked += 1;
        return tokens >= 100;
      },
      compactTo: { tokens: 50 },
    });
    const instructions = system("s");
    const threads = ["x", "y"].map((name) => [
      instructions,
      human(name),
      ...Array.from({ length: 200 }, (_, step) => toolStep(step)).flat(),
    ]);
    for (const thread of threads) {
      await hook.view(thread);
    }
    asked = 0;
    for (const thread of threads) {
      await hook.view([...thread, ...toolStep(200)]);
    }
    // Before the new reply and for the call that comes, or only the latter.
    expect(asked).toBeLessThanOrEqual(4);
  });
});

describe("a thread in which nothing more can go", () => {
  const compactor = new TurnWindowCompactor();
  const crowded = [...chatThread(20), ...agentThread(300), ...chatThread(20)];

  it("is not asked about before each of its calls", async () => {
    let passes = 0;
    const history = agentThread(3_000);
    const hook = viewing({
      compactor: {
        compact: async () => {
          passes += 1;
          return null;
        },
      },
    });
    expect(await hook.view(history)).toEqual(history);
    expect(passes).toBeGreaterThan(50);
    expect(passes).toBeLessThan(400);
  });

  it("says so where it is not asked about", async () => {
    const reasons = new Set<string>();
    const hook = viewing({
      compactor,
      onReport: ({ reason, warnings }) =>
        reasons.add(`${reason} ${warnings.join(" ")}`),
    });
    await viewsOf(hook, agentThread(300));
    expect([...reasons]).toEqual([
      "below-trigger ",
      "nothing-removable over-target",
    ]);
  });

  it("is the same in another process, at any call", async () => {
    const views = await viewsOf(viewing({ compactor }), crowded);
    for (let call = 0; call < views.length; call += 7) {
      const seen = reload(crowded.slice(0, endOfCall(crowded, call)));
      expect(bytes(await viewing({ compactor }).view(seen))).toBe(
        bytes(views[call]!),
      );
    }
  });

  it("is asked about once a person speaks again", async () => {
    const hook = viewing({ compactor });
    const full = agentThread(300);
    expect(await hook.view(full)).toHaveLength(full.length);
    expect((await hook.view([...full, human("next")])).length).toBeLessThan(5);
  });
});

/** Where the history ends that a call of the model got. */
function endOfCall(history: readonly BaseMessage[], call: number): number {
  const ends = history.flatMap(({ type }, at) =>
    type === "ai" && at > 0 ? [at] : [],
  );
  return ends[call] ?? history.length;
}

describe("where a pass fails", () => {
  it("shows what was shown last, with what came since", async () => {
    let fails = false;
    const window = new SlidingWindowCompactor();
    const hook = viewing({
      compactor: {
        compact: async (messages, options) => {
          if (fails) {
            throw new Error("no");
          }
          return window.compact(messages, options);
        },
      },
    });
    const history = agentThread(4);
    const view = await hook.view(history);
    expect(view).toHaveLength(5);
    fails = true;
    const later = [...history, ...toolStep(5), ...toolStep(6), ...toolStep(7)];
    const { messages, report } = await hook.viewRequest(later);
    expect(report).toMatchObject({
      outcome: "failed",
      reason: "compactor-failed",
    });
    expect(idsOf(messages)).toEqual([
      ...idsOf(view),
      ...["a5", "r5", "a6", "r6", "a7", "r7"],
    ]);
  });

  it("leaves out what it left out before a message that cannot be counted", async () => {
    const options = {
      tokenCounter: {
        ...tens,
        countMessage: ({ id }: BaseMessage): number => {
          if (id === "a7") {
            throw new Error("no");
          }
          return 10;
        },
      },
    };
    const hook = viewing(options);
    const view = await hook.view(agentThread(6));
    const { messages, report } = await hook.viewRequest(agentThread(9));
    expect(report).toMatchObject({
      outcome: "failed",
      reason: "counter-failed",
    });
    expect(idsOf(messages)).toEqual([
      ...idsOf(view),
      ...["a7", "r7", "a8", "r8", "a9", "r9"],
    ]);
    const another = await viewing(options).viewRequest(agentThread(9));
    expect(bytes(another.messages)).toBe(bytes(messages));
  });

  it("goes on after a predicate that failed", async () => {
    let calls = 0;
    const hook = viewing({
      compactAt: ({ tokens }) => {
        calls += 1;
        if (calls === 3) {
          throw new Error("no");
        }
        return tokens >= 100;
      },
      compactTo: { tokens: 50 },
    });
    expect((await hook.view(agentThread(30))).length).toBeLessThan(12);
  });
});

describe("asView", () => {
  it("stands between prompt and model, and in a node of one's own", async () => {
    const view = viewing().asView();
    const prompt = ChatPromptTemplate.fromMessages([
      ["system", "be brief"],
      ["placeholder", "{history}"],
    ]);
    const shown = await prompt
      .pipe(view)
      .invoke({ history: agentThread(8).slice(1) });
    expect(idsOf(shown.slice(1))).toEqual([
      "task",
      "compaction-note-a4",
      "a7",
      "r7",
      "a8",
      "r8",
    ]);
    expect(shown[0]!.text).toBe("be brief");
    expect((await view.invoke([["user", "hello"]])).map((m) => m.text)).toEqual(
      ["hello"],
    );
  });
});
