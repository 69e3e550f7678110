import { resolveSettings } from "../../config/index.js";
import type { Route } from "../../runtime/index.js";
import { type ExitStatus, isThinkingLevel, targetName } from "../../schema/index.js";
import type { Prepared } from "../context.js";
import { put, refuse } from "../output/answers.js";
import { shortPath } from "../output/path.js";
import { sourceOf } from "../output/source.js";
import { visibleLine } from "../output/visible.js";
import { type ModelDesk, targetWords } from "./desk.js";
import { noSelection } from "./diagnostics.js";
import type { UseModelInvocation } from "./invocation.js";
import { keepModel } from "./preset.js";

/** Sets what is used from now on. Nothing is written when the selection cannot be taken. */
export async function useModel(desk: ModelDesk, { selection }: UseModelInvocation): Promise<ExitStatus> {
  const { context, admin, prepared } = desk;
  if (selection === "") return refuse(context, noSelection());
  const route = admin.route(selection);
  if (!route.ok) return refuse(context, route.error);
  const text = spellingOf(desk, selection, route.value);
  // What a person should know of what is written, with the level that configuration wishes for.
  const meant = admin.route(text, prepared.settings.thinking.value);
  for (const note of meant.ok ? meant.value.notes : route.value.notes) context.errors.diagnostic(note);
  const written = await keepModel(context, prepared, text);
  if (!written.ok) {
    const [first = 1] = written.error.map((problem) => refuse(context, problem));
    return first;
  }
  const home = context.host.env["HOME"];
  await put(
    context,
    `${visibleLine(`Wrote model ${JSON.stringify(text)} to ${shortPath(written.value, home)}${meaningOf(text, route.value)}.`)}\n`,
  );
  context.out.push();
  for (const place of strongerThanFile(prepared)) {
    context.errors.line(`smith: it is not used here as long as another choice wins over the file: ${shortPath(place, home)}`);
  }
  return 0;
}

/** A name of an alias or group stays as it is; all else becomes the provider or connection and model it means. The level is kept. */
function spellingOf({ admin, prepared: { models } }: ModelDesk, selection: string, { targets }: Route): string {
  const names = new Set([...models.aliases, ...models.groups].map(({ name }) => name));
  const at = selection.lastIndexOf(":");
  const level = isThinkingLevel(selection.slice(at + 1).trim()) && !names.has(selection) ? selection.slice(at + 1).trim() : undefined;
  const head = level === undefined ? selection : selection.slice(0, at).trim();
  const [first] = targets;
  if (names.has(head)) return joined(head, level);
  const { ref, routing } = first;
  const spellings = [targetName(ref), targetName({ ...ref, provider: routing.connection })];
  // Who said which connection gets that one, also when another would be taken first one day.
  const isNamed = head.split("/")[0]?.trim().toLowerCase() === routing.connection.toLowerCase();
  const candidates = isNamed ? spellings.reverse() : spellings;
  const exact = candidates.find((text) => {
    const found = admin.route(joined(text, level));
    if (!found.ok) return false;
    const [target] = found.value.targets;
    return (
      targetName(target.ref) === targetName(ref) && target.routing.connection === routing.connection && target.routing.via === undefined
    );
  });
  return joined(exact ?? head, level);
}

const joined = (text: string, level: string | undefined): string => (level === undefined ? text : `${text}:${level}`);

/** What a name stands for now, where it is not what was written. */
function meaningOf(text: string, { targets: [first] }: Route): string {
  if (first.needsModel) return `: ${targetWords(first)}`;
  const names = [targetName(first.ref), targetName({ ...first.ref, provider: first.routing.connection })];
  return names.some((name) => text === name || text.startsWith(`${name}:`)) ? "" : `: now ${targetName(first.ref)}`;
}

/** Places that win over the person's own file, strongest first. */
function strongerThanFile({ settings, sources }: Prepared): readonly string[] {
  const beside =
    sources === undefined
      ? []
      : [resolveSettings({ ...sources, flags: [], pairs: [] }), resolveSettings({ ...sources, flags: [], pairs: [], env: {} })];
  const choices = [settings.model, ...beside.map((loaded) => loaded.settings.model)];
  return [...new Set(choices.filter(({ layer }) => layer === "flag" || layer === "env" || layer === "project").map(sourceOf))];
}
