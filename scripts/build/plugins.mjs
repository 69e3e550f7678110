/**
 * The bundled plugins: each manifest compiled to data by the same code that compiles a user's, each guest module, where there
 * is one, bundled to one file that imports nothing, and that file compiled for the engine.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

/** Inside the sandbox the SDK is a built-in module. It goes into the file: bytecode that imports nothing starts without the engine's parser. */
const withSdk = (sdk) => ({
  name: "sandbox-sdk",
  setup(build) {
    build.onResolve({ filter: /^smith-agent\/plugin$/ }, () => ({ path: "sdk", namespace: "sandbox-sdk" }));
    build.onLoad({ filter: /.*/, namespace: "sandbox-sdk" }, () => ({ contents: sdk, loader: "js" }));
  },
});

/** The manifest compiler is TypeScript of the host: bundled for this build, beside the packages it leaves outside. */
async function loadCompiler(esbuild, root, out) {
  const outfile = join(out, "manifest-compiler.mjs");
  await esbuild.build({
    absWorkingDir: root,
    stdin: {
      contents: 'export * from "./src/plugin/manifest/index.ts"; export { SDK_VERSION } from "./src/plugin/generation/index.ts";',
      resolveDir: root,
    },
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    outfile,
    logLevel: "warning",
  });
  // Its packages are found from `out`, which is inside the repository; it is no part of the result.
  const compiler = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  return compiler;
}

async function bundleGuest({ esbuild, root, engine }, source) {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [source],
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2023",
    // Identifiers stay: a plugin's stack frames are read by people.
    minifyWhitespace: true,
    minifySyntax: true,
    write: false,
    outfile: "guest.js",
    logLevel: "warning",
    plugins: [withSdk(engine.SDK_MODULE)],
  });
  return outputFiles[0].text;
}

function orThrow(result) {
  if (result.ok) return result.value;
  const words = result.error.map(({ what, why, next, source }) => {
    const place = source?.type === "file" ? `${source.path}:${source.line ?? 1}:${source.column ?? 1}: ` : "";
    return `${place}${what} ${why} ${next}`;
  });
  throw new Error(words.join("\n"));
}

async function compileOne(given, folder) {
  const { root, engine, compiler } = given;
  const manifestFile = join(folder, "manifest.kdl");
  const manifestPath = relative(root, manifestFile);
  const manifestText = await readFile(manifestFile, "utf8");
  const readBeside = (name) => (existsSync(join(folder, name)) ? readFile(join(folder, name), "utf8") : undefined);
  const { source } = orThrow(await compiler.compileManifest(manifestText, readBeside, { path: manifestPath, bundled: true }));
  const code = source === "" ? { type: "none" } : { type: "bundle", source: await bundleGuest(given, join(folder, source)) };
  const plugin = orThrow(await compiler.compilePluginFolder({ manifestText, manifestPath, readFile: readBeside, bundled: true, code }));
  if (code.source === undefined) return { plugin, files: [] };
  const compiled = await engine.compileModule(engine.wasm, { name: engine.ownModuleName(plugin.id), source: code.source });
  return {
    plugin,
    files: [
      [plugin.entry, code.source],
      [engine.compiledPathOf(plugin.entry), compiled],
    ],
  };
}

/** Writes `plugins/index.json` and one guest module for each plugin that has code, as text and as bytecode, into `out`. */
export async function bundlePlugins(esbuild, { root, out, engine }) {
  const from = join(root, "plugins");
  const folders = readdirSync(from)
    .sort()
    .map((name) => join(from, name))
    .filter((folder) => existsSync(join(folder, "manifest.kdl")));
  const compiler = await loadCompiler(esbuild, root, out);
  const compiled = await Promise.all(folders.map((folder) => compileOne({ esbuild, root, engine, compiler }, folder)));
  const to = join(out, "plugins");
  mkdirSync(to, { recursive: true });
  for (const [name, content] of compiled.flatMap(({ files }) => files)) writeFileSync(join(to, name), content);
  const index = { sdk: compiler.SDK_VERSION, plugins: compiled.map(({ plugin }) => plugin) };
  writeFileSync(join(to, "index.json"), JSON.stringify(index));
}
