/** The session codec on its own, in a process of its own, bundled as the program bundles it. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";

export async function encodeEntries(root, dir) {
  const outfile = join(dir, "encode.mjs");
  await build({
    absWorkingDir: root,
    stdin: {
      contents: `import { encodeOnce } from "./scripts/bench/encode-entries.ts"; console.log(JSON.stringify(encodeOnce()));`,
      resolveDir: root,
    },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    minify: true,
    outfile,
    logLevel: "error",
  });
  return JSON.parse(execFileSync(process.execPath, [outfile], { encoding: "utf8", env: {} }));
}
