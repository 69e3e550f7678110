/**
 * Knows whether dist was made from today's sources. First by size and mtime of every input (a few ms), then, when a
 * checkout merely touched files, by content.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const INPUTS = ["bin", "src", "plugins", "scripts/build", "scripts/build.mjs", "package.json", "package-lock.json"];
const STAMP = ".build.json";

/** Every input file, relative to `root`, sorted. */
function inputs(root) {
  const files = [];
  const walk = (path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (!stat.isDirectory()) files.push({ name: relative(root, path), mark: `${stat.size}:${stat.mtimeMs}` });
    else for (const name of readdirSync(path).sort()) walk(join(path, name));
  };
  for (const input of INPUTS) walk(join(root, input));
  return files;
}

const marksOf = (files) => files.map((file) => `${file.name} ${file.mark}`).join("\n");

function contentOf(root, files) {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${file.name}\0`)
      .update(readFileSync(join(root, file.name)))
      .update("\0");
  return hash.digest("hex");
}

/** Taken before the build reads anything, so that an edit during the build leaves dist stale. */
export function takeStamp(root) {
  const files = inputs(root);
  return { marks: marksOf(files), content: contentOf(root, files) };
}

export function writeStamp(dist, stamp) {
  writeFileSync(join(dist, STAMP), JSON.stringify(stamp));
}

/** True when `dist` was built from the inputs as they are now. */
export function isFresh(root, dist) {
  let stamp;
  try {
    stamp = JSON.parse(readFileSync(join(dist, STAMP), "utf8"));
  } catch {
    return false;
  }
  const files = inputs(root);
  const marks = marksOf(files);
  if (stamp.marks === marks) return true;
  if (stamp.content !== contentOf(root, files)) return false;
  writeStamp(dist, { ...stamp, marks });
  return true;
}
