import type { Action, Command, CommandContext, TextRole } from "smith-agent/plugin";
import { type Remembered, type RuleSet, ruleSet, type SourcedRule } from "./decide.js";
import { type Keeping, readList, STATES, store, withoutRules, withRules } from "./remembered.js";
import { parseRule } from "./rule.js";

const USAGE =
  "Write /permissions, or /permissions allow RULE, deny RULE or forget RULE. A rule is tool or tool(pattern), such as shell(git push *).";

/** `/permissions` shows the rules in force; with a word and a rule it changes those remembered for the project. */
export const permissions: Command = async (args, context) => {
  const [, word = "", rest = ""] = /^(\S*)\s*([^]*)$/u.exec(args) ?? [];
  const lists = await remembered(context);
  switch (word) {
    case "":
      return listing(ruleSet(context.config, lists)).map((text) => say(text));
    case "allow":
    case "deny":
      return change(word, rest, lists);
    case "forget":
      return forget(rest, lists);
    default:
      return [say(`"${shown(word)}" is not something to do with rules. ${USAGE}`, "error")];
  }
};

type Lists = { readonly [Where in Keeping]: readonly Remembered[] };

const remembered = async ({ state }: CommandContext): Promise<Lists> => ({
  project: readList(await state.get(STATES.project.key)),
  session: readList(await state.get(STATES.session.key)),
});

const say = (text: string, role?: TextRole): Action => ({ type: "notify", text, ...(role === undefined ? {} : { role }) });

/** What was typed, in a sentence. */
const shown = (text: string): string => text.trim().slice(0, 200);

/** Of two contrary rules of one text the new one is kept, wherever the old one was. */
function change(verdict: Remembered["verdict"], text: string, { project, session }: Lists): readonly Action[] {
  const rule = parseRule(text);
  if (rule === undefined) return [say(`${text.trim() === "" ? "There is no rule" : `"${shown(text)}" is no rule`}. ${USAGE}`, "error")];
  return [
    store("project", withRules(project, verdict, [rule.text])),
    ...(session.some((one) => one.rule === rule.text) ? [store("session", withoutRules(session, [rule.text]))] : []),
    say(`${verdict === "allow" ? "Allowed" : "Denied"} in this project: ${rule.text}`, "success"),
  ];
}

function forget(text: string, lists: Lists): readonly Action[] {
  const rule = text.trim();
  const places = (["project", "session"] as const).filter((where) => lists[where].some((one) => one.rule === rule));
  if (places.length === 0)
    return [
      say(
        `No remembered rule is "${shown(rule)}". Rules of the configuration are changed there; /permissions lists all with where they are from.`,
        "error",
      ),
    ];
  return [...places.map((where) => store(where, withoutRules(lists[where], [rule]))), say(`Forgotten: ${rule}`, "success")];
}

/** UTF-16 units of one notice, with room to spare; a longer list is several of them. */
const MAX_NOTICE = 4_000;
/** More rules than fit are not read by anybody; the configuration has them. */
const MAX_PAGES = 60;

function listing({ deny, ask, allow, unreadable }: RuleSet): readonly string[] {
  const lines = (verdict: string, rules: readonly SourcedRule[]): readonly string[] =>
    rules.map(({ rule, from }) => `${verdict} ${rule.text}  (${from})`);
  const all = [
    ...unreadable.map(({ option, text }) => `unreadable ${JSON.stringify(text.slice(0, 80))}  (${option})`),
    ...lines("deny ", deny),
    ...lines("ask  ", ask),
    ...lines("allow", allow),
  ];
  if (all.length === 0) return [`No rules: the access mode alone decides. ${USAGE}`];
  const pages = ["Rules in force, the strictest first:"];
  for (const line of all) {
    const page = `${pages.at(-1) ?? ""}\n${line}`;
    if (page.length <= MAX_NOTICE) pages[pages.length - 1] = page;
    else pages.push(line);
  }
  return pages.slice(0, MAX_PAGES);
}
