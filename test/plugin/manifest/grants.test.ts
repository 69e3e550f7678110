import { describe, expect, test } from "vitest";
import { compiled, plugin, told } from "./stage.js";

const grants = (body: string): string => plugin(`  grants { ${body}; }`);
/** Where the body of the block begins. */
const COLUMN = 12;

describe("what grants take", () => {
  test.each([
    [`fs read="workspace"`, { fsRead: ["workspace"], fsWrite: [] }],
    [`fs write="anywhere,temp"`, { fsRead: [], fsWrite: ["anywhere", "temp"] }],
    [`fs read="path:/srv/a b/c.d"`, { fsRead: [{ path: "/srv/a b/c.d" }] }],
    [`process "*" env="*"`, { process: ["*"], processEnv: ["*"] }],
    [`process "git status*"`, { process: ["git status*"], processEnv: [] }],
    [`process "/usr/bin/git" "node-*"`, { process: ["/usr/bin/git", "node-*"], processEnv: [] }],
    [`net "http://localhost:8080" private=#true`, { net: [{ origin: "http://localhost:8080", methods: [], private: true }] }],
    [`net "https://*.example.com:8443"`, { net: [{ origin: "https://*.example.com:8443", methods: [], private: false }] }],
    [`ui "notify" "status" "progress" "ask" "choose" "confirm"`, { ui: ["notify", "status", "progress", "ask", "choose", "confirm"] }],
    [`mcp "docs" "github"`, { mcp: ["docs", "github"] }],
    [`mcp "*"; agent`, { mcp: ["*"], agent: true }],
    [`secrets "A_KEY" "B"`, { secrets: ["A_KEY", "B"] }],
  ])("%s", async (body, expected) => {
    expect((await compiled(grants(body))).grants).toMatchObject(expected);
  });
});

describe("what they refuse", () => {
  const roots = "workspace, temp, anywhere, plugin-data, resources or path:/absolute/folder";
  const origin = "an origin such as https://api.example.com or https://*.example.com, without a path, or *";
  const correct = "Correct the value; the manifest reference has an example of each.";

  test.each([
    ["a word", `fs read="home"`, 3, `manifest.bad-value read of fs is "home" | It must be ${roots}, several with commas.`],
    ["a relative path", `fs read="path:srv"`, 3, `manifest.bad-value read of fs is "path:srv" | It must be ${roots}, several with commas.`],
    [
      "a way up",
      `fs read="path:/srv/../etc"`,
      3,
      `manifest.bad-value read of fs is "path:/srv/../etc" | It must be ${roots}, several with commas.`,
    ],
    [
      "the root by a path",
      `fs write="path:/"`,
      3,
      `manifest.bad-value write of fs is "path:/" | It must be ${roots}, several with commas.`,
    ],
    [
      "a slash too many",
      `fs read="path:/srv/"`,
      3,
      `manifest.bad-value read of fs is "path:/srv/" | It must be ${roots}, several with commas.`,
    ],
    ["an unknown root to search", `search "here"`, 7, `manifest.bad-value an argument of search is "here" | It must be ${roots}.`],
    [
      "a command line",
      `process "git  status"`,
      8,
      `manifest.bad-value an argument of process is "git  status" | It must be the name of a program, maybe with words after it such as "git status*", or *.`,
    ],
    [
      "stars alone",
      `process "**"`,
      8,
      `manifest.bad-value an argument of process is "**" | It must be the name of a program, maybe with words after it such as "git status*", or *.`,
    ],
    [
      "variables with a value",
      `process "git" env="PATH=/x"`,
      14,
      `manifest.bad-value env of process "git" is "PATH=/x" | It must be names of variables, with * at the end for all that begin so, or *; several with commas.`,
    ],
    [
      "a path of an origin",
      `net "https://x.com/v1"`,
      4,
      `manifest.bad-value an argument of net is "https://x.com/v1" | It must be ${origin}.`,
    ],
    [
      "a slash after an origin",
      `net "https://x.com/"`,
      4,
      `manifest.bad-value an argument of net is "https://x.com/" | It must be ${origin}.`,
    ],
    [
      "a user of an origin",
      `net "https://a@x.com"`,
      4,
      `manifest.bad-value an argument of net is "https://a@x.com" | It must be ${origin}.`,
    ],
    ["another scheme", `net "file:///etc"`, 4, `manifest.bad-value an argument of net is "file:///etc" | It must be ${origin}.`],
    ["a host without scheme", `net "x.com"`, 4, `manifest.bad-value an argument of net is "x.com" | It must be ${origin}.`],
    [
      "any host of a top level",
      `net "https://*.com"`,
      4,
      `manifest.bad-value an argument of net is "https://*.com" | It must be ${origin}.`,
    ],
    [
      "a star inside of a name",
      `net "https://a*.x.com"`,
      4,
      `manifest.bad-value an argument of net is "https://a*.x.com" | It must be ${origin}.`,
    ],
    [
      "a part of an address",
      `net "https://*.0.0.1"`,
      4,
      `manifest.bad-value an argument of net is "https://*.0.0.1" | It must be ${origin}.`,
    ],
    ["capitals in a host", `net "https://X.com"`, 4, `manifest.bad-value an argument of net is "https://X.com" | It must be ${origin}.`],
    [
      "a secret in small letters",
      `secrets "key"`,
      8,
      `manifest.bad-value an argument of secrets is "key" | It must be the name of a variable in capitals, none of PATH, HOME, SHELL, USER, TMPDIR, LANG, TERM, or *.`,
    ],
  ])("%s", async (_name, body, column, expected) => {
    expect(await told(grants(body))).toEqual([`3:${String(COLUMN + column)} ${expected} | ${correct}`]);
  });

  test.each([
    [
      "an unknown method",
      `net "*" methods="GET,PSOT"`,
      8,
      `methods of net has no "PSOT" | Known here: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS. | Did you mean POST?`,
    ],
    [
      "a method in small letters",
      `net "*" methods="get"`,
      8,
      `methods of net has no "get" | Known here: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS. | Did you mean GET?`,
    ],
    [
      "an unknown intent",
      `ui "notfy"`,
      3,
      `ui has no "notfy" | Known here: notify, status, progress, ask, choose, confirm. | Did you mean notify?`,
    ],
    [
      "a name of the language",
      `ui "constructor"`,
      3,
      `ui has no "constructor" | Known here: notify, status, progress, ask, choose, confirm. | Remove it, or look it up in the manifest reference.`,
    ],
    [
      "an unknown facility",
      `proces "git"`,
      0,
      `grants has no "proces" | Known here: fs, search, process, net, evaluate, vcs, ui, secrets, mcp, agent. | Did you mean process?`,
    ],
    [
      "a property of a flag",
      `vcs write=#true`,
      4,
      `vcs has no "write" | Known here: nothing. | Remove it, or look it up in the manifest reference.`,
    ],
  ])("%s", async (_name, body, column, expected) => {
    expect(await told(grants(body))).toEqual([`3:${String(COLUMN + column)} manifest.unknown-word ${expected}`]);
  });

  test("nodes without anything, and nodes given twice", async () => {
    expect((await told(grants("process; net; ui; search; secrets"))).map((problem) => problem.replace(/ \| .*/u, ""))).toEqual([
      "3:12 manifest.missing process has no argument",
      "3:21 manifest.missing net has no argument",
      "3:26 manifest.missing ui has no argument",
      "3:30 manifest.missing search has no argument",
      "3:38 manifest.missing secrets has no argument",
    ]);
    expect((await told(grants(`vcs; vcs; fs read="temp"; fs write="temp"`))).map((problem) => problem.replace(/ \| .*/u, ""))).toEqual([
      "3:17 manifest.duplicate vcs is there twice",
      "3:38 manifest.duplicate fs is there twice",
    ]);
    expect((await told(plugin("  grants {}\n  grants {}"))).map((problem) => problem.replace(/ \| .*/u, ""))).toEqual([
      "4:3 manifest.duplicate grants is there twice",
    ]);
  });
});

describe("what programs need is no secret of a plugin", () => {
  test.each(["PATH", "HOME", "SHELL", "USER", "TMPDIR", "LANG", "TERM"])("%s", async (name) => {
    expect(await told(grants(`secrets "A_KEY" "${name}"`))).toEqual([expect.stringContaining(`an argument of secrets is "${name}"`)]);
    const connection = `connection "p" rank=1 needs="credential" credential-env="${name}"`;
    expect(await told(plugin(`  provider "p" title="P" { ${connection}; }`))).toEqual([
      expect.stringContaining(`credential-env of connection "p" is "${name}"`),
    ]);
  });
});
