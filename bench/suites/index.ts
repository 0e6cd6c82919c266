import type { Suite } from "../results.js";
import { agentLoop } from "./agent-loop.js";
import { createAgentStep } from "./create-agent-step.js";
import { exactPass } from "./exact-pass.js";
import { growth } from "./growth.js";
import { hostileText } from "./hostile-text.js";
import { imports, tokenizerImports } from "./imports.js";
import { memory } from "./memory.js";
import { middleware } from "./middleware.js";
import { onePass } from "./one-pass.js";
import { ordinaryText } from "./ordinary-text.js";

/** In the order of the results page. */
export const suites: readonly Suite[] = [
  onePass,
  growth,
  agentLoop,
  middleware,
  createAgentStep,
  exactPass,
  ordinaryText,
  hostileText,
  imports,
  tokenizerImports,
  memory,
];
