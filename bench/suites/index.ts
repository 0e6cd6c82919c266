import type { Suite } from "../results.js";
import { agentLoop } from "./agent-loop.js";
import { exactPass } from "./exact-pass.js";
import { hostileText } from "./hostile-text.js";
import { imports, tokenizerImports } from "./imports.js";
import { memory } from "./memory.js";
import { onePass } from "./one-pass.js";
import { ordinaryText } from "./ordinary-text.js";

/** In the order of the results page. */
export const suites: readonly Suite[] = [
  onePass,
  agentLoop,
  exactPass,
  ordinaryText,
  hostileText,
  imports,
  tokenizerImports,
  memory,
];
