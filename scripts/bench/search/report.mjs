/** What searches are judged by, and how they are shown. */

const COLUMNS = ["fresh", "warm", "rg", "git", "find"];

/** `[case, column, times ripgrep at most]` */
const TARGETS = [
  ["literal", "warm", 2],
  ["literal", "fresh", 3],
  ["nowhere", "warm", 2],
  ["find", "warm", 3],
];

/** `isMet` is undefined where ripgrep was not there to compare with. */
export const judgeSearch = (medians) =>
  TARGETS.map(([name, column, limit]) => {
    const { rg, [column]: own } = medians[name];
    const ratio = rg === undefined ? undefined : own / rg;
    return { name, column, limit, ratio, isMet: ratio === undefined ? undefined : ratio <= limit };
  });

const ms = (value) => (value === undefined ? "-" : `${value.toFixed(0)} ms`);
const times = (value, base) => (value === undefined || base === undefined ? "" : ` (${(value / base).toFixed(2)}x)`);

export function printSearch({ machine, medians, verdicts, absent }) {
  console.log(`${machine}\n`);
  console.log("| what | fresh process | warm | ripgrep | git ls-files | find |\n| --- | --- | --- | --- | --- | --- |");
  for (const [name, row] of Object.entries(medians)) {
    const cells = COLUMNS.map((column) => `${ms(row[column])}${column === "fresh" || column === "warm" ? times(row[column], row.rg) : ""}`);
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
  console.log("\n| target, times ripgrep | measured | limit |\n| --- | --- | --- |");
  for (const { name, column, limit, ratio, isMet } of verdicts) {
    const measured = ratio === undefined ? "not judged: no ripgrep" : `${ratio.toFixed(2)}x${isMet ? "" : " (missed)"}`;
    console.log(`| ${name}, ${column} | ${measured} | <= ${limit}x |`);
  }
  if (absent.length > 0) console.log(`\nNot here to compare with: ${absent.join(", ")}. RG=path names ripgrep.`);
}
