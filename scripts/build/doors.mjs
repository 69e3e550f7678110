/**
 * Imports through a folder's door (`index.ts`) go to the file that has the name. A door brings in its whole folder, and so would every
 * chunk that imports one; by their nature doors hold re-exports alone, so nothing is lost.
 */
import { readFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";

/** An import or re-export of names, not of types alone. */
const FROM = /^(import|export) \{([^}]*)\} from "(\.[^"]*)";/gmu;

/** `a`, `a as b`; types are nothing at run time. */
const namesIn = (list) =>
  list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => {
      const [from, to = from] = name.split(/ as /u);
      return { from, to };
    });

const isDoor = (path) => path.endsWith("/index.ts");
const sourceOf = (path, specifier) => resolve(dirname(path), specifier).replace(/\.js$/u, ".ts");

function createDoors() {
  const known = new Map();
  /** Name that a door shows to the file behind it and its name there. */
  const shownBy = (door) => {
    const found = known.get(door) ?? readFile(door, "utf8").then((text) => readDoor(door, text));
    known.set(door, found);
    return found;
  };
  async function readDoor(door, text) {
    const shown = new Map();
    for (const [, keyword, list, specifier] of text.matchAll(FROM))
      if (keyword === "export") for (const { from, to } of namesIn(list)) shown.set(to, { path: sourceOf(door, specifier), name: from });
    return shown;
  }
  /** Where a name of a file is made, through any number of doors. */
  return async function origin(path, name) {
    const shown = isDoor(path) ? (await shownBy(path)).get(name) : undefined;
    return shown === undefined ? { path, name } : await origin(shown.path, shown.name);
  };
}

async function direct(origin, path, text) {
  let out = "";
  let end = 0;
  for (const match of text.matchAll(FROM)) {
    const [all, keyword, list, specifier] = match;
    const target = sourceOf(path, specifier);
    if (!isDoor(target)) continue;
    const lines = await Promise.all(
      namesIn(list).map(async ({ from, to }) => {
        const { path: made, name } = await origin(target, from);
        const place = relative(dirname(path), made).replace(/\.ts$/u, ".js");
        return `${keyword} { ${name} as ${to} } from "${place.startsWith(".") ? place : `./${place}`}";`;
      }),
    );
    out += text.slice(end, match.index) + lines.join(" ");
    end = match.index + all.length;
  }
  return out + text.slice(end);
}

/** @param root folder of the project: packages may have a folder `src` too. */
export function pastDoors(root) {
  const sources = join(root, "src") + sep;
  return {
    name: "past-doors",
    setup(build) {
      const origin = createDoors();
      build.onLoad({ filter: /\/src\/.*\.tsx?$/ }, async ({ path }) => {
        if (!path.startsWith(sources)) return undefined;
        return { contents: await direct(origin, path, await readFile(path, "utf8")), loader: path.endsWith("x") ? "tsx" : "ts" };
      });
    },
  };
}
