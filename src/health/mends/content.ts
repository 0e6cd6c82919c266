import type { BaseMessage } from "@langchain/core/messages";
import type { MessageRole } from "../../conversation/message.js";
import { copyMessage } from "../../conversation/copy-message.js";
import { imageSize, isBlank, isImageKind, kindOf } from "../content-facts.js";
import type { Draft, Mender } from "../draft.js";
import { isForeign } from "../foreign-blocks.js";
import { providersOf } from "../provider.js";
import { IMAGE_LIMITS } from "../rules/limits.js";
import { EMPTY_HUMAN_MESSAGE, removedBlock } from "../stand-ins.js";

/** Gives an empty content to messages without any; what that calls for is another mend. */
export const mendMissingContent: Mender = (draft, problems) => {
  for (const problem of problems) {
    const message = draft.messages[problem.index]!;
    draft.replace(problem.index, copyMessage(message, { content: "" }));
    draft.report(problem, "gave it an empty content");
  }
};

/** Removes thinking that no signature vouches for. */
export const mendUnsignedThinking: Mender = (draft, problems) => {
  for (const problem of problems) {
    keepBlocks(draft, problem.index, (block) => {
      const { type, signature } = block as Block;
      return (
        type !== "thinking" ||
        (typeof signature === "string" && signature !== "")
      );
    });
    draft.report(problem, "removed thinking that has no signature");
  }
};

/** Puts thinking first, in its own order. */
export const mendThinkingOrder: Mender = (draft, problems) => {
  for (const problem of problems) {
    const blocks = blocksOf(draft.messages[problem.index]!);
    const isThinking = (block: unknown): boolean =>
      ["thinking", "redacted_thinking"].includes(kindOf(block));
    setBlocks(draft, problem.index, [
      ...blocks.filter(isThinking),
      ...blocks.filter((block) => !isThinking(block)),
    ]);
    draft.report(problem, "put the thinking first");
  }
};

/** Takes out a reasoning item whose output is gone, wherever the message keeps it. */
export const mendLoneReasoning: Mender = (draft, problems) => {
  for (const problem of problems) {
    const message = draft.messages[problem.index]!;
    const { reasoning: _, ...kwargs } = message.additional_kwargs ?? {};
    const { output, ...metadata } = (message.response_metadata ?? {}) as {
      output?: unknown;
    };
    const rest = Array.isArray(output) ? withoutLastReasoning(output) : [];
    draft.replace(
      problem.index,
      copyMessage(message, {
        additional_kwargs: kwargs,
        response_metadata:
          rest.length > 0 ? { ...metadata, output: rest } : metadata,
      }),
    );
    draft.report(problem, "removed the reasoning item");
  }
};

/** Removes blocks that the client cannot send; their text stays, and what a person gave leaves a word. */
export const mendForeignBlocks: Mender = (draft, problems) => {
  const providers = providersOf(draft.ruleSet);
  for (const problem of problems) {
    const { index } = problem;
    const role = draft.view.conversation.roles[index]!;
    const hasCalls = draft.view.calls[index]!.some(
      ({ place }) => place === "list",
    );
    const blocks = blocksOf(draft.messages[index]!).flatMap((block) => {
      const kind = kindOf(block);
      return providers.some((name) => isForeign(kind, role, name, hasCalls))
        ? replacementOf(block, role)
        : [block];
    });
    setBlocks(draft, index, blocks);
    draft.report(problem, "replaced content that the client cannot send");
  }
};

/** Replaces the oldest images where there are more than one request may have. */
export const mendTooManyImages: Mender = (draft, problems) => {
  const limits = providersOf(draft.ruleSet).map((name) => IMAGE_LIMITS[name]);
  const most = Math.min(...limits.map(({ count = Infinity }) => count));
  const perMessage = Math.min(
    ...limits.map((limit) => limit.perMessage ?? Infinity),
  );
  let excess =
    draft.view.content.reduce((sum, { images }) => sum + images.length, 0) -
    most;
  for (const [index, { images }] of draft.view.content.entries()) {
    let here = Math.max(
      images.length - perMessage,
      Math.min(excess, images.length),
    );
    excess -= Math.max(here, 0);
    if (here > 0) {
      mapBlocks(draft, index, (block) => {
        here -= isImageKind(kindOf(block)) ? 1 : 0;
        return isImageKind(kindOf(block)) && here >= 0
          ? removedBlock("An image")
          : block;
      });
    }
  }
  for (const problem of problems) {
    draft.report(problem, "replaced the oldest images by words");
  }
};

/** Replaces images that are too large. */
export const mendLargeImages: Mender = (draft, problems) => {
  const most = Math.min(
    ...providersOf(draft.ruleSet).map(
      (name) => IMAGE_LIMITS[name].size ?? Infinity,
    ),
  );
  for (const problem of problems) {
    mapBlocks(draft, problem.index, (block) =>
      isImageKind(kindOf(block)) && imageSize(block) > most
        ? removedBlock("An image")
        : block,
    );
    draft.report(problem, "replaced the image by words");
  }
};

/** Removes texts that say nothing. */
export const mendBlankTexts: Mender = (draft, problems) => {
  for (const problem of problems) {
    const message = draft.messages[problem.index]!;
    if (typeof message.content === "string") {
      draft.replace(problem.index, copyMessage(message, { content: "" }));
    } else {
      keepBlocks(draft, problem.index, (block) => {
        const { type, text } = block as Block;
        return type !== "text" || !isBlank(text);
      });
    }
    draft.report(problem, "removed an empty text");
  }
};

/** Removes an empty answer or instruction; an empty question says that it is empty. */
export const mendEmptyMessages: Mender = (draft, problems) => {
  for (const problem of problems) {
    const { index } = problem;
    if (draft.view.conversation.roles[index] === "human") {
      draft.replace(
        index,
        copyMessage(draft.messages[index]!, { content: EMPTY_HUMAN_MESSAGE }),
      );
      draft.report(problem, "let the empty message say that it is empty");
    } else {
      draft.remove(index);
      draft.report(problem, "removed the empty message");
    }
  }
};

/** What stays of a block: its text, or a word where the model did not write it itself. */
function replacementOf(block: unknown, role: MessageRole): Block[] {
  const { text, thought } = (block ?? {}) as Block;
  if (typeof text === "string" && text !== "" && thought !== true) {
    return [{ type: "text", text }];
  }
  return role === "ai"
    ? []
    : [removedBlock(`Content of the kind "${kindOf(block)}"`)];
}

type Block = Readonly<Record<string, unknown>>;

function blocksOf(message: BaseMessage): readonly unknown[] {
  const content = message.content as unknown;
  return Array.isArray(content) ? content : [];
}

function keepBlocks(
  draft: Draft,
  index: number,
  isKept: (block: unknown) => boolean,
): void {
  setBlocks(draft, index, blocksOf(draft.messages[index]!).filter(isKept));
}

function mapBlocks(
  draft: Draft,
  index: number,
  change: (block: unknown) => unknown,
): void {
  setBlocks(draft, index, blocksOf(draft.messages[index]!).map(change));
}

function setBlocks(
  draft: Draft,
  index: number,
  blocks: readonly unknown[],
): void {
  const content = blocks.length === 0 ? "" : blocks;
  draft.replace(index, copyMessage(draft.messages[index]!, { content }));
}

function withoutLastReasoning(output: readonly unknown[]): readonly unknown[] {
  const end = output.findLastIndex((item) => kindOf(item) !== "reasoning");
  return output.slice(0, end + 1);
}
