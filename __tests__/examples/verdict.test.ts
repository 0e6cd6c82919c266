import { describe, expect, it } from "@jest/globals";
import type { RecordedRequest } from "langchain-compaction/testing";
import { judge } from "../../examples/demo/verdict.js";

function requests(
  count: number,
  last: Partial<RecordedRequest> = {},
): RecordedRequest[] {
  const answered: RecordedRequest = {
    protocol: "openai",
    stream: true,
    body: {},
    outcome: "answered",
    status: 200,
    inputTokens: 1,
    outputTokens: 1,
  };
  return Array.from({ length: count }, (_, index) =>
    index === count - 1 ? { ...answered, ...last } : answered,
  );
}

const overflow = requests(15, {
  outcome: "refused",
  status: 400,
  error: { message: "Too long.", code: "context_length_exceeded" },
});

const good = {
  without: { requests: overflow },
  with: { requests: requests(65), answer: "42" },
  expected: "42",
};

describe("the verdict of the demo", () => {
  it("passes where everything is as it should be", () => {
    expect(judge(good).map(({ passed }) => passed)).toEqual([true, true, true]);
  });

  it.each([
    [
      "the first run did not overflow",
      { without: { requests: requests(65) } },
      0,
    ],
    ["the first run made no call", { without: { requests: [] } }, 0],
    [
      "a request of the second run was refused",
      {
        with: { ...good.with, requests: requests(65, { outcome: "refused" }) },
      },
      1,
    ],
    [
      "the second run was short",
      { with: { ...good.with, requests: requests(20) } },
      1,
    ],
    ["the answer is wrong", { with: { ...good.with, answer: "41" } }, 2],
    [
      "there is no answer",
      { with: { requests: requests(65), error: new Error("x") } },
      2,
    ],
  ])("fails where %s", (_name, change, failing) => {
    const checks = judge({ ...good, ...change });
    expect(checks.findIndex(({ passed }) => !passed)).toBe(failing);
  });
});
