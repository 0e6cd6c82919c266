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
  mayImport("src/*", "./", everyLayer),
  ...everyLayer.flatMap((layer) => folderMayImport(layer, layers[layer])),
  ...folderMayImport("middleware", everyLayer, [
    "langchain",
    "@langchain/langgraph",
    "zod",
  ]),
  ...folderMayImport("testing", everyLayer, ["js-tiktoken", "node:*"]),
  mayImport("src/tokens/tiktoken/*", "../../", layers.tokens, ["js-tiktoken"]),
];

export default {
  plugins: ["typescript", "unicorn", "oxc", "import"],
  jsPlugins: ["./.ci/lint-messages.js"],
  categories: { correctness: "error" },
  rules: {
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "prefer-template": "error",
    "unicorn/no-new-array": "off",
    "unicorn/no-useless-spread": "off",
    "typescript/consistent-type-imports": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-misused-promises": "error",
    // It takes `[...text]` for a mistake, and here that is how texts are read.
    "typescript/no-misused-spread": "off",
  },
  overrides: [
    {
      files: ["src/**"],
      rules: {
        "no-console": "error",
        "messages/no-instanceof": "error",
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
      files: ["__tests__/**", "bench/**"],
      rules: { "typescript/unbound-method": "off" },
    },
    {
      files: ["*.config.{js,ts}", ".ci/*.js"],
      rules: { "import/no-default-export": "off" },
    },
    ...importDirections,
  ],
};

function folderMayImport(folder, layers, packages) {
  return [
    mayImport(`src/${folder}/*`, "../", layers, packages),
    mayImport(`src/${folder}/*/**`, "../../", layers, packages),
  ];
}

/**
 * Refuses every import but core, the folder's own files, files of `src` itself,
 * and what is named. The last pattern that matches decides.
 */
function mayImport(files, pathToSrc, layers, packages = []) {
  const ownFiles = {
    "./": [],
    "../": ["!./**"],
    "../../": ["!./**", "!../**", "../../**"],
  };
  const group = [
    "**",
    ...ownFiles[pathToSrc],
    `!${pathToSrc}*.js`,
    ...layers.map((layer) => `!${pathToSrc}${layer}/**`),
    ...["@langchain/core", ...packages].flatMap((name) => [
      `!${name}`,
      `!${name}/**`,
    ]),
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
