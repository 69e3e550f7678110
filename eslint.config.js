import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import js from "@eslint/js";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

const root = fileURLToPath(new URL(".", import.meta.url));
const rules = JSON.parse(readFileSync(new URL("./test/architecture/rules.json", import.meta.url), "utf8"));
/** Folders and files of the house table as globs. */
const globs = (paths) => paths.map((path) => (path.endsWith("/") ? `${path}**` : path));

/** Packages and Node modules with a home: imported elsewhere they leak a decision (style of the house, section 2). */
const fence = {
  meta: {
    type: "problem",
    schema: [],
    messages: { fenced: "{{name}} is fenced in {{homes}}: import that folder's door, or declare a port." },
  },
  create(context) {
    const file = relative(root, context.filename);
    if (!/^(src|bin|plugins|docs)\//u.test(file)) return {};
    const check = (node) => {
      const name = node?.value;
      if (typeof name !== "string" || name.startsWith(".")) return;
      const isNode = name.startsWith("node:");
      const key = isNode ? name.slice(5).split("/")[0] : name.split("/", name.startsWith("@") ? 2 : 1).join("/");
      const homes = (isNode ? rules.nodeModules : rules.packages)[key];
      if (homes && !homes.some((home) => file.startsWith(home)))
        context.report({ node, messageId: "fenced", data: { name, homes: homes.join(", ") } });
    };
    return {
      ImportDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
    };
  },
};

const ambientProperties = [
  { object: "Date", property: "now", message: "Take a Clock from the caller." },
  { object: "Math", property: "random", message: "Take an IdSource or a random port from the caller." },
  { object: "crypto", property: "randomUUID", message: "Take an IdSource from the caller." },
  { object: "process", property: "env", message: "Take the environment from the caller; bin and runtime composition read it." },
  { object: "process", property: "cwd", message: "Take cwd from the caller; bin and runtime composition read it." },
  { object: "process", property: "exit", message: "Return an exit status; bin sets it." },
];

const sizes = (lines, functionLines) => ({
  "max-lines": ["error", { max: lines, skipBlankLines: true, skipComments: true }],
  "max-lines-per-function":
    functionLines === undefined ? "off" : ["error", { max: functionLines, skipBlankLines: true, skipComments: true }],
  "max-params": ["error", 4],
  "max-depth": ["error", 4],
  complexity: ["error", { max: 12, variant: "modified" }],
});

export default tseslint.config(
  { ignores: ["dist/**", "dist.tmp-*/**", "coverage/**", "node_modules/**", "test/fixtures/**"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["*.config.ts"] }, tsconfigRootDir: root } },
    plugins: { house: { rules: { fence } } },
    rules: {
      ...sizes(400, 60),
      "house/fence": "error",
      eqeqeq: ["error", "always"],
      "no-var": "error",
      "prefer-const": "error",
      "no-console": "error",
      "no-control-regex": "off",
      "no-restricted-properties": ["error", ...ambientProperties],
      "no-restricted-syntax": [
        "error",
        { selector: "ExportDefaultDeclaration", message: "Export by name: a name is what people search for." },
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: "Take a Clock from the caller." },
        { selector: "TSEnumDeclaration", message: "Use a union of string literals." },
      ],
      "@typescript-eslint/no-floating-promises": ["error", { ignoreVoid: false }],
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/return-await": ["error", "error-handling-correctness-only"],
      "@typescript-eslint/only-throw-error": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: false }],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "separate-type-imports" }],
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      // A port whose other implementations wait stays async here too: a throw becomes a rejection, as its callers expect.
      "@typescript-eslint/require-await": "off",
    },
  },
  {
    files: ["src/tui/**/*.tsx"],
    plugins: { "react-hooks": reactHooks },
    rules: { ...sizes(400, 120), "react-hooks/rules-of-hooks": "error", "react-hooks/exhaustive-deps": "error" },
  },
  { files: globs(rules.ambient), rules: { "no-console": "off", "no-restricted-properties": "off" } },
  {
    files: ["plugins/*/index.ts", "docs/examples/*/src/main.ts"],
    rules: { "no-restricted-syntax": "off" },
  },
  {
    files: ["docs/examples/**/*.ts"],
    // Each has a tsconfig of its own, for whoever copies it out; here it is checked as the bundled plugins are.
    languageOptions: { parserOptions: { projectService: false, project: "./test/examples/tsconfig.json", tsconfigRootDir: root } },
  },
  {
    files: ["test/**/*.{ts,tsx}"],
    // Doubles are objects of closures; taking a method out of one is safe.
    rules: { ...sizes(600), "no-restricted-properties": "off", "no-restricted-syntax": "off", "@typescript-eslint/unbound-method": "off" },
  },
  { files: ["*.config.ts"], rules: { "no-restricted-syntax": "off" } },
  {
    files: ["**/*.{js,mjs}"],
    languageOptions: {
      globals: Object.fromEntries(
        [
          "process",
          "console",
          "Buffer",
          "URL",
          "performance",
          "setTimeout",
          "clearTimeout",
          "setInterval",
          "clearInterval",
          "setImmediate",
          "fetch",
        ].map((name) => [name, "readonly"]),
      ),
    },
    rules: {
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "max-lines": ["error", 400],
      complexity: ["error", { max: 15, variant: "modified" }],
    },
  },
);
