import { describe, expect, it } from "@jest/globals";
import { CountCache } from "../../../src/tokens/tiktoken/count-cache.js";

const texts = Array.from({ length: 200 }, (_, at) => `${at}`.padEnd(90, "-"));

describe("CountCache", () => {
  it("gives the count of an equal text, and none of another", () => {
    const cache = new CountCache(1_000);
    cache.set("a".repeat(100), 13);
    expect(cache.get("aa".repeat(50))).toBe(13);
    expect(cache.get("a".repeat(99))).toBeUndefined();
  });

  it("holds no more units than it may", () => {
    const cache = new CountCache(1_000);
    for (const text of texts) {
      cache.set(text, 1);
    }
    const held = texts.filter((text) => cache.get(text) !== undefined);
    expect(held.length * 90).toBeLessThanOrEqual(1_000);
    expect(held).toContain(texts.at(-1));
  });

  it("keeps what is asked for again and again", () => {
    const cache = new CountCache(1_000);
    const [asked, unasked, ...others] = texts;
    cache.set(asked!, 7);
    cache.set(unasked!, 8);
    for (const text of others) {
      cache.set(text, 1);
      cache.get(asked!);
    }
    expect(cache.get(asked!)).toBe(7);
    expect(cache.get(unasked!)).toBeUndefined();
  });

  it("does not hold a text that would take half of it", () => {
    const cache = new CountCache(1_000);
    cache.set("a".repeat(100), 13);
    cache.set("b".repeat(501), 60);
    expect(cache.get("b".repeat(501))).toBeUndefined();
    expect(cache.get("a".repeat(100))).toBe(13);
  });

  it("has an equal text counted once, and a short one each time", () => {
    const cache = new CountCache(10_000);
    const counted: string[] = [];
    const count = (text: string): number => counted.push(text) && text.length;
    const [short, long] = ["a".repeat(255), "a".repeat(256)];
    for (const text of [long, short, `${short}a`, short]) {
      expect(cache.countOf(text, count)).toBe(text.length);
    }
    expect(counted).toEqual([long, short, short]);
  });
});
