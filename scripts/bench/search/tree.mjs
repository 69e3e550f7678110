/** A tree of small source files, the same for the same count: nested folders, rules of git in three places, ignored files, some large files. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const WORDS =
  "the quick brown fox jumps over lazy dog import export const function return value result error path file name index type string number".split(
    " ",
  );
const ENDS = ["ts", "js", "json", "md", "py", "rs", "css", "txt"];
const FILES_IN_FOLDER = 40;
const RARE_EVERY = 1000;
const LARGE_EVERY = 20_000;

/** The one text that is rarely there; each such file holds it once. */
export const rareWord = "needle_word";

function createRandom(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
}

function textOf(index, random) {
  const lines = index % LARGE_EVERY === 3 ? 40_000 : 5 + random(1 + random(120));
  const rows = Array.from({ length: lines }, () => Array.from({ length: 3 + random(9) }, () => WORDS[random(WORDS.length)]).join(" "));
  if (index % RARE_EVERY === 7) rows[2] = `here is the ${rareWord} of it`;
  return `${rows.join("\n")}\n`;
}

/** Writes `count` files below `root`, and a tenth more that are ignored. */
export function growTree(root, count) {
  const random = createRandom(42);
  mkdirSync(join(root, ".git/objects"), { recursive: true });
  mkdirSync(join(root, ".git/refs"));
  writeFileSync(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(root, ".gitignore"), "node_modules/\n*.log\n/build\n!keep.log\n.cache\n");
  for (let index = 0, folder = 0; index < count; folder += 1) {
    const at = join(root, `p${folder % 40}`, `m${Math.floor(folder / 40) % 25}`, `d${folder}`);
    mkdirSync(at, { recursive: true });
    if (folder % 50 === 0) writeFileSync(join(at, ".gitignore"), "*.tmp\n/out/\n");
    const ignored = join(at, folder % 2 === 0 ? "node_modules" : ".cache");
    mkdirSync(ignored);
    for (let file = 0; file < FILES_IN_FOLDER / 10; file += 1) writeFileSync(join(ignored, `x${file}.ts`), `${rareWord}\n`);
    for (let file = 0; file < FILES_IN_FOLDER && index < count; file += 1, index += 1)
      writeFileSync(join(at, `f${index}.${ENDS[index % ENDS.length]}`), textOf(index, random));
  }
}
