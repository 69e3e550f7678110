import { anyOption, SETTING_NAMES, type SettingName } from "../config/index.js";

/** A flag of a command: one of the option table, or one that only the command line has. */
export interface Flag {
  /** Long name with its dashes. */
  readonly name: string;
  /** `-c`. */
  readonly short?: string;
  /** Placeholder of the value; absent for a switch. */
  readonly value?: string;
  readonly valueIsOptional?: boolean;
  readonly description: string;
  /** Which setting it gives, and what a switch stands for. */
  readonly setting?: { readonly name: SettingName; readonly means?: string };
}

/** One command, once: the parser, its help and the reference are made from this. */
export interface CommandDeclaration<Id extends string> {
  readonly id: Id;
  readonly summary: string;
  /** In commander's notation. */
  readonly operands: readonly { readonly notation: string; readonly description: string }[];
  readonly flags: readonly Flag[];
  /** Paragraphs after the flags in help. */
  readonly notes: readonly string[];
}

function settingFlags(scope: "common" | "eval"): readonly Flag[] {
  return SETTING_NAMES.map(anyOption).flatMap((option) =>
    option.flags
      .filter((flag) => flag.scope === scope)
      .map((flag) => ({
        name: flag.name,
        ...(flag.value === undefined ? {} : { value: flag.value }),
        description: flag.description,
        setting: { name: option.name, ...(flag.means === undefined ? {} : { means: flag.means }) },
      })),
  );
}

const CWD: Flag = { name: "--cwd", value: "DIR", description: "work in this folder" };
export const JSON_FLAG: Flag = { name: "--json", description: "write one JSON record a line" };
const CONTINUE: Flag = { name: "--continue", short: "-c", description: "continue the newest session of this folder" };
const FORK: Flag = {
  name: "--fork",
  value: "ID[:ENTRY]",
  description: "copy a session, or its branch up to an entry, and work in the copy",
};

/** Where a run is, and whose settings and plugins it has: also of commands that only show what a run would have. */
export const PLACE_FLAGS: readonly Flag[] = [
  CWD,
  { name: "--config", value: "KEY=VALUE", description: "set one setting for this run (may be repeated)" },
  { name: "--plugin", value: "DIR", description: "use the plugin in this folder, which agrees to what it may do (may be repeated)" },
  { name: "--trust", description: "use what this project brings: settings, plugins, skills, prompts" },
  { name: "--no-trust", description: "leave what this project brings unused, without a notice" },
];

/** Taken by every command that starts or continues a session. */
const COMMON: readonly Flag[] = [...settingFlags("common"), ...PLACE_FLAGS];

export const INTERACTIVE_FLAGS: readonly Flag[] = [
  CONTINUE,
  {
    name: "--resume",
    short: "-r",
    value: "ID",
    valueIsOptional: true,
    description: "continue a session; without ID, list those of this folder",
  },
  FORK,
  ...COMMON,
  { name: "--watch", description: "read the plugins named by --plugin again when a file of them is saved" },
];

export const EVAL_FLAGS: readonly Flag[] = [
  JSON_FLAG,
  CONTINUE,
  { name: "--session", value: "ID", description: "continue this session" },
  FORK,
  { name: "--resume-work", description: "go on with the turn an earlier process left open (with -c or --session, no prompt)" },
  { name: "--name", value: "NAME", description: "name the session" },
  { name: "--no-session", description: "keep no session when the run ends well" },
  ...settingFlags("eval"),
  ...COMMON,
];

/** A server makes its sessions by itself and takes no prompt. */
export const MCP_FLAGS: readonly Flag[] = [...settingFlags("eval"), ...COMMON];
