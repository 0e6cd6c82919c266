// A chain: the compactor alone, piped between the prompt and the model.
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import {
  ChatPromptTemplate,
  MessagesPlaceholder,
} from "@langchain/core/prompts";
import { SlidingWindowCompactor } from "langchain-compaction";
import { exampleModel } from "./support/example-model.js";

const prompt = ChatPromptTemplate.fromMessages([
  ["system", "You answer questions about our opening hours."],
  new MessagesPlaceholder("history"),
  ["human", "{question}"],
]);

const chain = prompt
  .pipe(new SlidingWindowCompactor({ targetTokens: 400 }))
  .pipe(await exampleModel());

const history = Array.from({ length: 50 }, (_, day) => [
  new HumanMessage(`When do you open on day ${day} of the fair?`),
  new AIMessage(`On day ${day} we open at ${7 + (day % 4)} o'clock.`),
]).flat();

const question = "And on the last day?";
const { text } = await chain.invoke({ history, question });
console.log(`${history.length} messages of history.`);
console.log(text);
