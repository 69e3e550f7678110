/** What the figures of the sandbox are judged by, and how they are shown. */

const PROVIDERS = ["openai-compatible", "anthropic", "openai", "google"];

const ofEach = (rowOf) => PROVIDERS.flatMap(rowOf);

const WHAT = {
  firstMs: ["first call, worker and engine included", "ms"],
  sinceStartMs: ["the same, from the start of the process", "ms"],
  furtherMs: ["first call of each further plugin in the shared thread", "ms"],
  ownCellMs: ["first call of a plugin with a thread of its own", "ms"],
  callMs: ["a call of a tool that does nothing", "ms"],
  handlerMs: ["a handler that wants nothing", "ms"],
  operationMs: ["a host operation, there and back", "ms"],
  outMs: ["a call that returns 1 MiB", "ms"],
  thereAndBackMs: ["a call that takes 1 MiB and returns it", "ms"],
  deltasPerS: ["provider decoding, batches of 50", "deltas/s"],
  ...Object.fromEntries(
    ofEach((id) => [
      [`${id} deltasPerS`, [`decoding of ${id}, batches of 50`, "deltas/s"]],
      [`${id} firstTextMs`, [`${id}: from the response's head to the first text`, "ms"]],
      [`${id} mainShare`, [`${id}: main thread at 300 deltas/s`, "%"]],
    ]),
  ),
  instanceMb: ["memory of an instance in the shared thread", "MB"],
  ownCellMb: ["memory of an instance with its thread", "MB"],
};

const TARGETS = [
  ["firstMs", 60],
  ["furtherMs", 5],
  ["callMs", 1],
  ["deltasPerS", 5_000, "atLeast"],
  ...ofEach((id) => [
    [`${id} deltasPerS`, 5_000, "atLeast"],
    [`${id} mainShare`, 5],
  ]),
];

export const judgePlugins = (medians) =>
  TARGETS.map(([key, limit, kind]) => ({
    key,
    limit,
    isAtLeast: kind === "atLeast",
    isMet: kind === "atLeast" ? medians[key] >= limit : medians[key] <= limit,
  }));

const show = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(3));

export function printPlugins({ machine, medians, verdicts }) {
  console.log(`${machine}\n`);
  console.log("| what | measured |\n| --- | --- |");
  for (const [key, [what, unit]] of Object.entries(WHAT)) console.log(`| ${what} | ${show(medians[key])} ${unit} |`);
  console.log("\n| target | measured | limit |\n| --- | --- | --- |");
  for (const { key, limit, isAtLeast, isMet } of verdicts) {
    const [what, unit] = WHAT[key];
    console.log(`| ${what} | ${show(medians[key])} ${unit}${isMet ? "" : " (missed)"} | ${isAtLeast ? ">=" : "<="} ${limit} ${unit} |`);
  }
}
