import { type RenderNode, result, type ToolOutput } from "smith-agent/plugin";
import { isExpected } from "./expression.js";
import type { Installed, InstalledPackage } from "./installed.js";

export interface Judged extends InstalledPackage {
  readonly isExpected: boolean;
}

export interface Report {
  readonly packages: readonly Judged[];
  readonly unexpected: readonly Judged[];
  readonly isCut: boolean;
}

export function judge({ packages, isCut }: Installed, allow: readonly string[]): Report {
  const allowed = new Set(allow.map((name) => name.toLowerCase()));
  const judged = packages.map((one) => ({ ...one, isExpected: isExpected(one.license, allowed) }));
  return { packages: judged, unexpected: judged.filter((one) => !one.isExpected), isCut };
}

export interface Wanted {
  readonly show: "unexpected" | "all";
  readonly name?: string | undefined;
}

/** Rows of the text and of the table. A view holds 64 Ki characters, and nobody reads more. */
const MAX_ROWS = 300;

/** Words for the model, numbers for the activity line, a table for people. */
export function toolOutput(report: Report, { show, name = "" }: Wanted): ToolOutput {
  const wanted = (show === "all" ? report.packages : report.unexpected).filter((one) => one.name.includes(name));
  const rows = wanted.slice(0, MAX_ROWS);
  const notes = [
    ...(rows.length < wanted.length ? [`[${wanted.length - rows.length} more]`] : []),
    ...(report.isCut ? ["[not every package was looked at; licenses.packages says how many are]"] : []),
  ];
  const lines = rows.map((one) => `${one.name}@${one.version} ${licenseWords(one)}`);
  return result([countWords(report), ...lines, ...notes].join("\n"), {
    details: {
      data: { packages: report.packages.length, unexpected: report.unexpected.length },
      view: rows.length === 0 ? headline(report) : { type: "group", children: [headline(report), table(rows)] },
    },
  });
}

export const countWords = ({ packages, unexpected }: Report): string =>
  `${counted(packages.length, "package")}, ${unexpected.length === 0 ? "all" : counted(packages.length - unexpected.length, "of them", "of them")} with an expected license.`;

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export const licenseWords = ({ license }: InstalledPackage): string => (license === "" ? "declares no license" : license);

const headline = (report: Report): RenderNode => ({
  type: "text",
  spans: [{ text: countWords(report), role: report.unexpected.length === 0 ? "success" : "warning" }],
});

const table = (rows: readonly Judged[]): RenderNode => ({
  type: "table",
  columns: ["package", "version", "license", "expected"],
  rows: rows.map((one) => [one.name, one.version, licenseWords(one), one.isExpected ? "yes" : "no"]),
});

/** How often each license is there, the most frequent first. */
export function licenseCounts(packages: readonly InstalledPackage[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const one of packages) counts.set(licenseWords(one), (counts.get(licenseWords(one)) ?? 0) + 1);
  return [...counts].sort(([, left], [, right]) => right - left);
}
