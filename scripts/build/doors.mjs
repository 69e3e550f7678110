/**
 * Imports through a folder's door (`index.ts`) go to the file that has the name. A door brings in its whole folder, and so would every
 * chunk that imports one; by their nature doors hold re-exports alone, so nothing is lost.
 */
import { readFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { namesIn } from "./node-modules.mjs";

/** An import or re-export of names, not of types alone. */
const FROM = /^(import|export) \{([^}]*)\} from "(\.[^"]*)";/gmu;

const isDoor = (path) => path.endsWith("/index.ts");
const sourceOf = (path, specifier) => resolve(dirname(path), specifier).replace(/\.js$/u, ".ts");

/** A function from a source and its text to the text without doors. */
export function createDoors() {
  const known = new Map();
  /** Name that a door shows to the file behind it and its name there. */
  const shownBy = (door) => {
    const found = known.get(door) ?? readFile(door, "utf8").then((text) => readDoor(door, text));
    known.set(door, found);
    return found;
  };
  /** Where a name of a file is made, through any number of doors. */
  const origin = async (path, name) => {
    const shown = isDoor(path) ? (await shownBy(path)).get(name) : undefined;
    return shown === undefined ? { path, name } : await origin(shown.path, shown.name);
  };
  return async (path, text) => await direct(origin, path, text);
}

function readDoor(door, text) {
  const shown = new Map();
  for (const [, keyword, list, specifier] of text.matchAll(FROM))
    if (keyword === "export") for (const { from, to } of namesIn(list)) shown.set(to, { path: sourceOf(door, specifier), name: from });
  return shown;
}

async function direct(origin, path, text) {
  let out = "";
  let end = 0;
  for (const match of text.matchAll(FROM)) {
    const [all, keyword, list, specifier] = match;
    const target = sourceOf(path, specifier);
    if (!isDoor(target)) continue;
    const imports = await Promise.all(
      namesIn(list).map(async ({ from, to }) => {
        const { path: made, name } = await origin(target, from);
        const place = relative(dirname(path), made).replace(/\.ts$/u, ".js");
        return `${keyword} { ${name} as ${to} } from "${place.startsWith(".") ? place : `./${place}`}";`;
      }),
    );
    out += text.slice(end, match.index) + imports.join(" ") + "\n".repeat(all.split("\n").length - 1);
    end = match.index + all.length;
  }
  return out + text.slice(end);
}
