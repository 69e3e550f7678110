/** What the store's figures are judged by, and how they are shown. */

const over = (a, b) => (a === undefined || b === undefined ? undefined : a / b);

/** `[what, unit, value, limit, isAtLeast]`; a value is undefined when this run did not measure it. */
export function judgeStore(medians, sizes) {
  const at = (name, subject, key) => medians[name]?.[subject]?.[key];
  const open = (key) => over(at("open", sizes.big, key), at("open", sizes.small, key));
  return [
    ["encode 1,000 entries (best of 20)", "ms", at("encode", "smith", "bestMs"), 5],
    ["append and acknowledge, times a bare append and fdatasync", "x", over(at("append", "smith", "ms"), at("append", "bare", "ms")), 1.3],
    ["the same, fastest against fastest", "x", over(at("append", "smith", "minMs"), at("append", "bare", "minMs")), 1.3],
    ["open the big session, times the small one", "x", open("ms"), 1.3],
    ["its memory, times the small one's", "x", open("peakMb"), 1.3],
    ["list 1,000 sessions, headers", "ms", at("list", "smith, header", "ms"), 100],
    ["list 1,000 sessions, summaries", "ms", at("list", "smith, summary", "ms"), 250],
    ["grep, a literal, uncompressed payload", "MB/s", at("grep, literal", "smith", "mbPerS"), 300, true],
    ["grep, a regular expression", "MB/s", at("grep, regex", "smith", "mbPerS"), 300, true],
  ];
}

const show = (value) => (value === undefined ? "-" : value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2));

const UNITS = {
  ms: "ms",
  cpuMs: "ms CPU",
  readMb: "MB read",
  peakMb: "MB peak",
  mbPerS: "MB/s",
  minMs: "ms at least",
  p50Ms: "ms p50",
  p95Ms: "ms p95",
  bestMs: "ms",
  lines: "lines",
};

export function printStore({ machine, medians, verdicts, sqlite }) {
  console.log(`${machine}\n`);
  if (sqlite.folder === undefined) console.log(`SQLite is missing: better-sqlite3 could not be installed (${sqlite.why}).\n`);
  console.log("| what | subject | measured |\n| --- | --- | --- |");
  for (const [name, subjects] of Object.entries(medians))
    for (const [subject, values] of Object.entries(subjects)) {
      const shown = Object.entries(values).flatMap(([key, value]) => (UNITS[key] === undefined ? [] : [`${show(value)} ${UNITS[key]}`]));
      console.log(`| ${name} | ${subject} | ${shown.join(", ")} |`);
    }
  console.log("\n| target | measured | limit |\n| --- | --- | --- |");
  for (const [what, unit, value, limit, isAtLeast] of verdicts) {
    if (value === undefined) continue;
    const isMissed = isAtLeast ? value < limit : value > limit;
    console.log(`| ${what} | ${show(value)} ${unit}${isMissed ? " (missed)" : ""} | ${isAtLeast ? ">=" : "<="} ${limit} ${unit} |`);
  }
}
