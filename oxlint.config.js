// The layers of `src`, and the lower ones that each may import.
const layers = {
  conversation: [],
  tokens: ["conversation"],
  conditions: ["conversation", "tokens"],
  compactors: ["conversation", "tokens", "conditions"],
  health: ["conversation", "tokens"],
  hook: ["conversation", "tokens", "conditions", "compactors", "health"],
};
const everyLayer = Object.keys(layers);

const importDirections = [
  ...everyLayer.map((layer) => mayImport(`src/${layer}/**`, layers[layer])),
  mayImport("src/*.ts", everyLayer),
  mayImport("src/tokens/tiktoken/**", ["tokens"], ["js-tiktoken"]),
  mayImport("src/middleware/**", everyLayer, ["langchain"]),
  mayImport("src/testing/**", everyLayer, ["js-tiktoken", "node:*"]),
];

export default {
  plugins: ["typescript", "unicorn", "oxc", "import"],
  jsPlugins: ["eslint-plugin-no-instanceof"],
  categories: { correctness: "error" },
  rules: {
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "prefer-template": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-misused-promises": "error",
  },
  overrides: [
    {
      files: ["src/**"],
      rules: {
        "no-console": "error",
        // Messages may come from another copy of core: use `isInstance`.
        "no-instanceof/no-instanceof": "error",
        // The package runs where LangChain runs, not on Node alone.
        "no-restricted-globals": ["error", "process", "Buffer", "global"],
        "typescript/explicit-module-boundary-types": "error",
      },
    },
    {
      files: ["src/testing/**"],
      rules: { "no-restricted-globals": "off" },
    },
    {
      files: ["*.config.{js,ts}"],
      rules: { "import/no-default-export": "off" },
    },
    ...importDirections,
  ],
};

/** Refuses every import but core, the files' own folder and what is named. */
function mayImport(files, folders, packages = []) {
  const own = files === "src/*.ts" ? "./*.js" : "./**";
  const allowed = [
    own,
    // `errors.ts`, and from a folder in a layer the layer's own files.
    "../*.js",
    "../../errors.js",
    ...folders.flatMap((name) => [`./${name}/**`, `../**/${name}/**`]),
    ...["@langchain/core", ...packages].flatMap((name) => [name, `${name}/**`]),
  ];
  const group = [
    "**",
    ...allowed.map((pattern) => `!${pattern}`),
    // The tokenizer's rank table is too large to come along unasked.
    "**/tiktoken/**",
  ];
  const message = "oxlint.config.js says what this folder may import.";
  return {
    files: [files],
    rules: {
      "no-restricted-imports": ["error", { patterns: [{ group, message }] }],
    },
  };
}
