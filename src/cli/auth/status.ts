import type { ExitStatus } from "../../schema/index.js";
import { put } from "../output/answers.js";
import { localMinute } from "../output/time.js";
import { clipColumns, jsonLine, visibleLine } from "../output/visible.js";
import { type AuthDesk, placeType, placeWords, usedPlace } from "./administration.js";
import type { StatusInvocation } from "./invocation.js";
import type { AuthAccount, AuthPlace } from "../../runtime/index.js";

/** Every account as JSON or as a table. Sends nothing, runs nothing. */
export async function showStatus({ context, admin }: AuthDesk, { json }: StatusInvocation): Promise<ExitStatus> {
  const { accounts, problems } = await admin.overview();
  for (const problem of problems) context.errors.diagnostic(problem);
  if (json) {
    for (const account of accounts) if (!(await put(context, jsonLine(recordOf(account))))) break;
    return 0;
  }
  const now = context.host.clock.now();
  const { paint, host } = context;
  const width = host.stdout.isTerminal ? host.stdout.columns : undefined;
  const rows = accounts.map((account) => ({ cells: cellsOf(account, now), below: linesBelow(account) }));
  const widths = HEADER.map((title, index) => Math.max(title.length, ...rows.map(({ cells }) => (cells[index] ?? "").length)));
  const clip = (line: string): string => (width === undefined ? line : clipColumns(line, width));
  const lineOf = (cells: readonly string[]): string =>
    clip(
      cells
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  const lines = rows.flatMap(({ cells, below }) => [lineOf(cells), ...below.map((line) => paint("dim", clip(`  ${line}`)))]);
  await put(context, [paint("dim", lineOf(HEADER)), ...lines].map((line) => `${line}\n`).join(""));
  return 0;
}

const HEADER = ["NAME", "STATE", "KEY FROM", "KEY", "GOOD UNTIL"] as const;

function stateOf(account: AuthAccount): "ready" | "unusable" | "not set" | "optional" {
  const used = usedPlace(account);
  if (used === undefined) return account.needsKey ? "not set" : "optional";
  return used.fault === undefined ? "ready" : "unusable";
}

function cellsOf(account: AuthAccount, nowMs: number): readonly string[] {
  const used = usedPlace(account);
  const cells = [
    account.name,
    stateOf(account),
    used === undefined ? "-" : placeWords(used.name),
    keyOf(used),
    used === undefined ? "-" : untilOf(used, nowMs),
  ];
  return cells.map(visibleLine);
}

function keyOf(place: AuthPlace | undefined): string {
  if (place === undefined) return "-";
  return place.masked ?? (placeType(place.name) === "command" ? "not run yet" : "set");
}

function untilOf({ expiresAt, isRenewable }: AuthPlace, nowMs: number): string {
  if (expiresAt === undefined) return "-";
  if (isRenewable === true) return `${localMinute(expiresAt)}, renewed then`;
  return expiresAt <= nowMs ? `ran out ${localMinute(expiresAt)}` : localMinute(expiresAt);
}

/** What is wrong with the one that is used, which others there are and why they are not, or where one could be. */
function linesBelow(account: AuthAccount): readonly string[] {
  const used = usedPlace(account);
  if (used === undefined) {
    const looked = account.places.map(({ name }) => placeWords(name)).join(", ");
    return account.needsKey && looked !== "" ? [visibleLine(`looked at: ${looked}`)] : [];
  }
  const others = account.places.filter((place) => place.isSet && place !== used);
  return [
    ...(used.fault === undefined ? [] : [`it cannot be sent: ${used.fault}`]),
    ...others.map(
      ({ name, masked }) =>
        `also set, not used: ${placeWords(name)}${masked === undefined ? "" : ` ${masked}`}; ${placeWords(used.name)} comes first`,
    ),
  ].map(visibleLine);
}

/** One record a line; everything of a place but its value. */
function recordOf(account: AuthAccount): object {
  const used = usedPlace(account);
  return {
    name: account.name,
    provider: account.provider,
    title: account.title,
    state: stateOf(account).replaceAll(" ", "-"),
    login: account.login,
    ...(used === undefined ? {} : { used: used.name }),
    places: account.places.map((place) => ({
      name: place.name,
      type: placeType(place.name),
      set: place.isSet,
      used: place === used,
      ...(place.kind === undefined ? {} : { kind: place.kind }),
      ...(place.masked === undefined ? {} : { masked: place.masked }),
      ...(place.fault === undefined ? {} : { fault: place.fault }),
      ...(place.expiresAt === undefined ? {} : { expiresAt: place.expiresAt }),
      ...(place.isRenewable === undefined ? {} : { renewable: place.isRenewable }),
    })),
  };
}
