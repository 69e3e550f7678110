import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createKdlCache, type LoadedSettings, loadSettings, type Paths, type SettingsInputs } from "../../src/config/index.js";
import type { Diagnostic } from "../../src/schema/index.js";

let root: string;
let paths: Paths;
let logged: string[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "smith-config-"));
  const at = (name: string): string => join(root, "home", name);
  paths = { config: at("config"), data: at("data"), state: at("state"), cache: at("cache"), sessions: at("data/sessions") };
  logged = [];
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const project = (): string => join(root, "project");
const userFile = (): string => join(paths.config, "config.kdl");
const projectFile = (): string => join(project(), ".smith", "config.kdl");

function put(path: string, content: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

function load(more: Partial<SettingsInputs> = {}): Promise<LoadedSettings> {
  mkdirSync(project(), { recursive: true });
  const cache = createKdlCache({ dir: paths.cache, pid: 1, log: (message) => logged.push(message) });
  return loadSettings({ env: {}, cwd: project(), paths, cache, flags: [], pairs: [], trusted: false, ...more });
}

/** `line:column code what | why | next` with the folder left out. */
const told = (diagnostics: readonly Diagnostic[]): readonly string[] =>
  diagnostics.map(({ code, what, why, next, source }) => {
    const place = source?.type === "file" && source.line !== undefined ? `${String(source.line)}:${String(source.column)} ` : "";
    return `${place}${code} ${what} | ${why} | ${next}`.replaceAll(root, "");
  });

describe("precedence and provenance", () => {
  test("user, trusted project, environment, --config and flag: each wins over the one before", async () => {
    put(userFile(), 'model "user"\nlog "info"\nmode "plan"\nlimits {\n  max-turns 1\n  max-tokens 1\n}\n');
    put(projectFile(), 'model "project"\nlog "debug"\nlimits { max-turns 2; max-tokens 2; }\nmode "auto"\n');
    const { settings, diagnostics } = await load({
      trusted: true,
      env: { SMITH_MODEL: "env", SMITH_MAX_TURNS: "3", SMITH_MAX_TOKENS: "3" },
      pairs: ["limits.max-turns=4", "model=pair"],
      flags: [{ setting: "model", name: "--model", text: "flag" }],
    });
    expect(diagnostics).toEqual([]);
    expect(settings.model).toEqual({ value: "flag", layer: "flag", source: { type: "flag", name: "--model" } });
    expect(settings.maxTurns).toEqual({ value: 4, layer: "flag", source: { type: "flag", name: "--config" } });
    expect(settings.maxTokens).toEqual({ value: 3, layer: "env", source: { type: "env", name: "SMITH_MAX_TOKENS" } });
    expect(settings.log).toEqual({
      value: "debug",
      layer: "project",
      source: { type: "file", path: projectFile(), line: 2, column: 1, key: "log" },
    });
    expect(settings.stallThreshold).toEqual({ value: 3, layer: "default" });
  });

  test("a project that is not trusted is not read, and a notice names the file and the flag", async () => {
    put(projectFile(), "mode {{{");
    const { settings, diagnostics } = await load({ trusted: undefined });
    expect(settings.mode.layer).toBe("default");
    expect(told(diagnostics)).toEqual([
      "config.untrusted-project project configuration not used | /project/.smith/config.kdl can change what runs here, and this project is not trusted. | Read the file; then start with --trust to use it, or with --no-trust to leave it without this notice.",
    ]);
    expect(diagnostics[0]?.severity).toBe("warning");
  });

  test("--no-trust leaves it out without a notice", async () => {
    put(projectFile(), 'mode "auto"');
    expect(await load({ trusted: false })).toMatchObject({ diagnostics: [], settings: { mode: { layer: "default" } } });
  });

  test("inside a repository the nearest project file above counts, and none above its root", async () => {
    put(join(root, ".smith", "config.kdl"), 'model "outside"');
    put(projectFile(), 'model "project"');
    mkdirSync(join(project(), ".git"));
    const cwd = join(project(), "a", "b");
    mkdirSync(cwd, { recursive: true });
    expect((await load({ cwd, trusted: true })).settings.model.value).toBe("project");
    rmSync(projectFile());
    expect((await load({ cwd, trusted: true })).settings.model.value).toBeUndefined();
  });

  test("a project inside of a repository is all that counts there: what lies above it was not what a person trusted", async () => {
    put(projectFile(), 'model "above"');
    mkdirSync(join(project(), ".git"));
    const cwd = join(project(), "part");
    mkdirSync(join(cwd, ".smith", "skills"), { recursive: true });
    expect((await load({ cwd, trusted: true })).settings.model.value).toBeUndefined();
  });

  test("outside a repository no folder above is looked into", async () => {
    put(projectFile(), 'model "project"');
    const cwd = join(project(), "a");
    mkdirSync(cwd);
    expect((await load({ cwd, trusted: true })).settings.model.value).toBeUndefined();
  });

  test("the user's own file is not taken for a project's", async () => {
    const own = { ...paths, config: join(project(), ".smith") };
    put(join(own.config, "config.kdl"), 'model "mine"');
    expect(await load({ paths: own, trusted: undefined })).toMatchObject({
      diagnostics: [],
      settings: { model: { value: "mine", layer: "user" } },
    });
  });

  test("a blank variable counts as not set", async () => {
    const { settings, diagnostics } = await load({ env: { SMITH_MODEL: "", SMITH_MODE: "  " } });
    expect([settings.model.layer, settings.mode.layer, diagnostics]).toEqual(["default", "default", []]);
  });
});

describe("wrong values outside files", () => {
  test.each<[string, Partial<SettingsInputs>, string]>([
    [
      "a variable",
      { env: { SMITH_MODE: "yolo" } },
      'config.bad-value SMITH_MODE is "yolo" | It takes one of ask-writes, auto, read-only, plan. | Set it like SMITH_MODE="ask-writes", or unset it.',
    ],
    [
      "a flag",
      { flags: [{ setting: "maxTurns", name: "--max-turns", text: "many" }] },
      'config.bad-value --max-turns is "many" | It takes a whole number, 1 or more. | Write --max-turns 50.',
    ],
    [
      "--config with a bad value",
      { pairs: ["ui.print-on-exit=perhaps"] },
      'config.bad-value ui.print-on-exit is "perhaps" | It takes #true or #false (on a command line or in a variable: true or false). | Write --config ui.print-on-exit=true.',
    ],
    [
      "--config with an unknown key",
      { pairs: ["max-turn=3"] },
      "config.unknown-pair-key --config names the unknown setting max-turn | No setting has this name. | Did you mean --config limits.max-turns=...?",
    ],
    [
      "--config without =",
      { pairs: ["model"] },
      "config.malformed-pair --config model has no key or no = | The flag sets one setting and is read as key=value. | Write it like --config limits.max-turns=20.",
    ],
  ])("%s", async (_name, inputs, expected) => {
    const { diagnostics } = await load(inputs);
    expect(told(diagnostics)).toEqual([expected]);
    expect(diagnostics.map(({ exit }) => exit)).toEqual([2]);
  });

  test("a value may hold the equals sign", async () => {
    expect((await load({ pairs: ["prompt.system=a=b"] })).settings.system.value).toBe("a=b");
  });
});

describe("config files as people have them", () => {
  test.each<[string, string]>([
    ["with a byte order mark", '\ufeffmodel "m"\n'],
    ["with CRLF", 'model "m"\r\nlog "off"\r\n'],
    ["with comments and slash-dash", '// hello\n/* a\nb */ model /* c */ "m" // end\n/-log 12\n'],
    ["without a final newline", "model m"],
  ])("%s", async (_name, content) => {
    put(userFile(), content);
    expect(await load()).toMatchObject({ diagnostics: [], settings: { model: { value: "m", layer: "user" } } });
  });

  test.each<[string, string]>([
    ["empty", ""],
    ["only a byte order mark", "\ufeff"],
    ["only comments", "// nothing\n"],
  ])("%s is a file that sets nothing", async (_name, content) => {
    put(userFile(), content);
    expect(await load()).toMatchObject({ diagnostics: [], settings: { model: { layer: "default" } } });
  });

  test.each<[string, string | Uint8Array, readonly string[]]>([
    [
      "unclosed brace",
      "limits {\n  max-turns 5\n",
      [
        "3:1 config.syntax /home/config/config.kdl is not valid KDL | Invalid node children at end of input. | Correct the line. Nothing in the file was used and the file was not changed.",
      ],
    ],
    [
      "unclosed quote",
      'model "m',
      [
        "1:9 config.syntax /home/config/config.kdl is not valid KDL | Unexpected EOF inside string. | Correct the line. Nothing in the file was used and the file was not changed.",
      ],
    ],
    [
      "cut in the middle",
      'model "m"\nlimits { max-tu',
      [
        "2:16 config.syntax /home/config/config.kdl is not valid KDL | Invalid node children at end of input. | Correct the line. Nothing in the file was used and the file was not changed.",
      ],
    ],
    [
      "KDL v1",
      "ui {\n  print-on-exit true\n}\n",
      [
        '2:21 config.kdl-v1 /home/config/config.kdl is KDL v1 | smith reads KDL 2, where this is an error: Invalid keyword "true", add a leading # to use the keyword or surround with quotes to make it a string. | Write #true, #false and #null for true, false and null, and #"..."# for r"...".',
      ],
    ],
    [
      "not UTF-8",
      new Uint8Array([0x6d, 0xff, 0xfe]),
      [
        "config.not-utf8 /home/config/config.kdl is not UTF-8 text | Files of settings are UTF-8; this one has bytes that are not. | Save it as UTF-8 in your editor.",
      ],
    ],
    [
      "every problem of one file",
      'modle "m"\nlimits {\n  max-turns "five"\n  max-turns 5\n  max-cost -1\n}\nmode auto plan\nlimits deadline=5\nlog level="info"\nui { print-on-exit #true { x; } }\n',
      [
        "1:1 config.unknown-key unknown setting modle | No setting has this name. | Did you mean model?",
        '3:13 config.bad-value limits.max-turns is "five" | It takes a whole number, 1 or more. | Write: limits { max-turns 50 }',
        "4:3 config.duplicate-key limits.max-turns is set twice | Line 3 sets it already, and only one of the two can hold. | Remove one of them.",
        "5:12 config.bad-value limits.max-cost is -1 | It takes a number of US dollars above 0. | Write: limits { max-cost 2.5 }",
        '7:6 config.bad-value mode is "auto" "plan" | It takes one of ask-writes, auto, read-only, plan. | Write: mode "ask-writes"',
        "8:8 config.unexpected-content limits is a group and takes no value | It would be ignored, so it is most likely meant otherwise. | Write the settings of limits as lines in braces: limits { deadline 5 }",
        '9:5 config.unexpected-content log has the property level, and takes only an argument | It would be ignored, so it is most likely meant otherwise. | Write: log "off"',
        "10:28 config.unexpected-content ui.print-on-exit takes no block in braces | It would be ignored, so it is most likely meant otherwise. | Write: print-on-exit #true",
      ],
    ],
  ])("%s: told with its place and a fix, and the bytes stay", async (_name, content, expected) => {
    put(userFile(), content);
    const before = readFileSync(userFile());
    const { diagnostics } = await load();
    expect(told(diagnostics)).toEqual(expected);
    expect(diagnostics.every(({ exit, severity }) => exit === 2 && severity === "error")).toBe(true);
    expect(readFileSync(userFile())).toEqual(before);
  });

  test("what is right in a file with a wrong value still counts", async () => {
    put(userFile(), 'mode "read-only"\nlog 12\n');
    const { settings, diagnostics } = await load();
    expect(settings.mode.value).toBe("read-only");
    expect(diagnostics.map(({ code }) => code)).toEqual(["config.bad-value"]);
  });

  test("a broken user file leaves the project's in force, and the other way round", async () => {
    put(userFile(), "model {{");
    put(projectFile(), 'mode "plan"');
    const first = await load({ trusted: true });
    expect([first.settings.mode.layer, first.diagnostics.map(({ code }) => code)]).toEqual(["project", ["config.syntax"]]);
    put(userFile(), 'mode "plan"');
    put(projectFile(), "model {{");
    const second = await load({ trusted: true });
    expect([second.settings.mode.layer, second.diagnostics.map(({ code }) => code)]).toEqual(["user", ["config.syntax"]]);
  });

  test("a folder in place of the file", async () => {
    mkdirSync(userFile(), { recursive: true });
    expect(told((await load()).diagnostics)).toEqual([
      "config.not-a-file /home/config/config.kdl is a folder, not a file | Settings are read from a file of this name. | Move it away, or put a file with settings in its place.",
    ]);
  });

  test("a file that cannot be read", async () => {
    mkdirSync(paths.config, { recursive: true });
    symlinkSync("config.kdl", userFile());
    const { diagnostics } = await load();
    expect(diagnostics.map(({ code, why }) => `${code} ${why.split(",")[0] ?? ""}`)).toEqual([
      "config.unreadable The system says: ELOOP: too many symbolic links encountered",
    ]);
  });

  test("a file far too large is refused before it is read", async () => {
    put(userFile(), "a".repeat(1_048_577));
    expect((await load()).diagnostics.map(({ code }) => code)).toEqual(["config.too-large"]);
  });

  test("a file in place of a folder on the way is no file", async () => {
    put(paths.config, "");
    expect((await load()).diagnostics).toEqual([]);
  });
});

describe("the cache of parsed files", () => {
  test("the second start does not load the parser", async () => {
    put(userFile(), 'model "m"\nlimits { max-turns 7; }\n');
    const first = await load();
    vi.doMock("@bgotink/kdl", () => {
      throw new Error("the parser was loaded");
    });
    vi.resetModules();
    const fresh = await import("../../src/config/index.js");
    const cache = fresh.createKdlCache({ dir: paths.cache, pid: 1, log: (message) => logged.push(message) });
    const second = await fresh.loadSettings({ env: {}, cwd: project(), paths, cache, flags: [], pairs: [], trusted: false });
    expect(second).toEqual(first);
    put(userFile(), 'model "other"\n');
    await expect(fresh.loadSettings({ env: {}, cwd: project(), paths, cache, flags: [], pairs: [], trusted: false })).rejects.toThrow();
    vi.doUnmock("@bgotink/kdl");
    vi.resetModules();
  });

  test("one cache file for one configuration file, whatever it held", async () => {
    for (const model of ["a", "b", "c"]) {
      put(userFile(), `model "${model}"`);
      expect((await load()).settings.model.value).toBe(model);
    }
    expect(readdirSync(join(paths.cache, "config"))).toHaveLength(1);
  });

  test("errors keep their place when they come from the cache", async () => {
    put(userFile(), '\n  log "loud"\n');
    const [first, second] = [await load(), await load()];
    expect(told(first.diagnostics)[0]).toMatch(/^2:7 config.bad-value/u);
    expect(second).toEqual(first);
  });

  test.each(["", "{", "null", '{"format":1}', '{"format":1,"nodes":[{"name":1}]}'])("a cache file of %j is a miss", async (content) => {
    put(userFile(), 'model "m"');
    await load();
    const [name] = readdirSync(join(paths.cache, "config"));
    put(join(paths.cache, "config", name ?? ""), content);
    expect((await load()).settings.model.value).toBe("m");
  });

  test("nodes of another shape under the right hash are a miss", async () => {
    put(userFile(), 'model "m"');
    await load();
    const file = join(paths.cache, "config", readdirSync(join(paths.cache, "config"))[0] ?? "");
    const cached: unknown = JSON.parse(readFileSync(file, "utf8"));
    put(
      file,
      JSON.stringify({ ...(cached as object), nodes: [{ name: "model", line: 1, column: 1, entries: [{ value: {} }], children: [] }] }),
    );
    expect((await load()).settings.model.value).toBe("m");
  });

  test("a cache that cannot be written is told to the log only", async () => {
    put(userFile(), 'model "m"');
    put(paths.cache, "a file in place of the folder");
    expect(await load()).toMatchObject({ diagnostics: [], settings: { model: { value: "m" } } });
    expect(logged.join("\n")).toContain("configuration cache not written");
  });

  test("nothing is left beside the cache file, and it is for its owner alone", async () => {
    put(userFile(), 'model "m"');
    chmodSync(paths.config, 0o700);
    await load();
    const folder = join(paths.cache, "config");
    expect(readdirSync(folder).every((name) => /^[0-9a-f]{32}\.json$/u.test(name))).toBe(true);
    expect(existsSync(folder)).toBe(true);
  });
});
