import { describe, expect, it } from "@jest/globals";
import {
  type AIMessage,
  type BaseMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import { SlidingWindowCompactor } from "langchain-compaction";
import { ai, human, system, tool } from "../support/make-messages.js";
import { hookOf, tens } from "./threads.js";

// A thread of tool calls; every message is 10 tokens, and 200 tokens of each
// request are none. Due from 700 of 1000 tokens, down to 400: 100 ten-token
// messages would fit, and one compaction is to last for 15 calls.
const WINDOW = 1000;
const START = 700;
const OVERHEAD = 200;
const CALLS = 150;
const options = {
  contextWindow: WINDOW,
  compactAt: 0.7,
  compactTo: 0.4,
  overheadTokens: OVERHEAD,
};

/** Decides before each call; hears what each answer reports, and where a run begins. */
interface Rule {
  compact(state: BaseMessage[]): Promise<BaseMessage[]>;
  hear?(reported: number | undefined): void;
  begin?(): void;
}

/** Each call by a hook of its own, as in another process. */
const ours = (): Rule => ({
  compact: async (state) => (await hookOf(options).compact(state)).messages,
});

/** Haystack's: a size that a run remembers, and the count of what came after the newest answer. */
function haystacks(): Rule {
  let known = 0;
  return {
    async compact(state) {
      const newest = state.findLastIndex(({ type }) => type === "ai");
      const tail = count(state.slice(newest + 1));
      const estimate = known === 0 ? OVERHEAD + count(state) : known + tail;
      const overhead = estimate - count(state);
      const shorter = await compactWhen(estimate >= START, state, overhead);
      if (shorter !== state && known > 0) {
        const last = shorter.findLastIndex(({ type }) => type === "ai");
        known = count(shorter.slice(0, last + 1)) + overhead;
      }
      return shorter;
    },
    hear(reported) {
      known = reported ?? known;
    },
    begin() {
      known = 0;
    },
  };
}

/** LangChain's: a count of everything, or the total that the newest AI message reports; keeps 20 messages. */
const langChains = (): Rule => ({
  async compact(state) {
    const newest = state.findLast(({ type }) => type === "ai");
    const reported = newest === undefined ? 0 : usageOf(newest);
    if (count(state) < START && reported < START) {
      return state;
    }
    const cut = state.length - 20;
    const start = state[cut]?.type === "tool" ? cut - 1 : cut;
    return start <= 0 ? state : [human("summary"), ...state.slice(start)];
  },
});

async function compactWhen(
  isDue: boolean,
  state: BaseMessage[],
  overhead: number,
): Promise<BaseMessage[]> {
  if (!isDue) {
    return state;
  }
  const targetTokens = Math.max(0, WINDOW * 0.4 - overhead);
  return new SlidingWindowCompactor({
    targetTokens,
    tokenCounter: tens,
  }).invoke(state);
}

const count = (state: readonly BaseMessage[]): number => state.length * 10;

function usageOf(message: BaseMessage): number {
  return (message as AIMessage).usage_metadata?.total_tokens ?? 0;
}

/** What happens to a thread. */
interface Life {
  /** What the provider reports for a call whose request and answer are so large. */
  reports: (call: number, tokens: number) => number | undefined;
  /** Whether the model call fails; the user then asks once more. */
  fails?: (call: number) => boolean;
  /** Whether a new run goes on from the stored thread. */
  resumes?: (call: number) => boolean;
  /** Whether a new run goes on from how the thread was so many calls ago. */
  forks?: (call: number) => number;
}

interface Pass {
  /** What the provider would count, before and after. */
  before: number;
  after: number;
}

async function live(rule: Rule, life: Life): Promise<Pass[]> {
  const passes: Pass[] = [];
  const past: BaseMessage[][] = [];
  let state: BaseMessage[] = [system("s"), human("task")];
  for (let call = 0; call < CALLS; call += 1) {
    past.push(state);
    const back = life.forks?.(call) ?? 0;
    state = past.at(-1 - back)!;
    if (life.resumes?.(call)) {
      state = stored(state);
    }
    if (back > 0 || life.resumes?.(call)) {
      rule.begin?.();
    }
    const before = OVERHEAD + count(state);
    state = await rule.compact(state);
    const after = OVERHEAD + count(state);
    passes.push({ before, after });
    if (life.fails?.(call)) {
      state = [...state, human(`again${call}`)];
      rule.begin?.();
      continue;
    }
    const reported = life.reports(call, after + 10);
    rule.hear?.(reported);
    state = [
      ...state,
      ai(
        `a${call}`,
        [`c${call}`],
        reported === undefined ? {} : { usage: [reported - 10, 10] },
      ),
      tool(`r${call}`, `c${call}`),
    ];
  }
  return passes;
}

function stored(state: BaseMessage[]): BaseMessage[] {
  const text = JSON.stringify(mapChatMessagesToStoredMessages(state));
  return mapStoredMessagesToChatMessages(JSON.parse(text));
}

interface Faults {
  /** Compactions for which there was no new reason: the room that was made had not been used up. */
  repeated: number;
  /** Requests that did not fit. */
  tooLong: number;
}

const NONE: Faults = { repeated: 0, tooLong: 0 };

function faultsOf(passes: readonly Pass[]): Faults {
  const fired = passes.filter(({ before, after }) => after < before);
  const repeated = fired.filter(
    ({ before }, index) => index > 0 && before - fired[index - 1]!.after < 100,
  );
  const tooLong = passes.filter(({ after }) => after > WINDOW);
  return { repeated: repeated.length, tooLong: tooLong.length };
}

const exactly: Life["reports"] = (_call, tokens) => tokens;

const LIVES: [string, Life][] = [
  [
    "usage vanishes, and comes back",
    { reports: (call, tokens) => (call % 80 < 25 ? tokens : undefined) },
  ],
  [
    "usage appears late, and calls fail",
    {
      reports: (call, tokens) => (call > 80 ? tokens : undefined),
      fails: (call) => call > 80 && call % 6 > 2,
    },
  ],
  ["model calls fail", { reports: exactly, fails: (call) => call % 5 > 1 }],
  [
    "runs resume elsewhere after failures",
    {
      reports: exactly,
      fails: (call) => call % 5 > 1,
      resumes: (call) => call % 5 > 1,
    },
  ],
  [
    "a report is doubled now and then, and calls fail",
    {
      reports: (call, tokens) => (call % 12 === 11 ? 2 * tokens : tokens),
      fails: (call) => call % 12 < 3,
    },
  ],
  ["every report is doubled", { reports: (_call, tokens) => 2 * tokens }],
  [
    "another model, which counts half as much again, answers now and then",
    {
      reports: (call, tokens) => (call % 4 === 0 ? 1.5 * tokens : tokens),
      fails: (call) => call % 8 === 1 || call % 8 === 2,
    },
  ],
  [
    "the thread is forked where it had just been compacted",
    {
      reports: exactly,
      forks: (call) => (call % 7 > 4 ? 1 : 0),
      fails: (call) => call % 7 > 2,
    },
  ],
];

describe.each(LIVES)("where %s", (_name, life) => {
  it("fires once for one reason, and in time", async () => {
    const passes = await live(ours(), life);
    const fired = passes.filter(({ before, after }) => after < before);
    expect(fired.length).toBeGreaterThan(1);
    expect(faultsOf(passes)).toEqual(NONE);
  });

  it("does what one of their rules does not", async () => {
    const theirs = [
      faultsOf(await live(langChains(), life)),
      faultsOf(await live(haystacks(), life)),
    ];
    expect(theirs).not.toEqual([NONE, NONE]);
  });
});

it("does what Haystack's rule does where nothing is odd", async () => {
  const life = { reports: exactly };
  expect(await live(ours(), life)).toEqual(await live(haystacks(), life));
});
