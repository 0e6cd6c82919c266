import { describeMafRows } from "../support/maf-suite.js";

describeMafRows("maf-truncation", {
  departures: {
    none: 79,
    "task: the newest human messages stay": 26,
    "empty: a message without any part is no reasoning": 2,
    "behind: reasoning behind results belongs to the step after it": 3,
    "step: results are found by call id and position": 7,
    "emptied: without a task the newest group stays": 2,
    "pending: a step with a call that waits for its answer stays": 1,
  },
  touched: {},
});
