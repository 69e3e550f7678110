/** The commands below `smith models`, their flags and their help. Knows nothing of how any of them works. */
import { type CommandDeclaration, JSON_FLAG, PLACE_FLAGS } from "../flags.js";
import { note, PIPES, statuses } from "../output/notes.js";

const SELECTION = "what --model takes: provider/model, a part of a model's name, an alias, a group, a connection; :LEVEL at its end";

const LIST = {
  id: "models list",
  summary: "list models that can be asked, with what they can and cost",
  operands: [{ notation: "[words...]", description: "only models that have these words in their names, in this order" }],
  flags: [{ name: "--all", description: "also models of providers that are not set up" }, JSON_FLAG, ...PLACE_FLAGS],
  notes: [
    note(
      "Output",
      "Aliases and groups of the configuration, then the models of every provider that is set up, by provider, newest first: what to type, the tokens it can read and write, US dollars for a million tokens read and written, whether it takes images and tools, the thinking levels it has, and who says so (you: the configuration; server: its own list; catalog; plugin: the catalog of an added plugin; family: the catalog's entry for the model without its date). A dash is what nobody knows. What is used when nothing is chosen has a star.",
      "A narrow terminal leaves columns out, a pipe gets all of them. smith models show has all that is known of one.",
    ),
    note(
      "Servers",
      "None is asked but, when nothing else is set up, those of this machine whether they are there. What the others said when they were last asked counts; smith models refresh asks them.",
    ),
    PIPES,
    statuses("0 done", "2 wrong usage"),
  ],
} as const satisfies CommandDeclaration<string>;

const SHOW = {
  id: "models show",
  summary: "show what a selection means now, and all that is known of its models",
  operands: [{ notation: "[selection...]", description: `${SELECTION}; without it, what is used when nothing is chosen` }],
  flags: [JSON_FLAG, ...PLACE_FLAGS],
  notes: [
    note(
      "Output",
      "For each model that would be asked, in that order: its connection, base URL, the name of the key that would be sent (never its value), the thinking level, the alias or group it comes from; then every fact with its value, who says so, where and when, and who says otherwise.",
    ),
    PIPES,
    statuses("0 done", "2 it means nothing, or more than one thing", "3 what it means has no key; what is known of it is shown"),
  ],
} as const satisfies CommandDeclaration<string>;

const USE = {
  id: "models use",
  summary: "choose the model that is used from now on",
  operands: [{ notation: "<selection...>", description: SELECTION }],
  flags: [...PLACE_FLAGS],
  notes: [
    note(
      "What is done",
      "The setting model of your config.kdl is set; everything else in the file stays as it is. A part of a name is written as the provider/model it means, with its :LEVEL; an alias or group stays a name. Nothing is written when it means nothing, more than one thing, or what is not set up. What still wins over the file (SMITH_MODEL, a trusted project, --config) is told.",
    ),
    statuses(
      "0 written",
      "1 the file could not be written",
      "2 wrong usage, or it means nothing or more than one thing",
      "3 it has no key",
    ),
  ],
} as const satisfies CommandDeclaration<string>;

const REFRESH = {
  id: "models refresh",
  summary: "ask servers which models they have, and keep what they say",
  operands: [{ notation: "[names...]", description: "only these providers or connections; without them, all that are set up" }],
  flags: [JSON_FLAG, ...PLACE_FLAGS],
  notes: [
    note(
      "What is done",
      "Each server is asked for its list, several at a time, 5 s each at most. All answers take the place of what was known together, or, when the command is stopped, none does. A server that fails keeps its previous list. A refresh that began later wins, whoever ends first. Your configuration is never changed: what it says of a model stays stronger than what its server says.",
    ),
    note("Output", "Who has a changed list, who has the same, and who failed and why; who has answered on standard error, at a terminal."),
    PIPES,
    statuses("0 at least one server answered", "1 none did, or it could not be kept", "2 wrong usage, or no such name"),
  ],
} as const satisfies CommandDeclaration<string>;

const ALL = [LIST, SHOW, USE, REFRESH] as const;

export type ModelCommandId = (typeof ALL)[number]["id"];

export const MODEL_COMMANDS: readonly CommandDeclaration<ModelCommandId>[] = ALL;
