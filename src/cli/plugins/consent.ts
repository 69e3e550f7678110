import type { CommandContext } from "../context.js";
import { type Asker, canAsk } from "../output/asker.js";
import { visibleLine } from "../output/visible.js";
import { type Approval, type GrantLine, installedFrom, type InstallPlan } from "./records.js";

/** What a person is shown before they agree to a plugin, a line each. */
export function approvalLines(
  approval: Approval,
  from: Partial<Pick<InstallPlan, "source" | "integrity">>,
  home: string | undefined,
): readonly string[] {
  const { id, version, description, grants, added, replaces } = approval;
  const change = replaces === undefined ? "" : replaces.version === version ? " (again)" : ` (now ${replaces.version})`;
  return [
    visibleLine(`${id} ${version}${change}: ${description}`),
    ...fact("from", from.source === undefined ? [] : [installedFrom(from.source, home)]),
    ...fact("integrity", from.integrity === undefined ? [] : [from.integrity]),
    ...(grants.length === 0 ? fact("may", ["do nothing outside of itself"]) : ["  may", ...grantLines(grants, added)]),
    ...fact("tools", approval.tools),
    ...fact(
      "commands",
      approval.commands.map((name) => `/${name}`),
    ),
    ...fact("takes part in", [...new Set(approval.handlers)]),
  ];
}

const fact = (name: string, values: readonly string[]): readonly string[] =>
  values.length === 0 ? [] : [`  ${name.padEnd(14)}${visibleLine(values.join(", "))}`];

/** Grants in words, those that reach out of the session marked, and those that are new said to be. */
export const grantLines = (grants: readonly GrantLine[], added: readonly GrantLine[] = []): readonly string[] => {
  const isNew = ({ facility, words }: GrantLine): boolean => added.some((one) => one.facility === facility && one.words === words);
  const own = grants.map((grant) => `    ${grant.isStrong ? "!" : " "} ${visibleLine(grant.words)}${isNew(grant) ? " (new)" : ""}`);
  // What is new can be a part of what is named as a whole.
  const others = added.filter((grant) => !grants.some(({ facility, words }) => facility === grant.facility && words === grant.words));
  return [...own, ...others.map(({ isStrong, words }) => `    ${isStrong ? "!" : " "} new: ${visibleLine(words)}`)];
};

export interface Consent {
  /** What is agreed to, shown before the question; nothing is shown where the answer is given and read by a program. */
  readonly lines: readonly string[];
  readonly question: string;
}

/** Shows and asks, unless the answer was given with the command. */
export async function agrees(
  { errors }: Pick<CommandContext, "errors">,
  { asker, yes, json }: { readonly asker: Asker; readonly yes: boolean; readonly json: boolean },
  { lines, question }: Consent,
): Promise<boolean> {
  if (!yes || !json) for (const line of lines) errors.line(line);
  return yes || (await asker.agrees(`${question} Type y or yes to agree, anything else does not:`));
}

/** Whether an agreement can be had at all. */
export const canAgree = (context: Pick<CommandContext, "host" | "errors">, yes: boolean): boolean => yes || canAsk(context);
