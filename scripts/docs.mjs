/** Writes the generated documents; with `--check` fails when one differs from what the sources say now. Builds first when dist is stale. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
// Beside node_modules, so that the packages left outside the bundle are found.
const bundle = join(root, "node_modules/.cache", `smith-docs-${process.pid}`, "a", "reference.mjs");

async function renderGenerated() {
  await build({
    absWorkingDir: root,
    entryPoints: ["scripts/docs/reference.ts"],
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    outfile: bundle,
    logLevel: "error",
    // The sources are read relative to the module that reads them.
    define: { "import.meta.url": JSON.stringify(new URL("../test/architecture/source.ts", import.meta.url).href) },
  });
  return (await import(bundle)).renderGenerated();
}

/** The command line as it explains itself. */
function renderCommands() {
  execFileSync(process.execPath, [join(root, "scripts/build.mjs"), "--if-stale"], { stdio: ["ignore", "ignore", "inherit"] });
  const help = JSON.parse(readFileSync(join(root, "dist/help.json"), "utf8"));
  const sections = Object.entries(help).map(
    ([command, text]) => `## ${`smith ${command}`.trim()}\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\``,
  );
  return `${["# Commands", "What `--help` says, for every command.", ...sections].join("\n\n")}\n`;
}

const current = (path) => {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
};

try {
  const generated = { ...(await renderGenerated()), "docs/reference/commands.md": renderCommands() };
  const stale = Object.entries(generated).filter(([path, text]) => current(path) !== text);
  for (const [path, text] of stale) {
    if (process.argv.includes("--check")) {
      console.error(`${path} is not what the sources say: run \`npm run docs\``);
      process.exitCode = 1;
    } else {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
      console.log(`wrote ${path}`);
    }
  }
} finally {
  rmSync(dirname(dirname(bundle)), { recursive: true, force: true });
}
