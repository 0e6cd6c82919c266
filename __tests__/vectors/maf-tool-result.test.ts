import { describeMafRows } from "../support/maf-suite.js";

describeMafRows("maf-tool-result", {
  departures: {
    none: 62,
    "smaller: a record that is no smaller is no record": 8,
    "empty: a message without any part is no reasoning": 4,
    "behind: reasoning behind results belongs to the step after it": 14,
    "step: results are found by call id and position": 16,
    "unanswered: a step with an unanswered call, or in which anyone else spoke, is not folded": 16,
    "unseen: results that nothing follows are not folded": 2,
  },
  touched: { "cs-tl-r-0128": "unseen", "cs-tl-r-0213": "smaller" },
});
