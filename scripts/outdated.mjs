/** Reports newer releases of direct dependencies: those the declared ranges allow, and those that would break them. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { dependencies, devDependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const ranges = { ...dependencies, ...devDependencies };

// `npm outdated` exits 1 when something is outdated, and prints `{}` when nothing is.
const { stdout, error } = spawnSync("npm", ["outdated", "--json"], { cwd: root, encoding: "utf8" });
if (error) throw error;
const report = JSON.parse(stdout || "{}");
if (report.error) {
  console.error(`npm outdated failed: ${report.error.summary ?? report.error.code}`);
  process.exit(1);
}

const rows = Object.entries(report).map(([name, { current, wanted, latest }]) => ({
  name,
  range: ranges[name] ?? "",
  current,
  wanted,
  latest,
}));
const print = (title, list, to) => {
  console.log(`${title}: ${list.length}`);
  for (const row of list) console.log(`  ${row.name} ${row.current} -> ${row[to]} (declared ${row.range})`);
};
print(
  "Compatible: `npm update` takes these",
  rows.filter((row) => row.wanted !== row.current),
  "wanted",
);
print(
  "Breaking: the declared range must change",
  rows.filter((row) => row.latest !== row.wanted),
  "latest",
);
