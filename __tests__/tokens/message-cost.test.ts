import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { countMessageWith } from "../../src/tokens/message-cost.js";

/** Words stand for tokens: what is counted can be read off. */
const words = (text: string): number =>
  text.split(/\s+/).filter(Boolean).length;
const count = (message: BaseMessage): number =>
  countMessageWith(words, message);
const blocks = (...content: unknown[]): number =>
  count(new HumanMessage({ content: content as HumanMessage["content"] })) -
  FRAME;
const FRAME = 4;
const TEN = "one two three four five six seven eight nine ten";
const BASE64 = "iVBORw0KGgoAAAANSUhEUgAA".repeat(5_000);

describe("countMessageWith: texts", () => {
  it.each([
    ["human", new HumanMessage(TEN)],
    ["system", new SystemMessage(TEN)],
    ["AI", new AIMessage(TEN)],
    ["chunk", new AIMessageChunk(TEN)],
    ["generic", new ChatMessage(TEN, "critic")],
  ])("counts the text of a %s message and what frames it", (_name, message) => {
    expect(count(message)).toBe(10 + FRAME);
  });

  it("counts a name, and no call's id", () => {
    expect(count(new HumanMessage({ content: TEN, name: "ada" }))).toBe(
      10 + FRAME + 2,
    );
    expect(
      count(new ToolMessage({ content: TEN, tool_call_id: "call_1" })),
    ).toBe(10 + FRAME);
  });

  it("does not count what is not sent", () => {
    const message = new ToolMessage({
      content: TEN,
      tool_call_id: "call_1",
      artifact: { raw: TEN },
      metadata: { note: TEN },
    });
    message.response_metadata = { headers: TEN };
    message.id = TEN;
    expect(count(message)).toBe(10 + FRAME);
  });

  it("counts reasoning that is kept beside the content", () => {
    const message = new AIMessage({
      content: "",
      additional_kwargs: { reasoning_content: TEN },
    });
    expect(count(message)).toBe(10 + FRAME);
  });

  it("counts the reasoning item of the Responses API, once", () => {
    const reasoning = {
      type: "reasoning",
      summary: [{ type: "summary_text", text: TEN }],
    };
    expect(
      count(new AIMessage({ content: "", additional_kwargs: { reasoning } })),
    ).toBe(10 + FRAME);
    expect(
      count(
        new AIMessage({
          content: [reasoning] as never,
          additional_kwargs: { reasoning },
        }),
      ),
    ).toBe(10 + FRAME);
  });
});

describe("countMessageWith: blocks that are text", () => {
  it.each<[string, unknown]>([
    [
      "standard text",
      { type: "text", text: TEN, annotations: [{ cited: TEN }] },
    ],
    [
      "Anthropic text",
      { type: "text", text: TEN, cache_control: { type: "ephemeral" } },
    ],
    ["Responses input", { type: "input_text", text: TEN }],
    ["Responses output", { type: "output_text", text: TEN, logprobs: [TEN] }],
    ["Gemini part", { text: TEN }],
    ["Gemini thought", { text: TEN, thought: true, thoughtSignature: BASE64 }],
    ["standard reasoning", { type: "reasoning", reasoning: TEN }],
    [
      "Anthropic thinking",
      { type: "thinking", thinking: TEN, signature: BASE64 },
    ],
    ["refusal", { type: "refusal", refusal: TEN }],
    ["plain text", { type: "text-plain", text: TEN, mimeType: "text/plain" }],
    [
      "text document",
      {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: TEN },
      },
    ],
    [
      "document of blocks",
      {
        type: "document",
        source: { type: "content", content: [{ type: "text", text: TEN }] },
      },
    ],
    ["text file, version 0", { type: "file", source_type: "text", text: TEN }],
    ["file with its text", { type: "file", path: "notes.md", content: TEN }],
  ])("counts the text of a block and nothing else: %s", (_name, block) => {
    expect(blocks(block)).toBe(10);
  });

  it.each<[string, unknown]>([
    [
      "Anthropic result",
      { type: "tool_result", tool_use_id: "t1", content: TEN },
    ],
    [
      "Anthropic result of blocks",
      {
        type: "tool_result",
        tool_use_id: "t1",
        content: [{ type: "text", text: TEN }],
      },
    ],
    [
      "Responses result",
      { type: "function_call_output", call_id: "t1", output: TEN },
    ],
    [
      "standard server result",
      {
        type: "server_tool_call_result",
        toolCallId: "t1",
        status: "success",
        output: TEN,
      },
    ],
    [
      "MCP result",
      {
        type: "mcp_tool_result",
        tool_use_id: "t1",
        content: [{ type: "text", text: TEN }],
      },
    ],
  ])("counts a result and not its call's id: %s", (_name, block) => {
    expect(blocks(block)).toBe(10);
  });

  it.each<[string, unknown]>([
    [
      "Gemini result",
      { functionResponse: { name: "search", response: { output: TEN } } },
    ],
    [
      "Bedrock result",
      {
        toolResult: {
          toolUseId: "t1",
          content: [{ text: TEN }, { json: { more: TEN } }],
        },
      },
    ],
    [
      "search results",
      {
        type: "web_search_tool_result",
        tool_use_id: "t1",
        content: [
          { type: "web_search_result", title: TEN, url: "https://example.com" },
        ],
      },
    ],
    ["code run", { type: "code_interpreter_call", code: TEN, outputs: [] }],
    ["code part", { executableCode: { language: "PYTHON", code: TEN } }],
    ["non-standard", { type: "non_standard", value: { note: TEN } }],
    [
      "unknown",
      { type: "hologram", script: TEN, deep: { deeper: [{ deepest: 1 }] } },
    ],
    ["no block at all", TEN],
  ])("counts every text of a block: %s", (_name, block) => {
    expect(blocks(block)).toBeGreaterThanOrEqual(10);
    expect(blocks(block)).toBeLessThan(45);
  });
});

describe("countMessageWith: media", () => {
  it.each<[string, unknown, number]>([
    [
      "OpenAI, low detail",
      {
        type: "image_url",
        image_url: { url: `data:image/png;base64,${BASE64}`, detail: "low" },
      },
      85,
    ],
    [
      "OpenAI",
      {
        type: "image_url",
        image_url: { url: `data:image/png;base64,${BASE64}` },
      },
      1_105,
    ],
    [
      "OpenAI, as a text",
      { type: "image_url", image_url: "https://example.com/cat.png" },
      1_105,
    ],
    [
      "Responses, low detail",
      {
        type: "input_image",
        image_url: "https://example.com/cat.png",
        detail: "low",
      },
      85,
    ],
    [
      "OpenAI, 1024 × 1024",
      {
        type: "image_url",
        image_url: {
          url: "https://example.com/cat.png",
          width: 1_024,
          height: 1_024,
        },
      },
      765,
    ],
    [
      "OpenAI, 2048 × 4096",
      {
        type: "image_url",
        image_url: { url: "https://example.com/cat.png" },
        width: 2_048,
        height: 4_096,
      },
      1_105,
    ],
    [
      "OpenAI, 512 × 512",
      {
        type: "input_image",
        image_url: "https://example.com/cat.png",
        width: 512,
        height: 512,
      },
      255,
    ],
    [
      "Anthropic",
      {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: BASE64 },
      },
      1_600,
    ],
    ["standard", { type: "image", mimeType: "image/png", data: BASE64 }, 1_600],
    [
      "standard, 1000 × 1000",
      {
        type: "image",
        mimeType: "image/png",
        data: BASE64,
        metadata: { width: 1_000, height: 1_000 },
      },
      1_334,
    ],
    [
      "standard, 200 × 200",
      {
        type: "image",
        url: "https://example.com/cat.png",
        width: 200,
        height: 200,
      },
      54,
    ],
    [
      "standard, very large",
      {
        type: "image",
        url: "https://example.com/cat.png",
        width: 9_000,
        height: 9_000,
      },
      1_600,
    ],
    [
      "standard, bytes",
      { type: "image", mimeType: "image/png", data: new Uint8Array(90_000) },
      1_600,
    ],
    ["Gemini", { inlineData: { mimeType: "image/png", data: BASE64 } }, 1_600],
    [
      "Gemini, snake case",
      { inline_data: { mime_type: "audio/mp3", data: BASE64 } },
      1_920,
    ],
    [
      "Bedrock",
      { image: { format: "png", source: { bytes: new Uint8Array(90_000) } } },
      1_600,
    ],
    [
      "audio",
      { type: "input_audio", input_audio: { data: BASE64, format: "wav" } },
      1_920,
    ],
    [
      "standard audio",
      { type: "audio", mimeType: "audio/wav", data: BASE64 },
      1_920,
    ],
    ["video", { type: "video", mimeType: "video/mp4", data: BASE64 }, 2_630],
    [
      "PDF",
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: BASE64 },
      },
      3_000,
    ],
    [
      "OpenAI file",
      {
        type: "file",
        file: {
          filename: "a.pdf",
          file_data: `data:application/pdf;base64,${BASE64}`,
        },
      },
      3_000,
    ],
    [
      "Responses file",
      { type: "input_file", filename: "a.pdf", file_data: BASE64 },
      3_000,
    ],
    ["file by id", { type: "file", fileId: "file_1" }, 3_000],
    [
      "Google media",
      { type: "media", mimeType: "video/mp4", data: BASE64 },
      2_630,
    ],
    [
      "made image",
      { type: "image_generation_call", id: "ig_1", result: BASE64 },
      1_600,
    ],
  ])("costs its price, never its data: %s", (_name, block, tokens) => {
    expect(blocks(block)).toBe(tokens);
  });

  it("never counts data as text inside a block that nobody knows", () => {
    const data = `data:image/png;base64,${BASE64}`;
    const letters = (text: string): number => text.length;
    for (const block of [
      { type: "hologram", picture: data },
      { type: "hologram", frames: [{ raw: BASE64 }] },
      {
        type: "tool_result",
        tool_use_id: "t",
        content: [{ type: "image", source: { type: "base64", data: BASE64 } }],
      },
      {
        functionResponse: {
          name: "look",
          parts: [{ inlineData: { mimeType: "image/png", data: BASE64 } }],
        },
      },
      {
        type: "computer_call_output",
        call_id: "c",
        output: { type: "computer_screenshot", image_url: data },
      },
    ]) {
      const message = new HumanMessage({ content: [block] as never });
      expect(countMessageWith(letters, message)).toBeLessThan(3_500);
    }
    const screenshot = new ToolMessage({
      content: data,
      tool_call_id: "c",
      additional_kwargs: { type: "computer_call_output" },
    });
    expect(countMessageWith(letters, screenshot)).toBeLessThan(2_000);
  });

  it("counts a data URL in a text as the text that the model gets", () => {
    const data = `data:image/png;base64,${BASE64}`;
    const letters = (text: string): number => text.length;
    expect(countMessageWith(letters, new HumanMessage(data))).toBe(
      data.length + FRAME,
    );
  });

  it("prices encrypted reasoning by its length and signatures at nothing", () => {
    const hidden = "g".repeat(4_000);
    expect(
      blocks({
        type: "reasoning",
        id: "rs_1",
        summary: [],
        encrypted_content: hidden,
      }),
    ).toBe((4_000 * 0.75 - 650) / 4);
    expect(blocks({ type: "redacted_thinking", data: hidden })).toBe(587.5);
    expect(blocks({ type: "thinking", thinking: "", signature: hidden })).toBe(
      0,
    );
  });
});

describe("countMessageWith: tool calls", () => {
  const call = { id: "c1", name: "search", args: { query: TEN, limit: 5 } };
  const once = count(new AIMessage({ content: "", tool_calls: [call] }));

  it("counts name and arguments, and no id", () => {
    const unnamed = { ...call, id: "call_with_a_long_id" };
    expect(count(new AIMessage({ content: "", tool_calls: [unnamed] }))).toBe(
      once,
    );
    expect(once).toBeGreaterThanOrEqual(FRAME + 1 + 10 + 2 + 1);
    expect(once).toBeLessThan(FRAME + 25);
  });

  it.each<[string, unknown[]]>([
    [
      "Anthropic",
      [{ type: "tool_use", id: "c1", name: "search", input: call.args }],
    ],
    [
      "Anthropic, streamed",
      [
        {
          type: "tool_use",
          id: "c1",
          name: "search",
          input: JSON.stringify(call.args),
          index: 0,
        },
      ],
    ],
    [
      "Anthropic, pieces",
      [
        { type: "tool_use", id: "c1", name: "search", input: "" },
        { type: "input_json_delta", input: TEN },
      ],
    ],
    [
      "standard",
      [{ type: "tool_call", id: "c1", name: "search", args: call.args }],
    ],
    [
      "Responses",
      [
        {
          type: "function_call",
          id: "fc_9",
          call_id: "c1",
          name: "search",
          arguments: JSON.stringify(call.args),
        },
      ],
    ],
    [
      "Gemini",
      [
        {
          functionCall: { name: "search", args: call.args },
          thoughtSignature: BASE64,
        },
      ],
    ],
    [
      "Bedrock",
      [{ toolUse: { toolUseId: "c1", name: "search", input: call.args } }],
    ],
  ])(
    "counts a call once where the content mirrors it: %s",
    (_name, content) => {
      const message = new AIMessage({
        content: content as never,
        tool_calls: [call],
      });
      expect(count(message)).toBe(once);
    },
  );

  it.each<[string, unknown]>([
    [
      "Anthropic",
      { type: "tool_use", id: "c1", name: "search", input: call.args },
    ],
    [
      "Responses",
      { type: "function_call", call_id: "c1", name: "search", arguments: TEN },
    ],
    ["Gemini", { functionCall: { name: "search", args: call.args } }],
    [
      "Bedrock",
      { toolUse: { toolUseId: "c1", name: "search", input: call.args } },
    ],
    [
      "server side",
      {
        type: "server_tool_use",
        id: "s1",
        name: "web_search",
        input: { query: TEN },
      },
    ],
  ])("counts a call that stands in the content alone: %s", (_name, block) => {
    expect(count(new AIMessage({ content: [block] as never }))).toBeGreaterThan(
      FRAME + 11,
    );
  });

  it("counts a server's call beside the listed ones", () => {
    const message = new AIMessage({
      content: [
        {
          type: "server_tool_use",
          id: "s1",
          name: "web_search",
          input: { query: TEN },
        },
      ] as never,
      tool_calls: [call],
    });
    expect(count(message)).toBeGreaterThan(once + 10);
  });

  it("counts raw calls only where there are no parsed ones", () => {
    const raw = {
      id: "c1",
      type: "function" as const,
      function: { name: "search", arguments: JSON.stringify(call.args) },
    };
    const parsed = new AIMessage({ content: "", tool_calls: [call] });
    parsed.additional_kwargs = { tool_calls: [raw] };
    expect(count(parsed)).toBe(once);

    const unparsed = new AIMessage("");
    unparsed.additional_kwargs = { tool_calls: [raw] };
    unparsed.invalid_tool_calls = [{ id: "c1", name: "search", args: TEN }];
    expect(count(unparsed)).toBeGreaterThanOrEqual(FRAME + 11);
    expect(count(unparsed)).toBeLessThan(FRAME + 20);

    const legacy = new AIMessage("");
    legacy.additional_kwargs = {
      function_call: { name: "search", arguments: TEN },
    };
    expect(count(legacy)).toBeGreaterThanOrEqual(FRAME + 11);
  });

  it("counts arguments as deep as they go, keys and all", () => {
    const of = (args: Record<string, unknown>): number =>
      count(
        new AIMessage({
          content: "",
          tool_calls: [{ id: "c", name: "n", args }],
        }),
      );
    expect(of({ a: { b: { c: [TEN, TEN] } } })).toBeGreaterThan(
      of({ a: TEN }) + 10,
    );
    expect(of({ "a long key of words": 1 })).toBeGreaterThan(of({ a: 1 }) + 3);
    expect(of({ when: new Date(0) })).toBe(
      of({ when: "1970-01-01T00:00:00.000Z" }),
    );
    expect(of({ gone: undefined })).toBe(of({}));
    expect(of({ lines: "a\nb\nc" })).toBeGreaterThan(
      of({ lines: "a b c" }) + 2,
    );
  });
});

describe("countMessageWith: whatever comes", () => {
  it("counts an object that holds itself, and one of a million blocks", () => {
    const args: Record<string, unknown> = { query: TEN };
    args.self = args;
    const calls = new AIMessage({
      content: "",
      tool_calls: [{ id: "c", name: "n", args }],
    });
    expect(count(calls)).toBeLessThan(FRAME + 30);

    const block: Record<string, unknown> = { type: "hologram", text: TEN };
    block.self = [block];
    expect(blocks(block)).toBeLessThan(40);

    const kwargs: Record<string, unknown> = {};
    kwargs.self = kwargs;
    const odd = new AIMessage(TEN);
    odd.additional_kwargs = kwargs;
    expect(count(odd)).toBe(10 + FRAME);

    const many = Array.from({ length: 1_000_000 }, () => ({
      type: "text",
      text: "one",
    }));
    expect(count(new HumanMessage({ content: many as never }))).toBe(
      1_000_000 + FRAME,
    );
  });

  it("does not run out of stack on what is nested very deep", () => {
    let args: Record<string, unknown> = { leaf: TEN };
    let block: unknown = { type: "text", text: TEN };
    for (let depth = 0; depth < 100_000; depth++) {
      args = { args };
      block = { type: "hologram", block };
    }
    const call = new AIMessage("");
    call.tool_calls = [{ id: "c", name: "n", args }];
    expect(count(call)).toBeGreaterThan(100_000);
    expect(blocks(block)).toBeGreaterThan(100_000);
  });

  it("takes odd contents as they are", () => {
    const message = new HumanMessage(TEN);
    for (const content of [
      null,
      undefined,
      7,
      {},
      [null],
      [[TEN]],
      [{ type: 7 }],
      [{}],
    ]) {
      (message as { content: unknown }).content = content;
      expect(count(message)).toBeGreaterThanOrEqual(FRAME);
      expect(Number.isFinite(count(message))).toBe(true);
    }
    const odd = new AIMessage(TEN);
    (odd as { tool_calls: unknown }).tool_calls = [null, 3, { name: null }];
    (odd as { additional_kwargs: unknown }).additional_kwargs = null;
    expect(count(odd)).toBeGreaterThanOrEqual(10 + FRAME);
  });

  it("lets the error of a getter through", () => {
    const block = {
      type: "hologram",
      get trap(): never {
        throw new Error("do not look");
      },
    };
    expect(() => blocks(block)).toThrow("do not look");
  });

  it("leaves frozen messages alone and counts them alike", () => {
    const call = { id: "c", name: "n", args: Object.freeze({ query: TEN }) };
    const message = new AIMessage({ content: TEN, tool_calls: [call] });
    const before = count(message);
    expect(count(Object.freeze(message))).toBe(before);
  });
});
