/** @type {import("jest").Config} */
export default {
  testEnvironment: "node",
  // Runs of their own: `npm run test:corpus`, `test:package`, and live models.
  // Their --rootDir ends the list of --testMatch, which would take in a path.
  testMatch: [
    "<rootDir>/__tests__/**/*.test.ts",
    "!**/*.{corpus,package,examples,int}.test.ts",
  ],
  maxWorkers: 2,
  // A busy machine is no failure.
  testTimeout: 60_000,
  extensionsToTreatAsEsm: [".ts"],
  moduleNameMapper: {
    "^(\\.{1,2}/.*)\\.js$": "$1",
    "^langchain-compaction$": "<rootDir>/src/index.ts",
    "^langchain-compaction/tiktoken$": "<rootDir>/src/tokens/tiktoken/index.ts",
    "^langchain-compaction/(middleware|testing)$": "<rootDir>/src/$1/index.ts",
  },
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        jsc: { parser: { syntax: "typescript" }, target: "es2022" },
        module: { type: "es6" },
      },
    ],
  },
  coverageProvider: "v8",
  collectCoverageFrom: ["src/**/*.ts"],
};
