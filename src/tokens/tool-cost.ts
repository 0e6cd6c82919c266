import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import type { CountText } from "./json-cost.js";

/**
 * Tokens of tool definitions: the JSON text of each in OpenAI's form.
 *
 * Takes LangChain tools with zod or JSON schemas and providers' own
 * definitions as they are. Throws when a schema has no JSON form.
 */
export function countToolsWith(
  countText: CountText,
  tools: readonly BindToolsInput[],
): number {
  let total = 0;
  for (const tool of tools) {
    const definition = convertToOpenAITool(tool as Record<string, unknown>);
    total += countText(JSON.stringify(definition.function ?? definition));
  }
  return total;
}
