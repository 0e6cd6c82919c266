export {
  TiktokenCounter,
  type TiktokenCounterOptions,
} from "./tiktoken-counter.js";
export type { TiktokenEncoding } from "./encoding.js";
