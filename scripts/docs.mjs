/** Writes the generated documents; with `--check` fails when one differs from what the sources say now. */
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

const current = (path) => {
  try {
    return readFileSync(join(root, path), "utf8");
  } catch {
    return undefined;
  }
};

try {
  const stale = Object.entries(await renderGenerated()).filter(([path, text]) => current(path) !== text);
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
