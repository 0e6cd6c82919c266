import { describeMafRows } from "../support/maf-suite.js";

describeMafRows("maf-pipeline", {
  departures: {
    none: 65,
    "pending: a step with a call that waits for its answer stays": 2,
    "empty: a message without any part is no reasoning": 7,
    "behind: reasoning behind results belongs to the step after it": 7,
    "step: results are found by call id and position": 9,
    "task: the newest human messages stay": 16,
    "smaller: a record that is no smaller is no record": 1,
    "stateless: every pass reads the list as it is": 3,
    "unanswered: a step with an unanswered call, or in which anyone else spoke, is not folded": 1,
    "unseen: results that nothing follows are not folded": 1,
  },
  touched: { "cs-pl-r-0165": "unseen" },
});
