import { ContextOverflowError } from "@langchain/core/errors";
import {
  type BaseMessage,
  HumanMessage,
  SystemMessage,
} from "@langchain/core/messages";
import { countMessage } from "../../tokens/ask-counter.js";
import type { TokenCounterLike } from "../../tokens/token-counter.js";
import { askForSummary, type CallSetting } from "./call-model.js";
import { unusable } from "./read-answer.js";
import { coverageKey, type SummaryMemory } from "./summary-memory.js";
import {
  renderEntry,
  summaryEntry,
  type TranscriptEntry,
} from "./transcript.js";

/** What summarising one portion takes. */
export interface PortionSetting extends CallSetting {
  readonly counter: TokenCounterLike;
  /** Tokens that the summariser takes in one request; `undefined` where nobody says. */
  readonly maxInputTokens: number | undefined;
  /** Tokens that are left to its answer. */
  readonly summaryTokens: number;
  readonly summaries: SummaryMemory | undefined;
}

/**
 * The summary of a portion of a conversation: one that is remembered, or a new one.
 *
 * A portion that is too long for the summariser, by its window or because its
 * provider says so, is summarised in parts, and the parts' summaries are
 * summarised in turn.
 *
 * @param covered the messages that the entries are of
 * @throws CompactionError `SUMMARIZATION_FAILED`; the signal's reason where
 *   that is aborted
 */
export async function summarizePortion(
  entries: readonly TranscriptEntry[],
  covered: readonly BaseMessage[],
  setting: PortionSetting,
): Promise<string> {
  const { summaries } = setting;
  if (summaries === undefined) {
    return summarize(entries, await roomFor(setting), setting);
  }
  const key = coverageKey(covered, entries.map(renderEntry).join("\n"));
  const known = summaries.get(key);
  if (known !== undefined) {
    return known;
  }
  if (summaries.set === undefined) {
    throw unusable("No summary of this portion was written at its time.");
  }
  const summary = await summarize(entries, await roomFor(setting), setting);
  summaries.set(key, summary);
  return summary;
}

/** @param room tokens that the entries of one request may take */
async function summarize(
  entries: readonly TranscriptEntry[],
  room: number,
  setting: PortionSetting,
): Promise<string> {
  const parts =
    room === Infinity ? [entries] : await partsOf(entries, room, setting);
  if (parts.length > 1) {
    return mergeSummaries(parts, room, setting);
  }
  try {
    return await askForSummary(frame(entries), setting);
  } catch (error) {
    if (!ContextOverflowError.isInstance((error as Error).cause)) {
      throw error;
    }
    const half = (await tokensIn(entries, setting)) / 2;
    const halves = await partsOf(entries, half, setting);
    return mergeSummaries(halves, half, setting);
  }
}

async function mergeSummaries(
  parts: readonly (readonly TranscriptEntry[])[],
  room: number,
  setting: PortionSetting,
): Promise<string> {
  const summaries: TranscriptEntry[] = [];
  for (const part of parts) {
    summaries.push(summaryEntry(await summarize(part, room, setting)));
  }
  // Each round halves at least, so that there is an end to them.
  const tokens = await tokensIn(summaries, setting);
  if (tokens > (await tokensIn(parts.flat(), setting)) / 2) {
    throw unusable("The summaries of the parts are too long to be merged.");
  }
  return summarize(summaries, room, setting);
}

function frame(entries: readonly TranscriptEntry[]): string {
  return `<conversation>
${entries.map(renderEntry).join("\n")}
</conversation>

Write the summary of this conversation now.`;
}

/** Tokens of a request that are left to the entries; the prompt and the answer have theirs. */
async function roomFor(setting: PortionSetting): Promise<number> {
  const { maxInputTokens, prompt, counter, summaryTokens } = setting;
  if (maxInputTokens === undefined) {
    return Infinity;
  }
  const fixed =
    (await countMessage(new SystemMessage(prompt), counter)) +
    (await countMessage(new HumanMessage(frame([])), counter));
  const room = maxInputTokens - fixed - summaryTokens;
  if (room <= 0) {
    throw tooSmall();
  }
  return room;
}

/** The entries in runs that each fit; an entry that does not fit by itself is cut. */
async function partsOf(
  entries: readonly TranscriptEntry[],
  room: number,
  setting: PortionSetting,
): Promise<TranscriptEntry[][]> {
  const parts: TranscriptEntry[][] = [[]];
  let left = room;
  for (const entry of entries) {
    for (const piece of await piecesOf(entry, room, setting)) {
      const tokens = await tokensIn([piece], setting);
      if (tokens > left && parts.at(-1)!.length > 0) {
        parts.push([]);
        left = room;
      }
      parts.at(-1)!.push(piece);
      left -= tokens;
    }
  }
  return parts;
}

async function piecesOf(
  entry: TranscriptEntry,
  room: number,
  setting: PortionSetting,
): Promise<TranscriptEntry[]> {
  const { body } = entry;
  const tokens = await tokensIn([entry], setting);
  if (tokens <= room) {
    return [entry];
  }
  const fixed = await tokensIn([{ ...entry, body: "" }], setting);
  const count = Math.ceil((tokens - fixed) / (room - fixed)) + 1;
  if (fixed >= room || count > body.length) {
    throw tooSmall();
  }
  const length = Math.ceil(body.length / count);
  const pieces: TranscriptEntry[] = [];
  for (let start = 0; start < body.length; start += length) {
    const piece = { ...entry, body: body.slice(start, start + length) };
    pieces.push(...(await piecesOf(piece, room, setting)));
  }
  return pieces;
}

/** Tokens of entries as they are sent. */
async function tokensIn(
  entries: readonly TranscriptEntry[],
  { counter }: PortionSetting,
): Promise<number> {
  let tokens = 0;
  for (const entry of entries) {
    tokens += await countMessage(new HumanMessage(renderEntry(entry)), counter);
  }
  return tokens;
}

function tooSmall(): Error {
  return unusable(
    "The summariser's window is too small for a summary of this conversation (maxInputTokens).",
  );
}
