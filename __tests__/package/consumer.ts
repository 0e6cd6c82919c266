// A program of a user. It is compiled against the packed package by every
// supported compiler, with declarations, and run as ESM and as CommonJS.
import * as compaction from "langchain-compaction";

export const everything = compaction;

export async function run(): Promise<void> {}
