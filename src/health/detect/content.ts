import type { MessageRole } from "../../conversation/message.js";
import type { ContentFacts } from "../content-facts.js";
import { isBlank } from "../content-facts.js";
import { isForeign, isLeftOutWhole } from "../foreign-blocks.js";
import type { HealthView } from "../health-view.js";
import type { Provider } from "../provider.js";
import { IMAGE_LIMITS } from "../rules/limits.js";
import { isLeftOut, sendsCalls } from "../sent-calls.js";
import type { Detector, Finding } from "./finding.js";

/** What stands in the messages one by one: reasoning, blocks, images, emptiness. */
export const detectContent: Detector = function* (view, provider) {
  const {
    count = Infinity,
    perMessage = Infinity,
    size = Infinity,
  } = IMAGE_LIMITS[provider];
  let images = 0;
  for (const [index, content] of view.content.entries()) {
    if (view.unreadable.has(index)) {
      yield { code: "unreadable-message", index };
      continue;
    }
    if (view.conversation.roles[index] === "ai") {
      yield* reasoning(view, index);
    }
    if (content.types.size > 0) {
      yield* foreignBlocks(view, index, provider);
    }
    yield* blankTexts(view, index, provider);
    const before = images;
    images += content.images.length;
    if (images > count && before <= count) {
      yield { code: "too-many-images", index };
    } else if (content.images.length > perMessage) {
      yield { code: "too-many-images", index };
    }
    if (content.images.some((bytes) => bytes > size)) {
      yield { code: "image-too-large", index };
    }
  }
};

function* reasoning(view: HealthView, index: number): Iterable<Finding> {
  const { types, firstType, unsignedThinking } = view.content[index]!;
  if (unsignedThinking) {
    yield { code: "unsigned-thinking", index };
  } else if (
    view.calls[index]!.length > 0 &&
    types.has("thinking") &&
    firstType !== "thinking" &&
    firstType !== "redacted_thinking"
  ) {
    yield { code: "thinking-not-first", index };
  }
  const next = view.conversation.roles[index + 1];
  if (next !== "ai" && endsWithReasoning(view, index)) {
    yield { code: "reasoning-without-follower", index };
  }
}

/** Whether the Responses client sends a reasoning item of this message as its last. */
function endsWithReasoning(view: HealthView, index: number): boolean {
  const message = view.messages[index]!;
  const { output } = (message.response_metadata ?? {}) as { output?: unknown };
  if (Array.isArray(output) && output.length > 0) {
    return (output.at(-1) as { type?: unknown } | null)?.type === "reasoning";
  }
  const { text, blocks } = view.content[index]!;
  return (
    Boolean(message.additional_kwargs?.reasoning) &&
    text === undefined &&
    blocks === 0 &&
    !sendsCalls(view, index, "openai-responses")
  );
}

function* foreignBlocks(
  view: HealthView,
  index: number,
  provider: Provider,
): Iterable<Finding> {
  const { types, isStandard } = view.content[index]!;
  const role = view.conversation.roles[index]!;
  const hasCalls = view.calls[index]!.some(({ place }) => place === "list");
  if (isStandard) {
    return;
  }
  // Anthropic's client and that of the Responses API leave out what they do not know.
  const isWrong =
    provider === "anthropic" || provider === "openai-responses"
      ? isLeftOutWhole(types, role, provider)
      : [...types].some((type) => isForeign(type, role, provider, hasCalls));
  if (isWrong) {
    yield { code: "foreign-block", index };
  }
}

/** Whose messages each client cannot read where their content is missing. */
const NEED_CONTENT: Readonly<Record<Provider, readonly MessageRole[]>> = {
  openai: ["system", "human", "ai", "tool"],
  "openai-responses": ["system", "human", "ai"],
  anthropic: ["human", "ai"],
  gemini: [],
  mistral: ["system", "human", "ai", "tool"],
  bedrock: ["system", "human", "ai", "tool"],
};

function* blankTexts(
  view: HealthView,
  index: number,
  provider: Provider,
): Iterable<Finding> {
  const content = view.content[index]!;
  const role = view.conversation.roles[index]!;
  if (content.isMissing && NEED_CONTENT[provider].includes(role)) {
    yield { code: "missing-content", index };
    return;
  }
  if (role === "tool" || role === "other") {
    return;
  }
  if (isEmptyFor(provider, content, view, index)) {
    yield { code: "empty-message", index };
  } else if (
    isBlankFor(provider, content, role, view.calls[index]!.length > 0)
  ) {
    yield { code: "blank-text", index };
  }
}

function isEmptyFor(
  provider: Provider,
  { text, blocks }: ContentFacts,
  view: HealthView,
  index: number,
): boolean {
  const role = view.conversation.roles[index]!;
  const isEmpty = text === undefined ? blocks === 0 : text === "";
  if (!isEmpty) {
    return false;
  }
  switch (role) {
    case "ai":
      return (
        !sendsCalls(view, index, provider) && !isLeftOut(view, index, provider)
      );
    case "human":
      return provider !== "mistral";
    default:
      // Anthropic's client joins the instructions, and sends later ones as messages.
      return (
        provider === "bedrock" ||
        (provider === "anthropic" && index >= view.conversation.instructionsEnd)
      );
  }
}

/** Text among other content, or a text of white space alone. */
function isBlankFor(
  provider: Provider,
  { text, blocks, blankTexts, emptyTexts }: ContentFacts,
  role: MessageRole,
  hasCalls: boolean,
): boolean {
  if (text !== undefined) {
    return text !== "" && isBlank(text);
  }
  if (provider === "bedrock" && role === "ai") {
    // The client leaves white space out, and throws at an empty text.
    return emptyTexts > 0 || (blankTexts === blocks && !hasCalls);
  }
  return blankTexts > 0;
}
