/** Something that a program loads once. */
export interface ImportContender {
  readonly name: string;
  /** Statements of a module: what is there already. */
  readonly before?: string;
  /** What is measured. */
  readonly load: string;
}

const CORE = `await import("@langchain/core/messages"); await import("@langchain/core/runnables");`;

/** The entry points, beside what a program of LangChain loads anyway. */
export const entryPoints: readonly ImportContender[] = [
  ...["", "/middleware", "/tiktoken", "/testing"].map((path) => ({
    name: `langchain-compaction${path}`,
    load: `await import("langchain-compaction${path}");`,
  })),
  {
    name: "langchain-compaction, core being loaded",
    before: CORE,
    load: `await import("langchain-compaction");`,
  },
  { name: "@langchain/core, messages and runnables", load: CORE },
  {
    name: "@langchain/langgraph",
    load: `await import("@langchain/langgraph");`,
  },
  { name: "langchain", load: `await import("langchain");` },
];

/** Exact tokenizers, up to their first count. */
export const tokenizerLoads: readonly ImportContender[] = [
  {
    name: "TiktokenCounter",
    before: CORE,
    load: `const { TiktokenCounter } = await import("langchain-compaction/tiktoken");
      new TiktokenCounter().countText("Hello");`,
  },
  {
    name: "js-tiktoken",
    load: `const { Tiktoken } = await import("js-tiktoken/lite");
      const { default: ranks } = await import("js-tiktoken/ranks/o200k_base");
      globalThis.kept = new Tiktoken(ranks);
      globalThis.kept.encode("Hello");`,
  },
  {
    name: "gpt-tokenizer",
    load: `const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
      countTokens("Hello");`,
  },
  {
    name: "tiktoken (WASM)",
    load: `const { get_encoding } = await import("tiktoken");
      globalThis.kept = get_encoding("o200k_base");
      globalThis.kept.encode("Hello");`,
  },
];
