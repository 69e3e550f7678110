import type { EventOf, JsonValue, NamedValues } from "smith-agent/plugin";
import { allowsPart, type Call, callOf, holdsFor, type Part, partsOf } from "./match.js";
import { isAbout, parseRule, type Rule } from "./rule.js";
import { suggestRule } from "./suggest.js";

/** A rule with where it is from, in words for people. */
export interface SourcedRule {
  readonly rule: Rule;
  readonly from: "permissions.allow" | "permissions.ask" | "permissions.deny" | "the project" | "this session";
}

/** All rules of a run by what they say, and what was found among the configured ones that is no rule. */
export interface RuleSet {
  readonly deny: readonly SourcedRule[];
  readonly ask: readonly SourcedRule[];
  readonly allow: readonly SourcedRule[];
  readonly unreadable: readonly { readonly option: string; readonly text: string }[];
}

/** A remembered answer, or a rule somebody gave by command. */
export interface Remembered {
  readonly verdict: "allow" | "deny";
  readonly rule: string;
}

export type Verdict =
  | { readonly type: "allow" }
  | { readonly type: "ask"; readonly why?: string; readonly rule?: string }
  | { readonly type: "deny"; readonly why: string };

type Options = "permissions.allow" | "permissions.ask" | "permissions.deny";

/** Rules from the options and the remembered lists. */
export function ruleSet(
  config: NamedValues,
  remembered: { readonly project: readonly Remembered[]; readonly session: readonly Remembered[] },
): RuleSet {
  const unreadable: { option: string; text: string }[] = [];
  const configured = (option: Options): readonly SourcedRule[] =>
    listed(config[option]).flatMap((text) => {
      const rule = parseRule(text);
      if (rule === undefined) unreadable.push({ option, text });
      return rule === undefined ? [] : [{ rule, from: option }];
    });
  const kept = (verdict: Remembered["verdict"]): readonly SourcedRule[] => [
    ...sourced(remembered.session, verdict, "this session"),
    ...sourced(remembered.project, verdict, "the project"),
  ];
  return {
    deny: [...configured("permissions.deny"), ...kept("deny")],
    ask: configured("permissions.ask"),
    allow: [...configured("permissions.allow"), ...kept("allow")],
    unreadable,
  };
}

const listed = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]).map((item) => (typeof item === "string" ? item : JSON.stringify(item))) : [];

const sourced = (list: readonly Remembered[], verdict: Remembered["verdict"], from: SourcedRule["from"]): readonly SourcedRule[] =>
  list.flatMap((one) => {
    const rule = one.verdict === verdict ? parseRule(one.rule) : undefined;
    return rule === undefined ? [] : [{ rule, from }];
  });

/**
 * What the rules say of a call: the first rule that denies, in every mode; then the first that asks; then, where writing is asked
 * about, whether everything the call is about is allowed. Undefined leaves it to the mode.
 */
export function decide(event: EventOf<"tool-proposed">, rules: RuleSet): Verdict | undefined {
  const call = callOf(event);
  const denying = rules.deny.find(({ rule }) => holdsFor(rule, call));
  if (denying !== undefined) return { type: "deny", why: denyWords(denying) };
  const broken = event.readOnly ? undefined : rules.unreadable.find(({ option }) => option !== "permissions.allow");
  if (broken?.option === "permissions.deny") return { type: "deny", why: brokenWords(broken) };
  const asking = rules.ask.find(({ rule }) => holdsFor(rule, call));
  if (asking !== undefined) return { type: "ask", why: joined(`${asking.from} has ${asking.rule.text}.`, linkWords(call)) ?? "" };
  if (broken !== undefined) return { type: "ask", why: brokenWords(broken) };
  if (event.readOnly ? event.mode === "auto" || !reachesOut(call) : event.mode !== "ask-writes") return undefined;
  return allowOrAsk(call, rules.allow);
}

/** An address can carry out what a conversation knows, so reading one is agreed to, host by host, in every mode that asks or refuses. */
const reachesOut = ({ subjects }: Call): boolean => subjects.urls.some((url) => /^https?:/iu.test(url));

function allowOrAsk(call: Call, allow: readonly SourcedRule[]): Verdict {
  const rules = allow.map(({ rule }) => rule).filter((rule) => isAbout(rule, call.tool));
  if (rules.some(({ pattern }) => pattern === undefined)) return { type: "allow" };
  const parts = partsOf(call);
  const left = parts?.filter((part) => !rules.some((rule) => allowsPart(rule, part, call)));
  if (left?.length === 0) return { type: "allow" };
  // A rule made of the name of a link would allow whatever the link leads to tomorrow.
  const isLinked = left?.some(({ text }) => call.links.has(text)) === true;
  const rule = left === undefined ? wholeTool(call) : isLinked ? undefined : suggestRule(call.tool, left, call.cwd);
  const why = joined(partialWords(parts ?? [], left ?? []), linkWords(call));
  return { type: "ask", ...(why === undefined ? {} : { why }), ...(rule === undefined ? {} : { rule }) };
}

/** A tool whose arguments name nothing a rule could speak of can only be allowed as a whole. A command line never is. */
const wholeTool = ({ tool, subjects }: Call): string | undefined => (subjects.commands.length > 0 ? undefined : tool);

const MAX_SHOWN = 3;

/** Which of several parts nothing allows yet. */
function partialWords(parts: readonly Part[], left: readonly Part[]): string | undefined {
  if (parts.length < 2 || left.length === parts.length) return undefined;
  const shown = left.slice(0, MAX_SHOWN).map(({ text }) => short(text));
  return `Not allowed yet: ${shown.join("; ")}${left.length > MAX_SHOWN ? ` and ${left.length - MAX_SHOWN} more` : ""}.`;
}

/** A person who agrees to a name has to know what it stands for. */
function linkWords({ links, subjects }: Call): string | undefined {
  const shown = subjects.paths.flatMap((path) => (links.has(path) ? [`${short(path)} leads to ${short(links.get(path) ?? "")}`] : []));
  return shown.length === 0
    ? undefined
    : `Through links ${shown.slice(0, MAX_SHOWN).join("; ")}${shown.length > MAX_SHOWN ? "; and more" : ""}.`;
}

const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

const joined = (...parts: readonly (string | undefined)[]): string | undefined => {
  const words = parts.filter((part) => part !== undefined);
  return words.length === 0 ? undefined : words.join(" ");
};

const denyWords = ({ rule, from }: SourcedRule): string =>
  `The rule ${rule.text} of ${from} denies this. Do not try to reach the same by other means: find a way that needs none of it, or tell the person what is denied and why it is needed.`;

const brokenWords = ({ option, text }: RuleSet["unreadable"][number]): string =>
  `${option} has an entry that is no rule: ${JSON.stringify(text.slice(0, 80))}. Until it is corrected nothing that changes something runs ${
    option === "permissions.deny" ? "at all" : "unasked"
  }. A rule is written tool or tool(pattern), such as shell(git push *).`;
