import { describe, expect, it } from "@jest/globals";
import {
  type AIMessage,
  type BaseMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import {
  checkConversation,
  CompactionHook,
  SlidingWindowCompactor,
  type TokenCounter,
} from "langchain-compaction";
import { ai, human, system, tool } from "../support/make-messages.js";

// 10 seeds, each with 5 threads of 100 calls: 5,000 calls.
const SEEDS = [1, 7, 42, 99, 404, 1009, 2718, 31415, 65537, 271828];
const THREADS = 5;
const CALLS = 100;

/** Tokens that the options state. */
const WINDOW = 3_000;

/** A token each character: what the thread's provider counts is another matter. */
const characters: TokenCounter = {
  countMessage: ({ text }) => text.length + 5,
  countTools: () => 0,
};

/** What a thread's provider is like. */
interface Provider {
  /** Its tokens for one of the counter's. */
  factor: number;
  /** Tokens of each request that are no messages. */
  overhead: number;
  /** Tokens that it takes. */
  window: number;
  statesLimit: boolean;
}

interface Life {
  answered: number;
  /** Requests that were refused because they were too long indeed. */
  tooLong: number;
  /** Calls that were never answered, though made again and again. */
  lost: number;
  statesLimit: boolean;
  /** Largest answered request, as a part of the window. */
  largest: number;
  broken: string[];
}

/** A generator of numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

async function live(random: () => number): Promise<Life> {
  const between = (least: number, most: number): number =>
    Math.floor(least + random() * (most - least));
  const chance = (part: number): boolean => random() < part;
  const provider: Provider = {
    factor: 0.5 + random() * 1.5,
    overhead: between(0, 150),
    window: between(WINDOW * 0.45, WINDOW),
    statesLimit: chance(0.5),
  };
  const life: Life = {
    answered: 0,
    tooLong: 0,
    lost: 0,
    statesLimit: provider.statesLimit,
    largest: 0,
    broken: [],
  };
  let made = 0;
  const model = RunnableLambda.from((messages: BaseMessage[]) => {
    const counted = messages.map((one) => characters.countMessage(one));
    const tokens = Math.round(
      provider.overhead +
        provider.factor * counted.reduce((sum, count) => sum + count, 0),
    );
    const isTooLong = tokens > provider.window;
    life.tooLong += isTooLong ? 1 : 0;
    if (isTooLong || chance(0.03)) {
      throw new Error(
        provider.statesLimit
          ? `This model's maximum context length is ${provider.window} tokens.`
          : "prompt is too long",
      );
    }
    if (chance(0.03)) {
      throw new Error("503");
    }
    life.largest = Math.max(life.largest, tokens / provider.window);
    life.broken.push(
      ...checkConversation(messages, { provider: "openai" }).map(
        ({ message }) => message,
      ),
    );
    made += 1;
    const text = "a".repeat(between(5, 80));
    const output = Math.round(provider.factor * (text.length + 5));
    return ai(`a${made}`, [`c${made}`], {
      content: text,
      ...(chance(0.7) ? { usage: [tokens, output] as [number, number] } : {}),
    });
  });
  const newHook = (): CompactionHook =>
    new CompactionHook({
      compactor: new SlidingWindowCompactor(),
      contextWindow: WINDOW,
      tokenCounter: characters,
    });

  let calling = newHook().withOverflowRecovery(model);
  let history: BaseMessage[] = [system("s"), human("task")];
  for (let call = 0; call < CALLS; call += 1) {
    let reply: AIMessage | undefined;
    let attempts = 0;
    while (reply === undefined && attempts < 20) {
      attempts += 1;
      reply = await calling.invoke(history).catch(() => undefined);
    }
    life.lost += reply === undefined ? 1 : 0;
    if (reply === undefined) {
      return life;
    }
    life.answered += 1;
    const result = tool(`r${made}`, `c${made}`, {
      content: "r".repeat(between(5, 200)),
    });
    history = [...history, reply, result];
    if (chance(0.1)) {
      const content = "q".repeat(between(5, 80));
      history.push(human(`q${call}`, { content }));
    }
    if (chance(0.1)) {
      // Another process goes on from the store.
      const stored = JSON.stringify(mapChatMessagesToStoredMessages(history));
      history = mapStoredMessagesToChatMessages(JSON.parse(stored));
      calling = newHook().withOverflowRecovery(model);
    }
  }
  return life;
}

describe("a thread to which everything happens at random", () => {
  it.each(SEEDS)("is never stuck and never too long: seed %d", async (seed) => {
    const random = randomFrom(seed);
    for (let thread = 0; thread < THREADS; thread += 1) {
      const life = await live(random);
      const { answered, lost, broken, largest } = life;
      expect({ thread, answered, lost, broken }).toEqual({
        thread,
        answered: CALLS,
        lost: 0,
        broken: [],
      });
      expect(largest).toBeLessThanOrEqual(1);
      if (life.statesLimit) {
        // Whoever was told once does not try again.
        expect(life.tooLong).toBeLessThanOrEqual(1);
      }
    }
  });
});
