/** The commands below `smith plugins`, their flags and their help. Knows nothing of how any of them works. */
import { type CommandDeclaration, JSON_FLAG, PLACE_FLAGS } from "../flags.js";
import { note, PIPES, statuses } from "../output/notes.js";

const YES = { name: "--yes", short: "-y", description: "agree to what would be asked" };
const ONE_PLUGIN = { notation: "<id>", description: "its id, as smith plugins list shows it" };
const CWD = { name: "--cwd", value: "DIR", description: "the folder whose project is meant" };

const ASKING = note(
  "Asking",
  "What would be agreed to is shown, with what may change things outside of a session or send something away marked with !. Then it is asked for on the terminal; anything but y or yes is no. Without a terminal --yes is needed.",
);

const NO_CODE = "Nothing of a plugin is run.";
const NO_PLUGIN = "2 wrong usage, or no such plugin";

const LIST = {
  id: "plugins list",
  summary: "list every plugin there is, and why those that are not used are not",
  operands: [],
  flags: [JSON_FLAG, ...PLACE_FLAGS],
  notes: [
    note(
      "Output",
      `One line a plugin: its id, version, where it is from (bundled, user, project, or run for --plugin), whether it is in use, and its tools. Below one that is not in use: why, and what to do. ${NO_CODE}`,
    ),
    PIPES,
    statuses("0 done", "2 wrong usage"),
  ],
} as const satisfies CommandDeclaration<string>;

const INFO = {
  id: "plugins info",
  summary: "show what one plugin brings, may do and is set to",
  operands: [ONE_PLUGIN],
  flags: [JSON_FLAG, ...PLACE_FLAGS],
  notes: [
    note(
      "Output",
      `Everything its manifest says: grants in words, tools, commands, handlers, state, files it collects, and its options with their values here and where each is from. Secret values are not shown. ${NO_CODE}`,
    ),
    PIPES,
    statuses("0 done", NO_PLUGIN),
  ],
} as const satisfies CommandDeclaration<string>;

const INSTALL = {
  id: "plugins install",
  summary: "install plugins for every project",
  operands: [{ notation: "<spec...>", description: "a folder, a .tgz file, or a package of the registry: npm:name, npm:name@1.2.3" }],
  flags: [JSON_FLAG, YES],
  notes: [
    note(
      "What is done",
      "Each package is fetched, checked and shown: what it is, where it is from, what it may do, and for an update what is new. Once agreed to, its files are copied below the configuration folder, and with the hash of these files your agreement is recorded: when they change, it is not used until you agree again. No script of a package runs, no dependency is installed. When one of several cannot be had, none is installed.",
    ),
    ASKING,
    statuses(
      "0 installed",
      "1 it could not be fetched, is no sound package, or the answer was no",
      "2 wrong usage, or no terminal to ask on",
    ),
  ],
} as const satisfies CommandDeclaration<string>;

const REMOVE = {
  id: "plugins remove",
  summary: "remove an installed plugin and its files",
  operands: [ONE_PLUGIN],
  flags: [JSON_FLAG, YES],
  notes: [
    note(
      "What is done",
      "Its folder and your agreement are gone; what it has stored, and its settings, stay. One that comes with smith cannot be removed: disable it.",
    ),
    ASKING,
    statuses("0 removed", "1 it could not be removed, or the answer was no", "2 wrong usage, no such plugin, or no terminal to ask on"),
  ],
} as const satisfies CommandDeclaration<string>;

const ENABLE = {
  id: "plugins enable",
  summary: "use a plugin again that was disabled",
  operands: [ONE_PLUGIN],
  flags: [JSON_FLAG],
  notes: [
    note(
      "What is done",
      "It takes the plugin off the list of what you disabled. What a setting disables (plugins.disabled) stays disabled, and is told.",
    ),
    statuses("0 done", "1 it could not be recorded", NO_PLUGIN),
  ],
} as const satisfies CommandDeclaration<string>;

const DISABLE = {
  id: "plugins disable",
  summary: "leave a plugin unused everywhere until it is enabled",
  operands: [ONE_PLUGIN],
  flags: [JSON_FLAG],
  notes: [
    note("What is done", "Its files and your agreement stay. Any plugin can be disabled, those that come with smith too."),
    statuses("0 done", "1 it could not be recorded", NO_PLUGIN),
  ],
} as const satisfies CommandDeclaration<string>;

const TRUST = {
  id: "plugins trust",
  summary: "agree to a changed plugin, or to what this project would do by itself",
  operands: [
    { notation: "[id]", description: "a plugin of yours that was changed or put there by hand; without it, the project of this folder" },
  ],
  flags: [JSON_FLAG, YES, CWD, { name: "--revoke", description: "trust the project no more" }],
  notes: [
    note(
      "Projects",
      "A project can bring plugins, skills, prompts, settings and MCP servers. None of them is used until you trust it. Each is shown with what it would do; the agreement is for what was shown, and is asked for again when any of it changes.",
    ),
    ASKING,
    statuses(
      "0 trusted, or nothing had to be done",
      "1 it cannot be trusted as it is, or the answer was no",
      "2 wrong usage, no such plugin, or no terminal to ask on",
    ),
  ],
} as const satisfies CommandDeclaration<string>;

const CHECK = {
  id: "plugins check",
  summary: "check a plugin you write: manifest, module, tests, grants",
  operands: [{ notation: "[dir]", description: "its folder (this one by default)" }],
  flags: [JSON_FLAG],
  notes: [
    note(
      "What is done",
      "The manifest and sources are read; problems come with file, line and column. The module is loaded in a sandbox and compared with the manifest, then the files test/*.test.ts run there, in order, 10 s for each test. Nothing it asks for reaches this machine. At the end: what it may do once it is installed.",
    ),
    PIPES,
    statuses("0 sound, and every test passed", "1 not sound", "2 wrong usage, or no such folder"),
  ],
} as const satisfies CommandDeclaration<string>;

const NEW = {
  id: "plugins new",
  summary: "write a new plugin that works, with a test",
  operands: [{ notation: "<dir>", description: "its folder, which must not be there or be empty" }],
  flags: [
    JSON_FLAG,
    { name: "--kind", value: "KIND", description: "tool (by default), command, policy, provider or theme" },
    { name: "--id", value: "ID", description: "its id, such as acme.lint (by default my. and the folder's name)" },
  ],
  notes: [statuses("0 written", "1 it could not be written", "2 wrong usage, or the folder is in use")],
} as const satisfies CommandDeclaration<string>;

const ALL = [LIST, INFO, INSTALL, REMOVE, ENABLE, DISABLE, TRUST, CHECK, NEW] as const;

export type PluginCommandId = (typeof ALL)[number]["id"];

export const PLUGIN_COMMANDS: readonly CommandDeclaration<PluginCommandId>[] = ALL;
