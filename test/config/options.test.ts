import { readFileSync } from "node:fs";
import { parse as parseWithOracle } from "kdljs";
import { describe, expect, test } from "vitest";
import { anyOption, OPTIONS, renderDefaultsKdl, renderSettingsReference, resolve, SETTING_NAMES } from "../../src/config/index.js";
import { parseKdl, readDocument } from "../../src/config/file/index.js";
import { createOptionTable } from "../../src/config/option-table.js";

const file = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

describe("the table of options", () => {
  test("no key, variable or flag is declared twice", () => {
    const options = SETTING_NAMES.map(anyOption);
    for (const names of [
      options.map(({ key }) => key),
      options.map(({ env }) => env),
      options.flatMap(({ flags }) => flags.map(({ name }) => name)),
    ])
      expect(names).toEqual([...new Set(names)]);
  });

  test.each(SETTING_NAMES)("%s: names follow the house, and the example is one the setting takes", (name) => {
    const option = anyOption(name);
    expect(option.env).toMatch(/^SMITH_[A-Z]+(_[A-Z]+)*$/u);
    expect(option.key).toMatch(/^[a-z]+(-[a-z]+)*(\.[a-z]+(-[a-z]+)*)?$/u);
    const example = option.kind.example.startsWith('"')
      ? option.kind.example.split(" ").map((word) => word.replaceAll('"', ""))
      : [option.kind.example];
    const asText =
      option.kind.type === "json"
        ? String(JSON.parse(option.kind.example))
        : option.kind.type === "list"
          ? example.join(",")
          : option.kind.type === "text"
            ? option.kind.example
            : (example[0] ?? "").replace("#", "");
    expect(option.kind.parseText(asText)).not.toBeUndefined();
  });

  test("a switch stands for a value its kind takes", () => {
    for (const option of SETTING_NAMES.map(anyOption))
      for (const flag of option.flags) {
        expect(flag.value === undefined).toBe(flag.means !== undefined);
        if (flag.means !== undefined) expect(option.kind.parseText(flag.means)).not.toBeUndefined();
      }
  });

  test("names others can see stay as they are", () => {
    expect(SETTING_NAMES.map(anyOption).map(({ key, env, flags }) => [key, env, ...flags.map(({ name }) => name)].join(" "))).toEqual([
      "model SMITH_MODEL --model",
      "mode SMITH_MODE --mode",
      "thinking SMITH_THINKING --thinking",
      "models.discovery SMITH_DISCOVERY",
      "request.temperature SMITH_TEMPERATURE",
      "request.top-p SMITH_TOP_P",
      "request.max-tokens SMITH_MAX_OUTPUT",
      "request.stop SMITH_STOP",
      "request.response-format SMITH_RESPONSE_FORMAT",
      "request.extra SMITH_REQUEST_EXTRA",
      "request.stream SMITH_STREAM",
      "retry.attempts SMITH_RETRY_ATTEMPTS",
      "retry.max-wait SMITH_RETRY_MAX_WAIT",
      "limits.max-turns SMITH_MAX_TURNS --max-turns",
      "limits.max-tokens SMITH_MAX_TOKENS --max-tokens",
      "limits.max-cost SMITH_MAX_COST --max-cost",
      "limits.deadline SMITH_DEADLINE --deadline",
      "limits.stall-threshold SMITH_STALL_THRESHOLD",
      "tools SMITH_TOOLS --tools --no-tools",
      "plugins.enabled SMITH_PLUGINS --no-plugins",
      "plugins.disabled SMITH_DISABLED_PLUGINS",
      "plugins.deny SMITH_PLUGINS_DENY",
      "prompt.system SMITH_SYSTEM --system",
      "prompt.append-system SMITH_APPEND_SYSTEM --append-system",
      "secrets.env SMITH_SECRETS_ENV",
      "secrets.files SMITH_SECRETS_FILES",
      "log SMITH_LOG --log",
      "ui.print-on-exit SMITH_PRINT_ON_EXIT",
      "ui.theme SMITH_THEME",
    ]);
  });
});

describe("what is made from the table", () => {
  test("docs/reference/settings.md is up to date", () => {
    // The options of bundled plugins follow.
    expect(file("docs/reference/settings.md").startsWith(renderSettingsReference())).toBe(true);
  });

  test("config/defaults.kdl is up to date", () => {
    expect(file("config/defaults.kdl")).toBe(renderDefaultsKdl());
  });

  test("the shipped defaults read as the defaults of the table, by our reader", async () => {
    const parsed = await parseKdl("defaults.kdl", renderDefaultsKdl());
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
    const reading = readDocument(
      { table: createOptionTable(), foreign: "error" },
      { path: "defaults.kdl", layer: "user", nodes: parsed.value },
    );
    expect(reading.diagnostics).toEqual([]);
    const settings = resolve(reading.assignments);
    expect(Object.fromEntries(SETTING_NAMES.map((name) => [name, settings[name].value]))).toEqual(
      Object.fromEntries(SETTING_NAMES.map((name) => [name, OPTIONS[name].default])),
    );
  });

  test("the shipped defaults are valid KDL for an independent parser too", () => {
    expect(parseWithOracle(renderDefaultsKdl()).errors).toEqual([]);
  });

  test("the reference tells each key, variable and flag", () => {
    const text = renderSettingsReference();
    for (const { key, env, flags } of SETTING_NAMES.map(anyOption))
      for (const name of [key, env, ...flags.map((flag) => flag.name)]) expect(text).toContain(name);
  });
});
