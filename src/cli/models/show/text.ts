import { redactUrl } from "../../../base/index.js";
import type { FactRow, ModelEntry } from "../../../runtime/index.js";
import type { Tint } from "../../output/colour.js";
import { shortPath } from "../../output/path.js";
import { visibleLine } from "../../output/visible.js";
import { nameOf, type Target } from "../desk.js";
import { FACT_NAMES, sayerWords, UNKNOWN, valueWords } from "../fact-words.js";
import type { Shown, ShownTarget } from "./types.js";

export interface Line {
  readonly text: string;
  readonly tint?: Tint;
}

/** For people: what it means, then each model with its place and its facts. */
export function linesOf({ selection, why, targets }: Shown, home: string | undefined): readonly Line[] {
  const names = targets.map(({ target, entry }) => nameOf(target?.ref ?? entry?.ref ?? { provider: "", model: "" }));
  const chosen = selection ?? "nothing chosen";
  const meaning = names.length === 1 && names[0] === selection ? [] : [{ text: `${chosen} → ${names.join(", then ")}` }];
  const reason = why === undefined ? [] : [{ text: why, tint: "dim" as const }];
  const head = [...meaning, ...reason];
  return [
    ...head,
    ...targets.flatMap((target, index) => [...(index === 0 && head.length === 0 ? [] : [{ text: "" }]), ...targetLines(target, home)]),
  ].map(({ text, ...rest }) => ({ text: visibleLine(text), ...rest }));
}

function targetLines({ target, entry, facts }: ShownTarget, home: string | undefined): readonly Line[] {
  return [
    titleLine(target, entry),
    ...pairs([...(target === undefined ? [] : placeOf(target)), ...(entry === undefined ? [] : namesOf(entry))]),
    ...(facts === undefined ? [] : factLines(facts, home)),
  ];
}

function titleLine(target: Target | undefined, entry: ModelEntry | undefined): Line {
  if (entry === undefined)
    return { text: `the first model that ${target === undefined ? "its server" : nameOf(target.ref)} lists`, tint: "bold" };
  const { title, released } = entry;
  const words = [nameOf(entry.ref), ...(title === undefined ? [] : [title]), ...(released === undefined ? [] : [`released ${released}`])];
  return { text: words.join(", "), tint: "bold" };
}

type Pair = readonly [name: string, value: string];

function placeOf({ endpoint, routing, thinking, needsModel }: Target): readonly Pair[] {
  const { connection, credential, via } = routing;
  return [
    ["connection", connection],
    ...(endpoint.baseUrl === "" ? [] : [["base URL", redactUrl(endpoint.baseUrl)] as const]),
    ["key", credential ?? "none is sent"],
    ...(endpoint.headers === undefined ? [] : [["headers", Object.keys(endpoint.headers).join(", ")] as const]),
    ["thinking", thinking === undefined ? "nothing is said about it" : needsModel ? `${thinking}, where the model has it` : thinking],
    ...(via === undefined ? [] : [["through", via.join(", ")] as const]),
  ];
}

function namesOf({ also = [], known, listedBy = [] }: ModelEntry): readonly Pair[] {
  return [
    ...(also.length === 0 ? [] : [["also called", also.join(", ")] as const]),
    ...(listedBy.length === 0 ? [] : [["listed by", listedBy.join(", ")] as const]),
    ...(known === "family" ? [["known as", "another edition of a model of the catalog"] as const] : []),
    ...(known === "unknown"
      ? [["known", "nothing: no limit and no price is assumed, no image is sent, no thinking is asked for"] as const]
      : []),
  ];
}

function pairs(given: readonly Pair[]): readonly Line[] {
  const width = Math.max(...given.map(([name]) => name.length));
  return given.map(([name, value]) => ({ text: `  ${name.padEnd(width)}  ${value}` }));
}

/** Every fact with who says so; below it who says otherwise; in the end what nobody says. */
function factLines(facts: readonly FactRow[], home: string | undefined): readonly Line[] {
  if (facts.length === 0) return [];
  const rows = facts.flatMap((row) => [
    [FACT_NAMES[row.fact], valueWords(row.fact, row.value), ...sayer(row, home)],
    ...row.conflicts.map((claim) => ["", `not ${valueWords(row.fact, claim.value)}`, ...sayer(claim, home)]),
  ]);
  const header = ["FACT", "VALUE", "SAYS", "DATE", "WHERE"];
  const widths = header.map((title, index) => Math.max(title.length, ...rows.map((cells) => (cells[index] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    `  ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")}`.trimEnd();
  const known = new Set(facts.map(({ fact }) => fact));
  const missing = (Object.keys(FACT_NAMES) as readonly FactRow["fact"][]).filter((fact) => fact !== "hints" && !known.has(fact));
  return [
    { text: line(header), tint: "dim" },
    ...rows.map((cells) => ({ text: line(cells), ...(cells[0] === "" ? { tint: "dim" as const } : {}) })),
    ...(missing.length === 0 ? [] : [{ text: `  not known: ${missing.map((fact) => FACT_NAMES[fact]).join(", ")}`, tint: "dim" as const }]),
  ];
}

const sayer = ({ by, source, date }: Pick<FactRow, "by" | "source" | "date">, home: string | undefined): readonly string[] => [
  sayerWords(by),
  date?.slice(0, 10) ?? UNKNOWN,
  shortPath(source, home),
];
