import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { tool } from "@langchain/core/tools";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import fc from "fast-check";
import { Tiktoken } from "js-tiktoken/lite";
import cl100kBase from "js-tiktoken/ranks/cl100k_base";
import o200kBase from "js-tiktoken/ranks/o200k_base";
import { get_encoding, type Tiktoken as WasmTiktoken } from "tiktoken";
import { z } from "zod";
import { countMessageWith } from "../../../src/tokens/message-cost.js";
import {
  TiktokenCounter,
  type TiktokenEncoding,
} from "../../../src/tokens/tiktoken/index.js";
import { countToolsWith } from "../../../src/tokens/tool-cost.js";
import { propertyRuns } from "../../support/property-runs.js";
import { generatedText } from "./generated-texts.js";
import { HOSTILE_TEXTS } from "./hostile-texts.js";

const encodings = [
  ["o200k_base", o200kBase],
  ["cl100k_base", cl100kBase],
] as const;

describe.each(encodings)("TiktokenCounter for %s", (encoding, source) => {
  const counter = new TiktokenCounter({ encoding });
  let reference: Tiktoken;
  let wasm: WasmTiktoken;
  beforeAll(() => {
    reference = new Tiktoken(source);
    wasm = get_encoding(encoding);
  });
  afterAll(() => {
    wasm.free();
  });

  it("counts every text as js-tiktoken does", () => {
    fc.assert(
      fc.property(generatedText, (text) => {
        const tokens = reference.encode(text, [], []);
        expect(counter.countText(text)).toBe(tokens.length);
      }),
      propertyRuns(10_000),
    );
  });

  it.each([
    ["nothing", ""],
    ["special tokens", "<|endoftext|><|fim_prefix|> <|endofprompt|>"],
    ["lone surrogates", "a\ud800b\udc00\ud800 \udc00\udc00"],
    ["byte order marks", "\ufeff\ufeffa \ufeff\n\ufeff"],
    ["the longest token", " ".repeat(128)],
    ["zeros", "\0\0\0"],
  ])("counts %s as js-tiktoken does", (_kind, text) => {
    const tokens = reference.encode(text, [], []);
    expect(counter.countText(text)).toBe(tokens.length);
  });

  // Beyond a few hundred characters js-tiktoken takes seconds for these.
  it.each(Object.entries(HOSTILE_TEXTS))(
    "counts 6,000 characters of %s as tiktoken does",
    (_kind, make) => {
      const text = make(6_000);
      const tokens = wasm.encode_ordinary(text);
      expect(counter.countText(text)).toBe(tokens.length);
    },
  );

  it("counts messages and tools as other counters do, texts aside", () => {
    const countText = (text: string): number =>
      reference.encode(text, [], []).length;
    const messages = [
      new HumanMessage({ content: "Who wrote it?", name: "ada" }),
      new AIMessage({
        content: [{ type: "text", text: "Let me look." }],
        tool_calls: [{ id: "call_1", name: "search", args: { query: "it" } }],
      }),
      new ToolMessage({ content: "Nobody knows.", tool_call_id: "call_1" }),
    ];
    for (const message of messages) {
      const expected = countMessageWith(countText, message);
      expect(counter.countMessage(message)).toBe(expected);
    }
    const search = tool(() => "", {
      name: "search",
      description: "Searches the library",
      schema: z.object({ query: z.string() }),
    });
    const expected = countToolsWith(countText, [search]);
    expect(counter.countTools([search])).toBe(expected);
  });
});

describe("TiktokenCounter", () => {
  it("reads o200k_base unless told otherwise", () => {
    expect(new TiktokenCounter().encoding).toBe("o200k_base");
  });

  it("gives the count of a long text again when an equal one comes", () => {
    const counter = new TiktokenCounter();
    const count = counter.countText("Some words. ".repeat(100));
    expect(counter.countText("Some words. ".repeat(50).repeat(2))).toBe(count);
    expect(count).toBe(301);
  });

  it("keeps the two encodings apart", () => {
    const text = "안녕하세요, 반갑습니다. ".repeat(50);
    const [o200k, cl100k] = encodings.map(([encoding]) =>
      new TiktokenCounter({ encoding }).countText(text),
    );
    expect(o200k).toBeLessThan(cl100k!);
  });

  it("refuses an encoding that it does not know", () => {
    const encoding = "gpt2" as TiktokenEncoding;
    expect(() => new TiktokenCounter({ encoding })).toThrow(
      'Option "encoding" must be "o200k_base" or "cl100k_base", got "gpt2".',
    );
  });

  it("refuses an option that it does not have", () => {
    const options = { model: "gpt-4o" } as object;
    expect(() => new TiktokenCounter(options)).toThrow(
      'TiktokenCounter has no option "model". Its options are encoding.',
    );
  });
});
