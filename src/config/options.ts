import { THINKING_LEVELS } from "../schema/index.js";
import { boolean, choice, duration, integer, type Kind, list, positiveNumber, text } from "./kinds.js";
import type { Option } from "./option.js";
import { REQUEST_OPTIONS } from "./request-options.js";
import type { Settings } from "./types.js";

/** What a grant is about; `fs` is both of its sides. The words of `plugins.deny` and of lists of grants. */
export const GRANT_FACILITIES = [
  "fs",
  "fs-read",
  "fs-write",
  "search",
  "process",
  "net",
  "mcp",
  "agent",
  "evaluate",
  "vcs",
  "state",
  "ui",
  "secrets",
] as const;

export type SettingName = keyof Settings;

/** Every setting of the core, once; leaving one out does not compile. */
export const OPTIONS: { readonly [Name in SettingName]: Option<Settings[Name]> } = {
  model: {
    key: "model",
    env: "SMITH_MODEL",
    flags: [{ name: "--model", value: "SELECTION", scope: "common", description: "model to use, as provider/model or a model's name" }],
    kind: text({ constraint: "a model selection such as provider/model", example: "provider/model-name" }),
    default: undefined,
    defaultMeans: "the best that is reachable: a credential, else a local server, else the built-in offline assistant",
    description: "Model that answers, as `provider/model` or a model's name.",
    secret: false,
  },
  mode: {
    key: "mode",
    env: "SMITH_MODE",
    flags: [{ name: "--mode", value: "MODE", scope: "common", description: "what runs without asking: ask-writes, auto, read-only, plan" }],
    kind: choice(["ask-writes", "auto", "read-only", "plan"]),
    default: undefined,
    defaultMeans: "`ask-writes` in the terminal interface, `auto` for `smith eval`",
    description:
      "What may run without asking. `ask-writes` asks before anything that changes files or runs a command, `auto` allows it inside the workspace, `read-only` and `plan` deny it.",
    secret: false,
  },
  thinking: {
    key: "thinking",
    env: "SMITH_THINKING",
    flags: [
      {
        name: "--thinking",
        value: "LEVEL",
        scope: "common",
        description: "how much the model thinks: off, minimal, low, medium, high, max",
      },
    ],
    kind: choice(THINKING_LEVELS),
    default: undefined,
    defaultMeans: "the model's own",
    description:
      "How much a model that can think does so before it answers. A level a model does not have becomes the nearest one below it that it has, and a notice says so.",
    secret: false,
  },
  discovery: {
    key: "models.discovery",
    env: "SMITH_DISCOVERY",
    flags: [],
    kind: boolean(),
    default: true,
    description: "Whether servers of this machine are looked for when nothing else is set up, for 150 ms at most.",
    secret: false,
  },
  ...REQUEST_OPTIONS,
  maxTurns: {
    key: "limits.max-turns",
    env: "SMITH_MAX_TURNS",
    flags: [{ name: "--max-turns", value: "N", scope: "eval", description: "stop after N requests to the model" }],
    kind: integer({ min: 1, example: 50 }),
    default: undefined,
    defaultMeans: "no limit",
    description: "Requests to the model in one run before it is stopped.",
    secret: false,
  },
  maxTokens: {
    key: "limits.max-tokens",
    env: "SMITH_MAX_TOKENS",
    flags: [{ name: "--max-tokens", value: "N", scope: "eval", description: "stop when the run has used N tokens" }],
    kind: integer({ min: 1, example: 200_000 }),
    default: undefined,
    defaultMeans: "no limit",
    description: "Tokens, read and written, that one run may use before it is stopped.",
    secret: false,
  },
  maxCost: {
    key: "limits.max-cost",
    env: "SMITH_MAX_COST",
    flags: [{ name: "--max-cost", value: "USD", scope: "eval", description: "stop when the run has cost this many US dollars" }],
    kind: positiveNumber({ unit: "US dollars", example: 2.5 }),
    default: undefined,
    defaultMeans: "no limit",
    description: "Cost in US dollars of one run before it is stopped. Only known prices count.",
    secret: false,
  },
  deadlineMs: {
    key: "limits.deadline",
    env: "SMITH_DEADLINE",
    flags: [{ name: "--deadline", value: "DUR", scope: "eval", description: "stop after this time, e.g. 90s, 10m (exit status 124)" }],
    kind: duration(),
    default: undefined,
    defaultMeans: "no limit",
    description: "Time one run may take before it is stopped.",
    secret: false,
  },
  stallThreshold: {
    key: "limits.stall-threshold",
    env: "SMITH_STALL_THRESHOLD",
    flags: [],
    kind: integer({ min: 2, example: 3 }),
    default: 3,
    description: "A run that makes the same tool calls this many times in a row is stopped as stalled.",
    secret: false,
  },
  tools: {
    key: "tools",
    env: "SMITH_TOOLS",
    flags: [
      { name: "--tools", value: "NAMES", scope: "eval", description: "offer only these tools, separated by commas" },
      { name: "--no-tools", means: "none", scope: "eval", description: "offer no tools" },
    ],
    kind: list({ noun: "names of tools", example: ["read", "grep"] }),
    default: undefined,
    defaultMeans: "every tool of the enabled plugins",
    description: "The only tools the model is offered.",
    secret: false,
  },
  plugins: {
    key: "plugins.enabled",
    env: "SMITH_PLUGINS",
    flags: [{ name: "--no-plugins", means: "false", scope: "common", description: "start without any plugin: no tools, no providers" }],
    kind: boolean(),
    default: true,
    description: "Whether plugins are loaded. Tools and providers are plugins, the bundled ones too.",
    secret: false,
  },
  disabledPlugins: {
    key: "plugins.disabled",
    env: "SMITH_DISABLED_PLUGINS",
    flags: [],
    kind: list({ noun: "ids of plugins", example: ["smith.shell"] }),
    default: [],
    description: "Plugins that are not loaded.",
    secret: false,
    accumulates: true,
  },
  deniedGrants: {
    key: "plugins.deny",
    env: "SMITH_PLUGINS_DENY",
    flags: [],
    kind: list({
      noun: `plugin-id:facility, where the facility is one of ${GRANT_FACILITIES.join(", ")}`,
      example: ["acme.lint:net"],
      pattern: new RegExp(`^[a-z][a-z0-9.-]*:(${GRANT_FACILITIES.join("|")})$`, "u"),
    }),
    default: [],
    description: "What is taken away from plugins although their manifests ask for it.",
    secret: false,
    accumulates: true,
  },
  system: {
    key: "prompt.system",
    env: "SMITH_SYSTEM",
    flags: [{ name: "--system", value: "TEXT", scope: "common", description: "replace the system prompt" }],
    kind: text({ constraint: "a text", example: "You are a careful reviewer.", allowEmpty: true }),
    default: undefined,
    defaultMeans: "the prompt of the enabled plugins",
    description: "Replaces the system prompt.",
    secret: false,
  },
  appendSystem: {
    key: "prompt.append-system",
    env: "SMITH_APPEND_SYSTEM",
    flags: [{ name: "--append-system", value: "TEXT", scope: "common", description: "add to the end of the system prompt" }],
    kind: text({ constraint: "a text", example: "Answer in French.", allowEmpty: true }),
    default: undefined,
    defaultMeans: "nothing is added",
    description: "Is added to the end of the system prompt.",
    secret: false,
  },
  secretEnv: {
    key: "secrets.env",
    env: "SMITH_SECRETS_ENV",
    flags: [],
    kind: list({ noun: "names of variables", example: ["DEPLOY_TOKEN"], pattern: /^[A-Za-z_][A-Za-z0-9_]*$/u }),
    default: [],
    description: "Variables whose values are secrets: models, sessions and logs get a reference in their place.",
    secret: false,
    accumulates: true,
  },
  secretFiles: {
    key: "secrets.files",
    env: "SMITH_SECRETS_FILES",
    flags: [],
    kind: list({ noun: "files, from the project's root or absolute", example: [".env"], pattern: /^[^,\0]+$/u }),
    default: [],
    description: "Files written like `.env` whose values are secrets in the same way.",
    secret: false,
    accumulates: true,
  },
  log: {
    key: "log",
    env: "SMITH_LOG",
    flags: [{ name: "--log", value: "LEVEL", scope: "common", description: "write a log: off, error, warn, info, debug, trace" }],
    kind: choice(["off", "error", "warn", "info", "debug", "trace"]),
    default: "off",
    description:
      "Level of the log file in the state folder. Secrets are masked in it; at `trace` it also holds what goes to models and what they answer.",
    secret: false,
  },
  printOnExit: {
    key: "ui.print-on-exit",
    env: "SMITH_PRINT_ON_EXIT",
    flags: [],
    kind: boolean(),
    default: true,
    description: "Whether the terminal interface prints the last answer to the terminal when it is left.",
    secret: false,
  },
  theme: {
    key: "ui.theme",
    env: "SMITH_THEME",
    flags: [],
    kind: text({ constraint: "the name of a theme", example: "dark" }),
    default: undefined,
    defaultMeans: "dark or light, as the terminal's background is",
    description: "Theme of the terminal interface: a built-in one or one of a plugin.",
    secret: false,
  },
};

/** Names of all settings, in the order of the table. */
export const SETTING_NAMES: readonly SettingName[] = Object.keys(OPTIONS).filter((name): name is SettingName => name in OPTIONS);

/** The option without its value type: for code that treats all settings alike. */
export type AnyOption = Omit<Option<unknown>, "kind"> & { readonly name: SettingName; readonly kind: Kind<unknown> };

export const anyOption = (name: SettingName): AnyOption => ({ ...OPTIONS[name], name });
