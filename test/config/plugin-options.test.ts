import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createKdlCache,
  type DeclaredOption,
  type LoadedSettings,
  loadSettings,
  type Paths,
  readSources,
  resolveSettings,
  type SettingsInputs,
  type SettingsRules,
  valuesOf,
} from "../../src/config/index.js";

let root: string;
let paths: Paths;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "smith-options-"));
  const at = (name: string): string => join(root, "home", name);
  paths = { config: at("config"), data: at("data"), state: at("state"), cache: at("cache"), sessions: at("data/sessions") };
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const project = (): string => join(root, "project");

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

const putUser = (content: string): void => {
  put(join(paths.config, "config.kdl"), content);
};
const putProject = (content: string): void => {
  put(join(project(), ".smith", "config.kdl"), content);
};

function inputs(more: Partial<SettingsInputs> = {}): SettingsInputs {
  mkdirSync(project(), { recursive: true });
  const cache = createKdlCache({ dir: paths.cache, pid: 1, log: () => undefined });
  return { env: {}, cwd: project(), paths, cache, flags: [], pairs: [], trusted: true, ...more };
}

const option = (name: string, type: DeclaredOption["type"], more: Partial<DeclaredOption> = {}): DeclaredOption => ({
  name,
  plugin: "acme.lint",
  type,
  help: "h",
  secret: false,
  ...more,
});

const MAX = option("lint.max-findings", "integer", { default: 50, min: 1, max: 500 });
const FIX = option("lint.fix", "boolean");
const LEVELS = option("lint.levels", "string[]", { enum: ["error", "warning", "info"] });
const RULES = option("rules.allow", "string[]", { plugin: "smith.rules", default: [] });
const RATIO = option("lint.ratio", "number", { min: -1, max: 1 });
const STYLE = option("lint.style", "string", { enum: ["long", "short"], default: "long" });
const TOKEN = option("lint.token", "string", { secret: true, min: 3 });
const DECLARED = [MAX, FIX, LEVELS, RULES, RATIO, STYLE, TOKEN];

const load = (more: Partial<SettingsInputs & SettingsRules> = {}): Promise<LoadedSettings> =>
  loadSettings({ ...inputs(more), declared: DECLARED, ...more });

const told = ({ diagnostics }: LoadedSettings): readonly string[] =>
  diagnostics.map(({ code, severity, what, why, next, source }) => {
    const place = source?.type === "file" && source.line !== undefined ? `${String(source.line)}:${String(source.column)} ` : "";
    return `${place}${severity === "warning" ? "(warning) " : ""}${code} ${what} | ${why} | ${next}`;
  });

describe("an option of a plugin", () => {
  test("has its manifest's default, in the layer of its plugin", async () => {
    const { options } = await load();
    expect(options).toEqual([
      { plugin: "acme.lint", name: "lint.max-findings", value: 50, layer: "plugin" },
      { plugin: "acme.lint", name: "lint.fix", value: undefined, layer: "plugin" },
      { plugin: "acme.lint", name: "lint.levels", value: undefined, layer: "plugin" },
      { plugin: "smith.rules", name: "rules.allow", value: [], layer: "built-in-plugin" },
      { plugin: "acme.lint", name: "lint.ratio", value: undefined, layer: "plugin" },
      { plugin: "acme.lint", name: "lint.style", value: "long", layer: "plugin" },
      { plugin: "acme.lint", name: "lint.token", value: undefined, layer: "plugin" },
    ]);
  });

  test("user, trusted project, environment and --config: each wins over the one before", async () => {
    const value = async (more: Partial<SettingsInputs>): Promise<unknown> => (await load(more)).options[0];
    putUser("lint { max-findings 1; }");
    const file = (path: string) => ({ type: "file", path, line: 1, column: 8, key: "lint.max-findings" });
    const same = { plugin: "acme.lint", name: "lint.max-findings" };
    expect(await value({})).toEqual({ ...same, value: 1, layer: "user", source: file(join(paths.config, "config.kdl")) });
    putProject("lint { max-findings 2; }");
    expect(await value({ trusted: false })).toMatchObject({ value: 1 });
    expect(await value({})).toEqual({ ...same, value: 2, layer: "project", source: file(join(project(), ".smith", "config.kdl")) });
    const env = { SMITH_LINT_MAX_FINDINGS: "3" };
    expect(await value({ env })).toEqual({ ...same, value: 3, layer: "env", source: { type: "env", name: "SMITH_LINT_MAX_FINDINGS" } });
    expect(await value({ env, pairs: ["lint.max-findings=4"] })).toEqual({
      ...same,
      value: 4,
      layer: "flag",
      source: { type: "flag", name: "--config" },
    });
  });

  test("of every type is read from a file and from text", async () => {
    putUser(`lint {
  fix #true
  levels "error" "info"
  ratio -0.5
  style "short"
  token "abc"
}
rules { allow "shell(npm test)" "a, b"; }`);
    const fromFile = await load();
    expect(fromFile.diagnostics).toEqual([]);
    expect(valuesOf(fromFile.options, "acme.lint")).toEqual({
      "lint.max-findings": 50,
      "lint.fix": true,
      "lint.levels": ["error", "info"],
      "lint.ratio": -0.5,
      "lint.style": "short",
      "lint.token": "abc",
    });
    expect(valuesOf(fromFile.options, "smith.rules")).toEqual({ "rules.allow": ["shell(npm test)", "a, b"] });
    const pairs = ["lint.fix=no", "lint.levels=warning, info", "lint.ratio=0.25", "rules.allow=shell(npm test), edit", "lint.levels=none"];
    const fromText = await load({ pairs, env: { SMITH_LINT_TOKEN: "xyz" } });
    expect(fromText.diagnostics).toEqual([]);
    expect(valuesOf(fromText.options, "acme.lint")).toMatchObject({
      "lint.fix": false,
      "lint.levels": [],
      "lint.ratio": 0.25,
      "lint.token": "xyz",
    });
    expect(valuesOf(fromText.options, "smith.rules")).toEqual({ "rules.allow": ["shell(npm test)", "edit"] });
  });

  test("what nobody gave a value is not handed to its plugin", async () => {
    expect(valuesOf((await load()).options, "acme.lint")).toEqual({ "lint.max-findings": 50, "lint.style": "long" });
  });
});

describe("a list of a project", () => {
  test("is added to the user's, so that it takes nothing away", async () => {
    putUser(`rules { allow "a" "b"; }\nplugins { disabled "x.y"; deny "x.y:net"; }`);
    putProject(`rules { allow "b" "c"; }\nplugins { disabled; deny "z.z:fs"; }`);
    const { options, settings, diagnostics } = await load();
    expect(diagnostics).toEqual([]);
    expect(options[3]).toMatchObject({ value: ["a", "b", "c"], layer: "project" });
    expect(settings.disabledPlugins).toMatchObject({ value: ["x.y"], layer: "project" });
    expect(settings.deniedGrants.value).toEqual(["x.y:net", "z.z:fs"]);
  });

  test("is replaced with the user's by a variable or flag", async () => {
    putUser(`rules { allow "a"; }\nplugins { deny "x.y:net"; }`);
    putProject(`rules { allow "b"; }`);
    const { options, settings } = await load({ env: { SMITH_RULES_ALLOW: "c" }, pairs: ["plugins.deny=none"] });
    expect(options[3]?.value).toEqual(["c"]);
    expect(settings.deniedGrants.value).toEqual([]);
  });
});

describe("wrong values", () => {
  test("are told like those of the program's own settings", async () => {
    putUser(`lint {
  max-findings 501
  fix "yes"
  levels "error" "fatal"
  ratio 2
  style "medium"
  token "ab"
}
rules { allow "a" 1; }`);
    const list = "(on a command line or in a variable: separated by commas, or the word none)";
    expect(told(await load())).toEqual([
      "2:16 config.bad-value lint.max-findings is 501 | It takes a whole number from 1 to 500. | Write: lint { max-findings 1 }",
      `3:7 config.bad-value lint.fix is "yes" | It takes #true or #false (on a command line or in a variable: true or false). | Write: lint { fix #true }`,
      `4:10 config.bad-value lint.levels is "error" "fatal" | It takes words of error, warning, info ${list}. | Write: lint { levels "error" "warning" }`,
      "5:9 config.bad-value lint.ratio is 2 | It takes a number from -1 to 1. | Write: lint { ratio -1 }",
      `6:9 config.bad-value lint.style is "medium" | It takes one of long, short. | Write: lint { style "long" }`,
      `7:9 config.bad-value lint.token is a value that is not shown | It takes a text of 3 characters or more. | Write: lint { token "text" }`,
      `9:15 config.bad-value rules.allow is "a" 1 | It takes texts ${list}. | Write: rules { allow "one" "two" }`,
    ]);
  });

  test("in variables and flags too, and what was right before stays", async () => {
    putUser("lint { max-findings 7; }");
    const found = await load({ env: { SMITH_LINT_MAX_FINDINGS: "many" }, pairs: ["lint.ratio=1e3"] });
    expect(found.options[0]).toMatchObject({ value: 7, layer: "user" });
    expect(told(found)).toEqual([
      `config.bad-value SMITH_LINT_MAX_FINDINGS is "many" | It takes a whole number from 1 to 500. | Set it like SMITH_LINT_MAX_FINDINGS=1, or unset it.`,
      `config.bad-value lint.ratio is "1e3" | It takes a number from -1 to 1. | Write --config lint.ratio=-1.`,
    ]);
  });

  test("a key twice, a value of a group, a block of an option", async () => {
    putUser("lint max-findings=3 {\n  fix #true\n  fix #false\n  ratio 1 { x; }\n}");
    expect(told(await load()).map((problem) => problem.split(" | ")[0])).toEqual([
      "1:6 config.unexpected-content lint is a group and takes no value",
      "3:3 config.duplicate-key lint.fix is set twice",
      "4:13 config.unexpected-content lint.ratio takes no block in braces",
    ]);
  });
});

describe("keys of nobody", () => {
  const FILE = 'limts {\n  max-turns 5\n}\nlint { max-findigs 3; }\nother {\n  x 1\n}\nmodle "m"\n';

  test("are errors with what was most likely meant, options of plugins included", async () => {
    putUser(FILE);
    const next = "No setting has this name.";
    expect(told(await load({ pairs: ["lint.max-findngs=3", "other.x=1"] }))).toEqual([
      `1:1 config.unknown-key unknown setting limts | ${next} | Did you mean limits?`,
      `4:8 config.unknown-key unknown setting lint.max-findigs | ${next} | Did you mean lint.max-findings?`,
      `5:1 config.unknown-key unknown setting other | ${next} | Remove it, or see the settings reference for the names that exist.`,
      `8:1 config.unknown-key unknown setting modle | ${next} | Did you mean model?`,
      `config.unknown-pair-key --config names the unknown setting lint.max-findngs | ${next} | Did you mean --config lint.max-findings=...?`,
      `config.unknown-pair-key --config names the unknown setting other.x | ${next} | See the settings reference for the names that exist.`,
    ]);
  });

  test("groups of nobody are warnings where the caller says so: their plugin may not be in use", async () => {
    putUser(FILE);
    const why = "They belong to no setting of smith and to no plugin in use.";
    expect(told(await load({ foreign: "warning", pairs: ["other.x=1", "modle=3"] }))).toEqual([
      `1:1 (warning) config.foreign-key the settings of limts are not used | ${why} | Did you mean limits?`,
      `4:8 config.unknown-key unknown setting lint.max-findigs | No setting has this name. | Did you mean lint.max-findings?`,
      `5:1 (warning) config.foreign-key the settings of other are not used | ${why} | Install or enable the plugin they are for, or remove them.`,
      "8:1 config.unknown-key unknown setting modle | No setting has this name. | Did you mean model?",
      "(warning) config.foreign-pair-key --config other.x is not used | It belongs to no setting of smith and to no plugin in use. | Install or enable the plugin it is for, or leave it out.",
      "config.unknown-pair-key --config names the unknown setting modle | No setting has this name. | Did you mean --config model=...?",
    ]);
  });

  test("nothing is said of them while the plugins are not known yet, and the files are read once", async () => {
    putUser("lint { max-findings 3; }\nother { x 1; }");
    const sources = await readSources(inputs({ pairs: ["lint.fix=true"] }));
    rmSync(paths.config, { recursive: true });
    const early = resolveSettings(sources, { foreign: "ignore" });
    expect([early.options, early.diagnostics, early.settings.plugins.value]).toEqual([[], [], true]);
    const late = resolveSettings(sources, { declared: [MAX, FIX], foreign: "warning" });
    expect(late.options.map(({ value }) => value)).toEqual([3, true]);
    expect(late.diagnostics.map(({ code }) => code)).toEqual(["config.foreign-key"]);
  });
});

describe("declarations that clash", () => {
  test("a key of the program, or in one of its groups, stays the program's", async () => {
    putUser('limits { max-turns 3; }\nmodel "m"');
    const declared = [option("limits.max-turns", "string"), option("limits.mine", "string", { default: "x" }), option("model.x", "string")];
    const { settings, options, diagnostics } = await load({ declared });
    expect([settings.maxTurns.value, settings.model.value, options, diagnostics]).toEqual([3, "m", [], []]);
  });

  test("of two of one key the first counts", async () => {
    putUser("lint { max-findings 3; }");
    const { options } = await load({ declared: [MAX, { ...MAX, plugin: "evil.x", type: "string" }] });
    expect(options).toMatchObject([{ plugin: "acme.lint", value: 3 }]);
  });
});

describe("plugins.deny", () => {
  test.each(["acme.lint", "acme.lint:", ":net", "acme.lint:nett", "acme.lint:net,x", "Acme:net"])(
    "%j is no denial, and is told",
    async (word) => {
      putUser(`plugins { deny ${JSON.stringify(word)}; }`);
      const { settings, diagnostics } = await load();
      expect([settings.deniedGrants.value, diagnostics.map(({ code }) => code)]).toEqual([[], ["config.bad-value"]]);
    },
  );
});
