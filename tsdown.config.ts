import { defineConfig } from "tsdown";

export default defineConfig({
  entry: [
    "src/index.ts",
    "src/middleware/index.ts",
    "src/tokens/tiktoken/index.ts",
    "src/testing/index.ts",
  ],
  format: ["esm", "cjs"],
  target: "node20",
  fixedExtension: false,
  hash: false,
  sourcemap: true,
  dts: { oxc: { stripInternal: true }, sourcemap: true },
  // A package that is wrongly put together fails the build.
  publint: { strict: true },
  attw: { profile: "node16", level: "error" },
});
