import { type AnyOption, anyOption, SETTING_NAMES } from "./options.js";

/** The default as a reader sees it. */
function shownDefault(option: AnyOption): string {
  const value = option.default;
  if (value === undefined) return option.defaultMeans ?? "not set";
  if (typeof value === "boolean") return `\`#${String(value)}\``;
  if (Array.isArray(value) && value.length === 0) return "none";
  if (option.kind.type === "duration") return `\`${durationText(value)}\``;
  return `\`${Array.isArray(value) ? value.join(", ") : JSON.stringify(value).replaceAll('"', "")}\``;
}

/** As a file would have it: a bare number there is one of seconds. */
const durationText = (ms: unknown): string => (Number(ms) % 1000 === 0 ? `${String(Number(ms) / 1000)}s` : `${String(ms)}ms`);

const flagsOf = (option: AnyOption): string =>
  option.flags
    .map((flag) => `\`${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}\`${flag.scope === "eval" ? " (eval)" : ""}`)
    .join(", ");

function section(option: AnyOption): string {
  const lines = [
    `## ${option.key}`,
    "",
    option.description,
    "",
    `- Takes: ${option.kind.constraint}`,
    `- Default: ${shownDefault(option)}`,
    `- File: \`${kdlLine(option)}\``,
    `- Environment: \`${option.env}\``,
    ...(option.flags.length === 0 ? [] : [`- Flag: ${flagsOf(option)}`]),
    ...(option.secret ? ["- Secret: never shown"] : []),
    ...(option.accumulates === true ? ["- A project's list is added to yours; variables and flags replace both"] : []),
  ];
  return lines.join("\n");
}

function kdlLine(option: AnyOption): string {
  const path = option.key.split(".");
  const leaf = `${path.at(-1) ?? ""} ${option.kind.example}`;
  return path.slice(0, -1).reduceRight((inner, group) => `${group} { ${inner} }`, leaf);
}

/** The settings reference as Markdown, made from the table of options. */
export function renderSettingsReference(): string {
  const intro = [
    "# Settings",
    "",
    "Every setting, made from the table the program reads. Any of them can also be given as `--config KEY=VALUE`.",
    "How the sources meet is told in the guide to configuration.",
  ].join("\n");
  return `${[intro, ...SETTING_NAMES.map((name) => section(anyOption(name)))].join("\n\n")}\n`;
}

/** `config/defaults.kdl`: every setting as a KDL file that changes nothing. Settings without a default value are shown slash-dashed. */
export function renderDefaultsKdl(): string {
  const groups = new Map<string, string[]>();
  for (const option of SETTING_NAMES.map(anyOption)) {
    const split = option.key.lastIndexOf(".");
    const group = option.key.slice(0, Math.max(0, split));
    const lines = groups.get(group) ?? [];
    groups.set(group, [...lines, `// ${option.description.replaceAll("`", "")}`, defaultLine(option, option.key.slice(split + 1))]);
  }
  const blocks = [...groups].map(([group, lines]) =>
    group === "" ? lines.join("\n") : `${group} {\n${lines.map((line) => `    ${line}`).join("\n")}\n}`,
  );
  return `// The product's defaults, made from the table of options. A copy of this file as config.kdl changes nothing.\n\n${blocks.join("\n\n")}\n`;
}

function defaultLine(option: AnyOption, leaf: string): string {
  const value = option.default;
  if (value === undefined) return `/- ${leaf} ${option.kind.example}`;
  if (Array.isArray(value)) return [leaf, ...value.map((item) => JSON.stringify(item))].join(" ");
  if (typeof value === "boolean") return `${leaf} #${String(value)}`;
  if (option.kind.type === "duration") return `${leaf} ${JSON.stringify(durationText(value))}`;
  return `${leaf} ${JSON.stringify(value)}`;
}
