import { commandFiles } from "./kinds/command.js";
import { policyFiles } from "./kinds/policy.js";
import { providerFiles } from "./kinds/provider.js";
import { themeFiles } from "./kinds/theme.js";
import { toolFiles } from "./kinds/tool.js";
import type { KindFiles, Naming, ScaffoldKind } from "./types.js";

const KINDS: { readonly [Kind in ScaffoldKind]: (naming: Naming) => KindFiles } = {
  tool: toolFiles,
  command: commandFiles,
  policy: policyFiles,
  provider: providerFiles,
  theme: themeFiles,
};

/** Every file of a new package by its name. `version`: of this program, which brings the types. */
export function packageFiles(kind: ScaffoldKind, id: string, version: string): ReadonlyMap<string, string> {
  const naming = { id, name: id.slice(id.lastIndexOf(".") + 1) };
  const { manifest, code, about } = KINDS[kind](naming);
  const always = [
    ["manifest.kdl", manifest],
    ["README.md", readme(id, about, code !== undefined)],
    ["package.json", packageJson(id, version, code !== undefined)],
  ] as const;
  if (code === undefined) return new Map(always);
  return new Map([
    ...always,
    ["src/main.ts", code.main],
    ["test/main.test.ts", code.test],
    ["tsconfig.json", TSCONFIG],
    [".gitignore", "node_modules/\n*.tgz\n"],
  ]);
}

const OF_CODE = `
- \`src/main.ts\` is its code. It runs in a sandbox: everything it may reach comes with the \`context\` it is given.
- \`test/main.test.ts\` is tested in the same sandbox.`;

const TYPES = `
For an editor to know the types of \`smith-agent/plugin\`, run \`npm install\` once; with a smith that is not from the
registry \`npm install --save-dev PATH\`, the folder or archive of it. smith itself does not need that.
`;

const readme = (id: string, about: string, hasCode: boolean): string => `# ${id}

${about}

- \`manifest.kdl\` says what the plugin brings and what it may do. smith reads it without running any code.${hasCode ? OF_CODE : ""}

Try it:

    smith plugins check .            # loads it, runs its tests, prints what it may do
    smith --plugin . --watch         # uses it in one session, reads it again when you save
    smith plugins install .          # uses it in every session
${hasCode ? TYPES : ""}`;

const packageJson = (id: string, version: string, hasCode: boolean): string =>
  `${JSON.stringify(
    {
      name: id.replaceAll(".", "-"),
      version: "0.1.0",
      type: "module",
      keywords: ["smith-plugin"],
      files: ["manifest.kdl", ...(hasCode ? ["src", "test"] : [])],
      smith: { plugin: "./manifest.kdl" },
      ...(hasCode ? { devDependencies: { "smith-agent": `^${version}`, typescript: "^5.9.0" } } : {}),
    },
    undefined,
    2,
  )}\n`;

/** The sandbox has no DOM, no Node and no clock of its own, so neither has the editor. */
const TSCONFIG = `${JSON.stringify(
  {
    compilerOptions: {
      target: "es2023",
      lib: ["es2023"],
      module: "nodenext",
      moduleResolution: "nodenext",
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      isolatedModules: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
      noEmit: true,
      types: [],
    },
    include: ["src", "test"],
  },
  undefined,
  2,
)}\n`;
