import { err, ok, type Result } from "../../base/index.js";
import type { AliasSetting, Diagnostic, GroupSetting, ThinkingLevel } from "../../schema/index.js";
import { ambiguousName, badMember, cyclic, emptyGroup, noneSetUp, type Step } from "./diagnostics.js";
import { memberLeftOut } from "./notes.js";
import { newestOf } from "./configured.js";
import { choose, type Choice, type Chosen, type Refusal, splitLevel } from "./select.js";
import type { RouteInput } from "./types.js";

/** One model of a selection, and the names that led to it. */
export interface Target extends Chosen {
  readonly via: readonly Step[];
  /** The level nearest to the person: that of the selection, else of an alias or member on the way. */
  readonly level?: ThinkingLevel;
}

export interface Expansion {
  readonly targets: readonly Target[];
  readonly notes: readonly Diagnostic[];
}

interface Way {
  readonly steps: readonly Step[];
  readonly level?: ThinkingLevel;
}

type Expanded = Result<Expansion, Refusal>;

/**
 * Follows aliases and groups until only models are left, each once, in order. Every name is followed once for a level: what it leads to
 * is the same a second time. A cycle and a member that means nothing fail the whole selection; a member that is not set up is left out.
 */
export function expandSelection(selection: string, choice: Choice, settings: RouteInput["settings"]): Expanded {
  return new Expander(choice, settings).expand(selection, { steps: [] });
}

class Expander {
  readonly #choice: Choice;
  readonly #aliases: ReadonlyMap<string, AliasSetting>;
  readonly #groups: ReadonlyMap<string, GroupSetting>;
  readonly #done = new Map<string, Expanded>();

  constructor(choice: Choice, { aliases, groups }: RouteInput["settings"]) {
    this.#choice = choice;
    this.#aliases = new Map(newestOf(aliases).map((alias) => [alias.name, alias]));
    this.#groups = new Map(newestOf(groups).map((group) => [group.name, group]));
  }

  expand(selection: string, way: Way): Expanded {
    const whole = selection.trim();
    const { text, level } = this.#isName(whole) ? { text: whole } : splitLevel(whole);
    const wished = way.level ?? level;
    const [alias, group] = [this.#aliases.get(text), this.#groups.get(text)];
    const next = (step: Step): Way => ({ steps: [...way.steps, step], ...(wished === undefined ? {} : { level: wished }) });
    if (alias !== undefined && group !== undefined) return refuse(ambiguousName(text, [alias.source, group.source]));
    if (alias !== undefined) return this.#follow(next({ type: "alias", name: text, source: alias.source }), (to) => this.#alias(alias, to));
    if (group !== undefined) return this.#follow(next({ type: "group", name: text, source: group.source }), (to) => this.#group(group, to));
    const chosen = choose(text, this.#choice);
    if (!chosen.ok) return chosen;
    return ok({ targets: [{ ...chosen.value, via: way.steps, ...(wished === undefined ? {} : { level: wished }) }], notes: [] });
  }

  #isName(text: string): boolean {
    return this.#aliases.has(text) || this.#groups.has(text);
  }

  #follow(way: Way, into: (way: Way) => Expanded): Expanded {
    const last = way.steps.at(-1);
    const first = way.steps.findIndex(({ name }) => name === last?.name);
    if (first < way.steps.length - 1) return refuse(cyclic(way.steps.slice(first, -1)));
    const key = `${last?.name ?? ""} ${way.level ?? ""}`;
    const done = this.#done.get(key);
    if (done !== undefined) return done.ok ? ok({ targets: [], notes: [] }) : done;
    const expanded = into(way);
    this.#done.set(key, expanded);
    return expanded;
  }

  #alias(alias: AliasSetting, way: Way): Expanded {
    const expanded = this.expand(alias.to, way);
    return expanded.ok ? expanded : err(placed(expanded.error, way, alias.to));
  }

  #group(group: GroupSetting, way: Way): Expanded {
    const step = way.steps.at(-1);
    const targets: Target[] = [];
    const notes: Diagnostic[] = [];
    const reasons: { readonly member: string; readonly cause: Diagnostic }[] = [];
    if (step === undefined || group.members.length === 0)
      return refuse(emptyGroup(step ?? { type: "group", name: group.name, source: group.source }));
    let isRepeated = false;
    for (const member of group.members) {
      const expanded = this.expand(member, way);
      if (expanded.ok) {
        isRepeated ||= expanded.value.targets.length === 0;
        targets.push(...expanded.value.targets);
        notes.push(...expanded.value.notes);
      } else if (expanded.error.isUnready) reasons.push({ member, cause: expanded.error.diagnostic });
      else return err(placed(expanded.error, way, member));
    }
    if (targets.length === 0 && !isRepeated) return err({ isUnready: true, diagnostic: noneSetUp(step, reasons) });
    return ok({ targets, notes: [...notes, ...reasons.map(({ member, cause }) => memberLeftOut(step, member, cause))] });
  }
}

const refuse = (diagnostic: Diagnostic): Expanded => err({ isUnready: false, diagnostic });

/** The innermost name that leads to what means nothing is told; what is about names themselves, or only lacks a key, speaks for itself. */
function placed(refusal: Refusal, { steps }: Way, member: string): Refusal {
  const step = steps.at(-1);
  if (step === undefined || refusal.isUnready || SELF_PLACED.has(refusal.diagnostic.code)) return refusal;
  return { isUnready: false, diagnostic: badMember(step, member, refusal.diagnostic) };
}

const SELF_PLACED: ReadonlySet<string> = new Set([
  "route.cycle",
  "route.ambiguous-name",
  "route.empty-group",
  "route.bad-member",
  "route.unknown-provider",
]);
