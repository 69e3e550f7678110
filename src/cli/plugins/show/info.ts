import type { ExitStatus } from "../../../schema/index.js";
import type { Paint } from "../../output/colour.js";
import { put, refuse } from "../../output/answers.js";
import { shortPath } from "../../output/path.js";
import { jsonLine, visibleLine } from "../../output/visible.js";
import { grantLines } from "../consent.js";
import { findPlugin } from "../find.js";
import type { InfoInvocation } from "../invocation.js";
import { type OptionValue, optionsOf } from "./options.js";
import { type GrantLine, type PluginRecord, reasonLines, recordOf, sourceWords, stateOf, versionOf } from "../records.js";
import type { Administration } from "../administration.js";

/** Everything that is known of a plugin without running it. */
export async function showPlugin({ context, prepared, admin }: Administration, { id, json }: InfoInvocation): Promise<ExitStatus> {
  const found = await admin.discover();
  const named = findPlugin(found, id);
  if (!named.ok) return refuse(context, named.error);
  const record = named.value;
  const { describeReach } = await import("../../../runtime/plugin-admin.js");
  const grants = record.compiled === undefined ? [] : describeReach(record.compiled);
  const { options, problems } = await optionsOf(prepared, found, record);
  for (const problem of problems) context.errors.diagnostic({ ...problem, severity: "warning" });
  const others = found.records.filter((one) => one !== record && one.id === id);
  const shown = { record, grants, options, others };
  await put(context, json ? jsonLine(infoRecord(shown)) : textOf(shown, context.host.env["HOME"], context.paint));
  return 0;
}

interface Shown {
  readonly record: PluginRecord;
  readonly grants: readonly GrantLine[];
  readonly options: readonly OptionValue[];
  /** Plugins of the same id from elsewhere. */
  readonly others: readonly PluginRecord[];
}

function infoRecord({ record, grants, options, others }: Shown): object {
  const { compiled } = record;
  if (compiled === undefined) return { ...recordOf(record), others: others.map(recordOf) };
  const { description, sdk, hash, commands, providers, prompts, resources, themes, keys, handlers, states, tools } = compiled;
  return {
    ...recordOf(record),
    description,
    sdk,
    hash,
    grants,
    tools: tools.map((tool) => ({ name: tool.name, readOnly: tool.readOnly, description: tool.description })),
    commands,
    providers,
    handlers,
    states,
    resources,
    prompts: prompts.map(({ name, order, whenTool }) => ({ name, order, ...(whenTool === undefined ? {} : { whenTool }) })),
    themes: themes.map(({ name }) => name),
    keys,
    options,
    others: others.map(recordOf),
  };
}

type Row = readonly [name: string, values: readonly string[]];

const NAME_COLUMNS = 12;

function textOf(shown: Shown, home: string | undefined, paint: Paint): string {
  const { record } = shown;
  const lines = [
    `${paint("bold", visibleLine(record.id))} ${versionOf(record)}${record.compiled === undefined ? "" : `: ${visibleLine(record.compiled.description)}`}`,
    ...[...originRows(shown, home), ...contentRows(shown)].flatMap(([name, values]) =>
      values.map((value, index) => `  ${paint("dim", (index === 0 ? name : "").padEnd(NAME_COLUMNS))}${visibleLine(value)}`),
    ),
    ...(shown.record.compiled === undefined ? [] : grantText(shown.grants, paint)),
    ...optionText(shown.options, paint),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function originRows({ record, others }: Shown, home: string | undefined): readonly Row[] {
  const { compiled, dir, origin, integrity } = record;
  return [
    ["state", [stateOf(record), ...reasonLines(record)]],
    ["origin", [origin]],
    ["from", [sourceWords(record, home)]],
    ["integrity", integrity === undefined ? [] : [integrity]],
    ["folder", dir === undefined ? [] : [shortPath(dir, home)]],
    ["files", compiled === undefined ? [] : [`sha256 ${compiled.hash}`]],
    ["contract", compiled === undefined ? [] : [`SDK ${String(compiled.sdk)}`]],
    ["also", others.map((other) => `${versionOf(other)} (${other.origin}, ${stateOf(other)})`)],
  ];
}

function contentRows({ record: { compiled } }: Shown): readonly Row[] {
  if (compiled === undefined) return [];
  const { tools, commands, providers, prompts, resources, themes, keys, handlers, states } = compiled;
  return [
    ["tools", tools.map(({ name, readOnly, description }) => `${name}${readOnly ? " (only reads)" : ""}: ${firstLine(description)}`)],
    ["commands", commands.map(({ name, usage, description }) => `/${name}${usage === undefined ? "" : ` ${usage}`}: ${description}`)],
    ["providers", providers.map(({ id, title }) => `${id}: ${title}`)],
    ["handlers", handlers.map(handlerWords)],
    ["prompts", prompts.map(({ name, whenTool }) => `${name}${whenTool === undefined ? "" : `, with the tool ${whenTool}`}`)],
    ["collects", resources.flatMap(({ kind, sources }) => sources.map(({ from, path }) => `${kind}: ${path} (${from})`))],
    ["themes", themes.map(({ name, base }) => `${name}, over ${base}`)],
    ["keys", keys.map(({ key, command }) => `${key}: ${command === "" ? "nothing" : command.startsWith("@") ? command : `/${command}`}`)],
    ["keeps", states.map(({ key, scope, maxBytes }) => `${key}, for the ${scope}, up to ${String(Math.ceil(maxBytes / 1024))} KiB`)],
  ];
}

const handlerWords = ({ event, order, required, tools }: NonNullable<PluginRecord["compiled"]>["handlers"][number]): string =>
  [event, ...(tools === undefined ? [] : [`of ${tools.join(", ")}`]), `order ${String(order)}`, ...(required ? ["required"] : [])].join(
    ", ",
  );

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

const grantText = (grants: readonly GrantLine[], paint: Paint): readonly string[] => [
  `  ${paint("dim", "may")}${grants.length === 0 ? `${" ".repeat(NAME_COLUMNS - 3)}do nothing outside of itself` : ""}`,
  ...grantLines(grants),
];

const optionText = (options: readonly OptionValue[], paint: Paint): readonly string[] =>
  options.length === 0
    ? []
    : [
        `  ${paint("dim", "options")}`,
        ...options.map((option) => `    ${visibleLine(`${option.name}${valueWords(option)}`)}\n      ${visibleLine(option.help)}`),
      ];

function valueWords({ value, from, takenBy }: OptionValue): string {
  if (takenBy !== undefined) return `: belongs to ${takenBy}`;
  return value === undefined ? " is not set" : ` = ${JSON.stringify(value)} (${from})`;
}
