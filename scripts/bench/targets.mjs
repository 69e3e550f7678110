/**
 * What is measured and what it may cost. Every target is a function of the medians of one interleaved run, because a
 * shared machine is fast or slow as a whole: times are judged against the floors measured beside them.
 */
const ROUNDS = 20;
const TOKENS = 20_000;

/** `[name, unit, value, limit]`; a value is undefined when this machine or run could not measure it. */
export function judge(medians) {
  const at = (path) => path.split(".").reduce((value, key) => value?.[key], medians);
  const over = (a, b) => (a === undefined || b === undefined ? undefined : a / b);
  const minus = (a, b) => (a === undefined || b === undefined ? undefined : a - b);
  const perRound = (key) => over(minus(at(`rounds.${key}`), at(`answer.${key}`)), ROUNDS);
  return [
    ["--version, times `node -e 0`", "x", over(at("version.smith.wallMs"), at("version.node.wallMs")), 1.6],
    ["--help, times `node -e 0`", "x", over(at("help.smith.wallMs"), at("help.node.wallMs")), 1.7],
    ["eval, one answer, times a bare client", "x", over(at("answer.smith.wallMs"), at("answer.floor.wallMs")), 2.5],
    ["eval, one answer, peak memory", "MB", at("answer.smith.peakMb"), 65],
    ["eval, a tool round, CPU", "ms", perRound("smith.cpuMs"), 4],
    ["eval, a tool round, wall over the bare client", "ms", minus(perRound("smith.wallMs"), perRound("floor.wallMs")), 12],
    ["eval, a streamed token, CPU", "us", over(minus(at("stream.smith.cpuMs"), at("answer.smith.cpuMs")), TOKENS / 1000), 9],
    ["eval, 20,000 tokens, peak memory", "MB", at("stream.smith.peakMb"), 80],
    ["first frame, times a raw frame", "x", over(at("start.smith.frameMs"), at("start.floor.frameMs")), 1.8],
    ["first key visible", "ms", at("start.smith.keyMs"), 180],
    ["idle interface, memory", "MB", at("idle.smith.idleMb"), 110],
    ["idle interface, bytes written", "B", at("idle.smith.idleBytes"), 0],
    ["first request with the default tools", "KB", over(at("request.smith.bytes"), 1024), 8],
    ["encode 1,000 entries (best of 20)", "ms", at("encode.smith.bestMs"), 5],
  ];
}

export const prompts = { answer: "hello", rounds: `go [[rounds=${ROUNDS}]]`, stream: `go [[tokens=${TOKENS}]]` };
export const samples = ROUNDS;
