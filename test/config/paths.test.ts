import { describe, expect, test } from "vitest";
import { type PathInputs, resolvePaths } from "../../src/config/index.js";

const inputs = (env: PathInputs["env"], more: Partial<PathInputs> = {}): PathInputs => ({
  env,
  cwd: "/project",
  platform: "linux",
  userHome: () => undefined,
  ...more,
});

const xdg = (home: string) => ({
  config: `${home}/.config/smith`,
  data: `${home}/.local/share/smith`,
  state: `${home}/.local/state/smith`,
  cache: `${home}/.cache/smith`,
  sessions: `${home}/.local/share/smith/sessions`,
});

const one = (root: string) => ({
  config: `${root}/config`,
  data: `${root}/data`,
  state: `${root}/state`,
  cache: `${root}/cache`,
  sessions: `${root}/data/sessions`,
});

describe("folders", () => {
  test.each<[string, PathInputs, object]>([
    ["HOME alone: the XDG defaults", inputs({ HOME: "/home/a" }), xdg("/home/a")],
    ["blank HOME: the account's home", inputs({ HOME: " " }, { userHome: () => "/home/b" }), xdg("/home/b")],
    ["relative HOME is no home", inputs({ HOME: "a" }, { userHome: () => "/home/b" }), xdg("/home/b")],
    ["relative XDG variables are ignored", inputs({ HOME: "/home/a", XDG_CONFIG_HOME: "conf" }), xdg("/home/a")],
    ["SMITH_HOME holds all, over XDG", inputs({ HOME: "/home/a", SMITH_HOME: "/s", XDG_DATA_HOME: "/d" }), one("/s")],
    ["relative SMITH_HOME counts from cwd", inputs({ SMITH_HOME: "s" }), one("/project/s")],
    [
      "XDG variables need no home",
      inputs({ XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d", XDG_STATE_HOME: "/t", XDG_CACHE_HOME: "/x" }),
      {
        config: "/c/smith",
        data: "/d/smith",
        state: "/t/smith",
        cache: "/x/smith",
        sessions: "/d/smith/sessions",
      },
    ],
  ])("%s", (_name, given, paths) => {
    expect(resolvePaths(given)).toEqual({ ok: true, value: paths });
  });

  test("on Windows the application data folders are used", () => {
    const result = resolvePaths(inputs({ APPDATA: "/roaming", LOCALAPPDATA: "/local" }, { platform: "win32" }));
    expect(result.ok && [result.value.config, result.value.data, result.value.cache]).toEqual([
      "/roaming/smith",
      "/local/smith/data",
      "/local/smith/cache",
    ]);
  });

  test("no home anywhere is a configuration error that names both ways out", () => {
    const result = resolvePaths(inputs({}));
    expect(result.ok).toBe(false);
    if (result.ok) return;
    expect(result.error).toMatchObject({ code: "config.no-home", exit: 2 });
    expect(result.error.next).toContain("SMITH_HOME");
  });

  test("the account is asked only when no variable says", () => {
    let asked = 0;
    resolvePaths(
      inputs(
        { HOME: "/home/a" },
        {
          userHome: () => {
            asked += 1;
            return undefined;
          },
        },
      ),
    );
    expect(asked).toBe(0);
  });
});
