import { targetName } from "../../../schema/index.js";
import type { FactRow, ModelEntry } from "../../../runtime/index.js";
import type { Tint } from "../../output/colour.js";
import { placeWords } from "../../auth/administration.js";
import { shortPath } from "../../output/path.js";
import { visibleLine } from "../../output/visible.js";
import { type Target, targetWords } from "../desk.js";
import { FACT_NAMES, sayerWords, valueWords } from "../fact-words.js";
import { shownUrl } from "./record.js";
import type { Shown, ShownTarget } from "./types.js";

export interface Line {
  readonly text: string;
  readonly tint?: Tint;
  /** What further lines begin with when it is wrapped. */
  readonly indent?: string;
}

/** For people: what it means, then each model with its place and its facts. */
export function linesOf({ selection, why, targets }: Shown, home: string | undefined): readonly Line[] {
  const names = targets.flatMap(({ target, entry }) =>
    target !== undefined ? [targetWords(target)] : entry === undefined ? [] : [targetName(entry.ref)],
  );
  const chosen = selection ?? "nothing chosen";
  const meaning = names.length === 1 && names[0] === selection ? [] : [{ text: `${chosen} → ${names.join(", then ")}` }];
  const reason = why === undefined ? [] : [{ text: why, tint: "dim" as const }];
  const head = [...meaning, ...reason];
  return [
    ...head,
    ...targets.flatMap((target, index) => [...(index === 0 && head.length === 0 ? [] : [{ text: "" }]), ...targetLines(target, home)]),
  ].map(({ text, ...rest }) => ({ text: visibleLine(text), ...rest }));
}

function targetLines({ target, entry, facts, lack }: ShownTarget, home: string | undefined): readonly Line[] {
  return [
    titleLine(target, entry),
    ...pairs([
      ...(lack === undefined ? [] : [["set up", `no: ${lack}`] as const]),
      ...(target === undefined ? [] : placeOf(target)),
      ...(entry === undefined ? [] : namesOf(entry, target?.endpoint.baseUrl === "")),
    ]),
    ...(facts === undefined ? [] : factLines(facts, home)),
  ];
}

function titleLine(target: Target | undefined, entry: ModelEntry | undefined): Line {
  if (entry === undefined) return { text: target === undefined ? "" : targetWords(target), tint: "bold" };
  const { title, released } = entry;
  const words = [
    target === undefined || target.needsModel ? targetName(entry.ref) : targetWords(target),
    ...(title === undefined ? [] : [title]),
    ...(released === undefined ? [] : [`released ${released}`]),
  ];
  return { text: words.join(", "), tint: "bold" };
}

type Pair = readonly [name: string, value: string];

function placeOf({ endpoint, routing, thinking, needsModel }: Target): readonly Pair[] {
  const { connection, credential, via } = routing;
  return [
    ["connection", connection],
    ...(endpoint.baseUrl === "" ? [] : [["base URL", shownUrl(endpoint.baseUrl)] as const]),
    ["key", credential === undefined ? "none is sent" : placeWords(credential)],
    ...(endpoint.headers === undefined ? [] : [["headers", Object.keys(endpoint.headers).join(", ")] as const]),
    ["thinking", thinking === undefined ? "nothing is said about it" : needsModel ? `${thinking}, where the model has it` : thinking],
    ...(via === undefined ? [] : [["through", via.join(", ")] as const]),
  ];
}

function namesOf({ also = [], known, listedBy = [] }: ModelEntry, isLocal: boolean): readonly Pair[] {
  return [
    ...(also.length === 0 ? [] : [["also called", also.join(", ")] as const]),
    ...(listedBy.length === 0 ? [] : [["listed by", listedBy.join(", ")] as const]),
    ...(known === "family" ? [["known as", "another edition of a model of the catalog"] as const] : []),
    ...(known === "unknown"
      ? [
          [
            "known",
            isLocal
              ? "it is built in, and no server is asked"
              : "nothing: no limit and no price is assumed, no image is sent, no thinking is asked for",
          ] as const,
        ]
      : []),
  ];
}

function pairs(given: readonly Pair[]): readonly Line[] {
  const width = Math.max(0, ...given.map(([name]) => name.length));
  const indent = " ".repeat(width + 4);
  return given.map(([name, value]) => ({ text: `  ${name.padEnd(width)}  ${value}`, indent }));
}

/** Who says something, once for all that they say. */
interface Sayer {
  readonly by: FactRow["by"];
  readonly source: string;
  readonly date?: string;
}

/** Every fact with who says so; below it who says otherwise; in the end what nobody says, and who they are. */
function factLines(facts: readonly FactRow[], home: string | undefined): readonly Line[] {
  if (facts.length === 0) return [];
  const sayers = [...new Map(facts.flatMap((row) => [row, ...row.conflicts]).map((said) => [keyOf(said), said])).values()];
  const saysOf = (said: Sayer): string => `${sayerWords(said.by)} [${String(sayers.findIndex((one) => keyOf(one) === keyOf(said)) + 1)}]`;
  const rows = facts.flatMap((row) => [
    [FACT_NAMES[row.fact], saysOf(row), valueWords(row.fact, row.value)],
    ...row.conflicts.map((claim) => ["", saysOf(claim), `not ${valueWords(row.fact, claim.value)}`]),
  ]);
  const header = ["FACT", "SAYS", "VALUE"];
  const widths = header.map((title, index) => Math.max(title.length, ...rows.map((cells) => (cells[index] ?? "").length)));
  const [first = 0, second = 0] = widths;
  const indent = " ".repeat(first + second + 6);
  const line = ([fact = "", says = "", value = ""]: readonly string[]): string =>
    `  ${fact.padEnd(first)}  ${says.padEnd(second)}  ${value}`;
  const known = new Set(facts.map(({ fact }) => fact));
  const missing = (Object.keys(FACT_NAMES) as readonly FactRow["fact"][]).filter((fact) => fact !== "hints" && !known.has(fact));
  return [
    { text: line(header), tint: "dim", indent },
    ...rows.map((cells) => ({ text: line(cells), indent, ...(cells[0] === "" ? { tint: "dim" as const } : {}) })),
    ...(missing.length === 0 ? [] : [dim(`  not known: ${missing.map((fact) => FACT_NAMES[fact]).join(", ")}`)]),
    ...sayers.map((said, index) => dim(`  [${String(index + 1)}] ${saidWhere(said, home)}`)),
  ];
}

const keyOf = ({ by, source, date }: Sayer): string => `${by} ${date ?? ""} ${source}`;

const dim = (text: string): Line => ({ text, tint: "dim", indent: "      " });

const saidWhere = ({ source, date }: Sayer, home: string | undefined): string =>
  `${date === undefined ? "" : `${date.slice(0, 10)}, `}${shortPath(source, home)}`;
