import { describe, expect, test } from "vitest";
import { GRANT_FACILITIES } from "../../../src/config/index.js";
import type { Grants } from "../../../src/effect/index.js";
import { addedGrants, deniedFacilities, describeGrants, grantsHash, narrowGrants } from "../../../src/plugin/grants/index.js";
import { originCovers, patternCovers, programCovers } from "../../../src/plugin/grants/covers.js";

const NONE: Grants = {
  ...{ fsRead: [], fsWrite: [], search: [], process: [], processEnv: [], net: [] },
  ...{ evaluate: false, vcs: false, state: [], ui: [], secrets: [], mcp: [], agent: false },
};

const ALL: Grants = {
  fsRead: ["workspace", "temp", { path: "/srv/x" }],
  fsWrite: ["workspace", "plugin-data"],
  search: ["anywhere"],
  process: ["git", "npm*"],
  processEnv: ["PATH", "NODE_*"],
  net: [
    { origin: "https://api.x.com", methods: ["GET", "POST"], private: false },
    { origin: "*", methods: [], private: true },
  ],
  evaluate: true,
  vcs: true,
  state: [
    { scope: "session", maxBytes: 65_536 },
    { scope: "user", maxBytes: 1_500 },
  ],
  ui: ["notify", "confirm"],
  secrets: ["X_KEY"],
  mcp: ["docs"],
  agent: true,
};

const lines = (grants: Grants): readonly string[] =>
  describeGrants(grants).map(({ facility, words, isStrong }) => `${facility}${isStrong ? "!" : ""} ${words}`);
const added = (before: Partial<Grants>, after: Partial<Grants>): readonly string[] =>
  addedGrants({ ...NONE, ...before }, { ...NONE, ...after }).map(({ facility, words }) => `${facility} ${words}`);

describe("grants in words", () => {
  test("each has a line, what reaches furthest first", () => {
    expect(lines(ALL)).toEqual([
      "process! run git, npm* with PATH, NODE_* of your environment",
      "fs-write! create, change and delete files of the workspace",
      "fs-write create, change and delete files in the plugin's own folder",
      "net! exchange data with https://api.x.com (GET, POST)",
      "net! fetch from any server (GET, HEAD), this machine and private networks included",
      "mcp! use the MCP servers docs",
      "agent! have other agents work, with no more than the session may do",
      "secrets! use X_KEY in requests and commands, without seeing it",
      "fs-read read files of the workspace",
      "fs-read read temporary files",
      "fs-read read files below /srv/x",
      "search search any file of this user, anywhere",
      "vcs see the state of the repository and its changes",
      "evaluate run JavaScript in a sandbox without files or network",
      "state keep up to 64 KiB for the session",
      "state keep up to 2 KiB for all your sessions",
      "ui show notices, ask you yes or no",
    ]);
  });

  test("any command, with everything but credentials", () => {
    expect(lines({ ...NONE, process: ["*"], processEnv: ["*"] })).toEqual([
      "process! run any command with your environment, credentials left out",
    ]);
  });

  test("of nothing are none", () => {
    expect(lines(NONE)).toEqual([]);
  });

  test("their facilities are the words of the setting that takes them away", () => {
    expect(describeGrants(ALL).filter(({ facility }) => !GRANT_FACILITIES.some((known) => known === facility))).toEqual([]);
  });
});

describe("a pattern covers a narrower one", () => {
  test.each([
    ["*", "anything", true],
    ["*", "a*b", true],
    ["git", "git", true],
    ["git", "git*", false],
    ["git*", "git", true],
    ["git*", "git-*", true],
    ["git-*", "git*", false],
    ["*a*", "bab", true],
    ["*a*", "b*b", false],
    ["a*c", "abbc", true],
    ["a*c", "ab*bc", true],
    ["a*c", "ab*", false],
    ["a*b*c", "a*c", false],
    ["a*", "*", false],
    ["", "", true],
    ["", "*", false],
    ["a.c", "abc", false],
  ])("%s covers %s: %s", (wide, narrow, covers) => {
    expect(patternCovers(wide, narrow)).toBe(covers);
  });

  test("without going back and forth over long ones", () => {
    const long = "a".repeat(20_000);
    expect(patternCovers("*a".repeat(50) + "b", long)).toBe(false);
  });
});

describe("a program covers another", () => {
  test.each([
    ["*", "sh -c *", true],
    ["*", "/bin/sh", true],
    ["git", "git status*", true],
    ["git", "git", true],
    ["git status*", "git status --short", true],
    ["git status*", "git", false],
    ["git status*", "git push", false],
    ["g*", "git push", true],
    ["g*", "*", false],
    ["*x", "/opt/x", false],
    ["/opt/*", "/opt/x -v", true],
    ["/opt/*", "x", false],
  ])("%s covers %s: %s", (wide, narrow, covers) => {
    expect(programCovers(wide, narrow)).toBe(covers);
  });
});

describe("an origin covers another", () => {
  test.each([
    ["*", "http://x.com:8080", true],
    ["https://x.com", "https://x.com", true],
    ["https://x.com", "http://x.com", false],
    ["https://x.com", "https://x.com:8443", false],
    ["https://x.com", "https://a.x.com", false],
    ["https://*.x.com", "https://a.x.com", true],
    ["https://*.x.com", "https://a.b.x.com", true],
    ["https://*.x.com", "https://*.b.x.com", true],
    ["https://*.x.com", "https://*.x.com", true],
    ["https://*.x.com", "https://x.com", false],
    ["https://*.x.com", "https://ax.com", false],
    ["https://*.x.com", "https://a.x.com.evil.com", false],
    ["https://*.x.com", "http://a.x.com", false],
    ["https://*.x.com", "https://a.x.com:8443", false],
    ["https://*.x.com", "*", false],
    ["https://*.b.x.com", "https://*.x.com", false],
  ])("%s covers %s: %s", (wide, narrow, covers) => {
    expect(originCovers(wide, narrow)).toBe(covers);
  });
});

describe("what is wider", () => {
  test("nothing, of the same and of less", () => {
    expect(addedGrants(ALL, ALL)).toEqual([]);
    expect(addedGrants(ALL, NONE)).toEqual([]);
  });

  test("everything, where there was nothing", () => {
    expect(addedGrants(NONE, ALL)).toEqual(describeGrants(ALL));
  });

  test.each<[string, Partial<Grants>, Partial<Grants>, readonly string[]]>([
    ["a root more", { fsRead: ["workspace"] }, { fsRead: ["workspace", "temp"] }, ["fs-read read temporary files"]],
    ["anywhere had it all", { fsWrite: ["anywhere"] }, { fsWrite: ["workspace", { path: "/etc" }] }, []],
    [
      "anywhere is new",
      { fsWrite: ["workspace"] },
      { fsWrite: ["anywhere"] },
      ["fs-write create, change and delete any file of this user, anywhere"],
    ],
    ["a folder inside", { search: [{ path: "/srv" }] }, { search: [{ path: "/srv/a" }] }, []],
    ["a folder beside", { search: [{ path: "/srv" }] }, { search: [{ path: "/srv2" }] }, ["search search files below /srv2"]],
    ["a folder around", { search: [{ path: "/srv/a" }] }, { search: [{ path: "/srv" }] }, ["search search files below /srv"]],
    [
      "reading is not writing",
      { fsRead: ["workspace"] },
      { fsWrite: ["plugin-data"] },
      ["fs-write create, change and delete files in the plugin's own folder"],
    ],
    ["a program of a pattern", { process: ["git*"] }, { process: ["git", "git-lfs"] }, []],
    [
      "a program more, told with its environment",
      { process: ["git"], processEnv: ["PATH"] },
      { process: ["git", "rm"], processEnv: ["PATH"] },
      ["process run rm with PATH of your environment"],
    ],
    [
      "more of the environment",
      { process: ["git"], processEnv: ["PATH"] },
      { process: ["git"], processEnv: ["PATH", "HOME"] },
      ["process run programs with HOME of your environment"],
    ],
    [
      "a method more",
      { net: [net("https://x.com")] },
      { net: [net("https://x.com", ["GET", "POST"])] },
      ["net exchange data with https://x.com (POST)"],
    ],
    [
      "a method from another grant",
      { net: [net("https://x.com"), net("*", ["POST"])] },
      { net: [net("https://x.com", ["GET", "POST"])] },
      [],
    ],
    ["a host inside", { net: [net("https://*.x.com")] }, { net: [net("https://a.x.com")] }, []],
    [
      "private addresses",
      { net: [net("*")] },
      { net: [{ ...net("*"), private: true }] },
      ["net fetch from any server (GET, HEAD), this machine and private networks included"],
    ],
    ["no private addresses any more", { net: [{ ...net("*"), private: true }] }, { net: [net("*")] }, []],
    ["evaluate and vcs", { vcs: true }, { vcs: true, evaluate: true }, ["evaluate run JavaScript in a sandbox without files or network"]],
    [
      "more state",
      { state: [{ scope: "user", maxBytes: 1_024 }] },
      { state: [{ scope: "user", maxBytes: 2_048 }] },
      ["state keep up to 2 KiB for all your sessions"],
    ],
    ["less state", { state: [{ scope: "user", maxBytes: 2_048 }] }, { state: [{ scope: "user", maxBytes: 1_024 }] }, []],
    [
      "another scope",
      { state: [{ scope: "user", maxBytes: 1_024 }] },
      { state: [{ scope: "branch", maxBytes: 1_024 }] },
      ["state keep up to 1 KiB for the branch of a session"],
    ],
    ["an intent", { ui: ["notify"] }, { ui: ["notify", "ask"] }, ["ui ask you for text"]],
    ["a secret", { secrets: ["A"] }, { secrets: ["A", "B"] }, ["secrets use B in requests and commands, without seeing it"]],
  ])("%s", (_name, before, after, expected) => {
    expect(added(before, after)).toEqual(expected);
  });
});

function net(origin: string, methods: readonly string[] = []): Grants["net"][number] {
  return { origin, methods, private: false };
}

describe("the hash of grants", () => {
  test("is the same for the same, however it is written", () => {
    const shuffled: Grants = {
      ...ALL,
      fsRead: [{ path: "/srv/x" }, "temp", "workspace", "temp"],
      net: [{ origin: "*", methods: ["HEAD", "GET"], private: true }, ...ALL.net.slice(0, 1)],
      ui: ["confirm", "notify"],
    };
    expect(grantsHash(shuffled)).toBe(grantsHash(ALL));
    expect(grantsHash(NONE)).toMatch(/^[0-9a-f]{64}$/u);
  });

  test("is another for anything that is granted more or less", () => {
    const others: readonly Grants[] = [
      NONE,
      ALL,
      { ...ALL, fsRead: ["workspace", "temp"] },
      { ...ALL, fsRead: ["workspace", "temp", { path: "/srv/y" }] },
      { ...ALL, fsWrite: ["workspace"] },
      { ...ALL, search: [] },
      { ...ALL, process: ["git,npm*"] },
      { ...ALL, processEnv: ["PATH"] },
      { ...ALL, net: ALL.net.slice(1) },
      { ...ALL, net: ALL.net.map((grant) => ({ ...grant, private: true })) },
      { ...ALL, evaluate: false },
      { ...ALL, vcs: false },
      { ...ALL, state: [{ scope: "session", maxBytes: 65_537 }] },
      { ...ALL, ui: ["notify"] },
      { ...ALL, secrets: [] },
    ];
    expect(new Set(others.map(grantsHash)).size).toBe(others.length);
  });
});

describe("narrowing", () => {
  test("read-only: no file is changed, no program runs, the network is only asked", () => {
    expect(narrowGrants(ALL, { readOnly: true })).toEqual({
      ...ALL,
      fsWrite: [],
      process: [],
      processEnv: [],
      net: [
        { origin: "https://api.x.com", methods: ["GET"], private: false },
        { origin: "*", methods: ["GET", "HEAD"], private: true },
      ],
    });
    expect(narrowGrants({ ...NONE, net: [net("*", ["POST", "DELETE"])] }, { readOnly: true }).net).toEqual([]);
  });

  test("without a reason nothing is taken", () => {
    expect(narrowGrants(ALL, { readOnly: false })).toEqual(ALL);
  });

  const EMPTY: Readonly<Record<(typeof GRANT_FACILITIES)[number], Partial<Grants>>> = {
    fs: { fsRead: [], fsWrite: [] },
    "fs-read": { fsRead: [] },
    "fs-write": { fsWrite: [] },
    search: { search: [] },
    process: { process: [], processEnv: [] },
    net: { net: [] },
    evaluate: { evaluate: false },
    vcs: { vcs: false },
    state: { state: [] },
    ui: { ui: [] },
    secrets: { secrets: [] },
    mcp: { mcp: [] },
    agent: { agent: false },
  };

  test.each(GRANT_FACILITIES)("what is denied is gone, and nothing else: %s", (facility) => {
    expect(narrowGrants(ALL, { readOnly: false, denied: [facility] })).toEqual({ ...ALL, ...EMPTY[facility] });
  });

  test("never gives what was not there", () => {
    expect(narrowGrants(NONE, { readOnly: true, denied: [...GRANT_FACILITIES] })).toEqual(NONE);
    expect(addedGrants(ALL, narrowGrants(ALL, { readOnly: true, denied: ["net"] }))).toEqual([]);
  });

  test("the setting names plugin and facility", () => {
    expect(deniedFacilities("acme.lint", ["acme.lint:net", "acme.lint2:process", "acme.lint:fs-write"])).toEqual(["net", "fs-write"]);
  });
});
