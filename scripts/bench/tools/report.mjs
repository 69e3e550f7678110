/** What is measured of tools, and what it may cost. */
export const ROUNDS = 20;
export const LARGE_MB = 50;

/** Each a function of the medians of one interleaved run. */
export function judgeTools(medians) {
  const { answer, read, shell, edit } = medians;
  const perRound = (one, without) => (one.wallMs - without.wallMs) / ROUNDS;
  const mcp = { rounds: medians["mcp rounds"], answer: medians["mcp answer"], list: medians["mcp list"] };
  const served = medians["served list"];
  return [
    { what: "a round that reads a file, over an answer", value: perRound(read.smith, answer.smith), unit: "ms", limit: 12 },
    { what: "a round that runs a command, over one that reads", value: perRound(shell.smith, read.smith), unit: "ms", limit: 8 },
    {
      what: "a round that asks a server, over one that reads and what its own client takes",
      value:
        perRound(mcp.rounds.smith, mcp.answer.smith) - perRound(read.smith, answer.smith) - perRound(mcp.rounds.floor, mcp.answer.floor),
      unit: "ms",
      limit: 4,
    },
    {
      what: `an edit of ${LARGE_MB} MB, over an answer, times the bare edit`,
      value: (edit.smith.wallMs - answer.smith.wallMs) / edit.floor.wallMs,
      unit: "x",
      limit: 3,
    },
    { what: `an edit of ${LARGE_MB} MB, most memory`, value: edit.smith.peakMb, unit: "MB", limit: 400 },
    { what: "first list of a server, times its own client", value: mcp.list.smith.wallMs / mcp.list.floor.wallMs, unit: "x", limit: 1.3 },
    {
      what: "first list of smith mcp, times that of server-everything",
      value: served.smith.wallMs / served.floor.wallMs,
      unit: "x",
      limit: 1.5,
    },
  ];
}
