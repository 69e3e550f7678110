import { plural } from "../../base/index.js";
import { sanitizeLine } from "../text/index.js";
import type { PageLine, ProjectBehaviour, ProjectState } from "./types.js";

/** Every file that has a say, with what it would do. */
export function projectLines({ behaviour, state }: ProjectState): readonly PageLine[] {
  if (behaviour === undefined) return [{ text: "Nothing in this project needs to be trusted." }];
  const { root, items, refused } = behaviour;
  const why: PageLine = {
    text:
      state === "changed" ? "It changed since you trusted it. It would now do this by itself:" : "Once trusted, it does this by itself:",
  };
  return [
    { text: sanitizeLine(root), style: "muted" },
    { text: "" },
    ...(refused === undefined ? [why] : [{ text: sanitizeLine(refused), style: "warning" } as const]),
    ...items.flatMap(({ path, what }): readonly PageLine[] => [
      { text: "" },
      { text: sanitizeLine(path), style: "strong" },
      { text: sanitizeLine(what), indent: 2 },
    ]),
    { text: "" },
    {
      text: "If you do not know who wrote this, do not trust it. Without trust its files are read as text and nothing of them runs.",
      style: "muted",
    },
  ];
}

const KINDS: readonly (readonly [prefix: string, count: (items: number) => string])[] = [
  [".smith/plugins/", (count) => plural(count, "plugin")],
  [".smith/config.kdl", () => "settings"],
  [".mcp.json", () => "servers"],
  [".smith/skills/", (count) => plural(count, "skill")],
  [".smith/prompts/", (count) => plural(count, "prompt")],
];

/** What is not used until the project is trusted, in fewer and fewer words; none when there is nothing to decide. */
export function projectWords({ behaviour, state }: ProjectState): readonly string[] {
  if (behaviour === undefined || (state !== "untrusted" && state !== "changed")) return [];
  const what = contents(behaviour);
  const since = state === "changed" ? "changed: " : "";
  const are = isOne(behaviour) ? "is" : "are";
  return [
    `${since}this project has ${what} that ${are} not used until you trust it: /trust`,
    `${since}${what} of this project ${are} not used until you trust it: /trust`,
    `${since}not used until you trust it: ${what} · /trust`,
    `${since}project not trusted: /trust`,
    "not trusted: /trust",
  ];
}

const isOne = ({ items: [first, ...others] }: ProjectBehaviour): boolean =>
  others.length === 0 && first !== undefined && /^\.smith\/(?:plugins|skills|prompts)\//u.test(first.path);

function contents({ items }: ProjectBehaviour): string {
  const words = KINDS.flatMap(([prefix, words]) => {
    const count = items.filter(({ path }) => path.startsWith(prefix)).length;
    return count === 0 ? [] : [words(count)];
  });
  if (words.length === 0) return "files";
  const last = words.at(-1) ?? "";
  return words.length === 1 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}
