import { describeMafRows } from "../support/maf-suite.js";

describeMafRows("maf-sliding", {
  departures: {
    none: 127,
    "stateless: every pass reads the list as it is": 8,
    "task: the newest human messages stay": 28,
    "step: results are found by call id and position": 2,
  },
  touched: {},
});
