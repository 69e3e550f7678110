import { describe, expect, test, vi } from "vitest";
import { err, ok } from "../../../src/base/index.js";
import type { PluginAdmin } from "../../../src/runtime/index.js";
import { createFakeInput } from "../fake-host.js";
import { failure } from "../fake-runtime.js";
import { approval, hostOf, planning, record, smith, smithOn, typing, withRecords } from "./support.js";

describe("plugins install", () => {
  test("shows everything that is agreed to, asks, and installs after yes", async () => {
    const { admin, log } = planning();
    const { status, out, err: told } = await smith("plugins install acme.lint", admin, typing("y\n"));
    expect([status, out]).toEqual([0, "installed acme.lint 0.3.1\n"]);
    expect(told.split("\n")).toEqual([
      "acme.lint 0.3.1: Lints",
      "  from          npm acme-lint@0.3.1, https://registry.example",
      "  integrity     sha512-abc",
      "  may",
      "    ! run npx",
      "      read files of the workspace",
      "  tools         lint",
      "  commands      /lint",
      "  takes part in tool-settled",
      "Install acme.lint? Type y or yes to agree, anything else does not:",
      "",
    ]);
    expect(log).toEqual(["plan acme.lint", "install acme.lint", "discard acme.lint"]);
  });

  test("of an update it is said what it replaces and what is new", async () => {
    const net = { facility: "net", words: "fetch from https://x.example (GET)", isStrong: true };
    const { admin } = planning({ replaces: { version: "0.2.0" }, grants: [net], added: [net] });
    const { err: told } = await smith("plugins install acme.lint", admin, typing("\n"));
    expect(told).toContain("acme.lint 0.3.1 (now 0.2.0): Lints");
    expect(told).toContain("    ! fetch from https://x.example (GET) (new)");
  });

  test.each(["\n", "n\n", "", "yesss\n", "ja\n"])("the answer %j is no: nothing is installed, status 1", async (answer) => {
    const { admin, log } = planning();
    const { status, out, err: told } = await smith("plugins install acme.lint", admin, typing(answer));
    expect([status, out]).toEqual([1, ""]);
    expect(told).toContain("smith: acme.lint was not installed");
    expect(log).toEqual(["plan acme.lint", "discard acme.lint"]);
  });

  test("each of several is asked for on its own", async () => {
    const { admin, log } = planning();
    const { status, out } = await smith("plugins install a.one a.two", admin, typing("n\ny\n"));
    expect([status, out]).toEqual([1, "installed a.two 0.3.1\n"]);
    expect(log).toEqual(["plan a.one", "plan a.two", "install a.two", "discard a.one", "discard a.two"]);
  });

  test("without a terminal nothing is fetched: status 2, and --yes is named", async () => {
    const { admin, log } = planning();
    const { status, err: told } = await smith("plugins install acme.lint", admin);
    expect(status).toBe(2);
    expect(told).toContain("--yes");
    expect(log).toEqual([]);
  });

  test("--yes shows what is agreed to and asks nothing; with --json the record says it", async () => {
    const plain = await smith("plugins install acme.lint --yes", planning().admin);
    expect([plain.status, plain.out]).toEqual([0, "installed acme.lint 0.3.1\n"]);
    expect(plain.err).toContain("    ! run npx");
    expect(plain.err).not.toContain("Type y");
    const json = await smith("plugins install acme.lint --yes --json", planning().admin);
    expect(json.err).toBe("");
    expect(JSON.parse(json.out)).toMatchObject({
      installed: { id: "acme.lint", version: "0.3.1" },
      grants: [{ words: "run npx", isStrong: true }, {}],
    });
  });

  test("when one of several cannot be had, none is installed and what was fetched is discarded", async () => {
    const { admin, log } = planning();
    const plan: PluginAdmin["plan"] = async (spec, options) =>
      spec === "bad"
        ? err([failure({ code: "plugin.package" }), failure({ code: "manifest.syntax", exit: 2 })])
        : await admin.plan(spec, options);
    const { status, err: told } = await smith("plugins install a.one bad --yes", { plan });
    expect(status).toBe(1);
    expect(told).toContain("plugin.package");
    expect(told).toContain("manifest.syntax");
    expect(log).toEqual(["plan a.one", "discard a.one"]);
  });

  test("a signal at the question ends it with the signal's status, and nothing is left", async () => {
    const { admin, log } = planning();
    const host = hostOf({ ...typing(""), stdin: createFakeInput("terminal") });
    const running = smithOn(host, "plugins install acme.lint", admin);
    await vi.waitFor(() => {
      expect(host.stderr.text).toContain("Type y");
    });
    host.signal("SIGINT");
    expect(await running).toMatchObject({ status: 130, out: "" });
    expect(log).toEqual(["plan acme.lint", "discard acme.lint"]);
  });

  test("what a stranger wrote cannot act on the terminal", async () => {
    const { err: told } = await smith("plugins install acme.lint", planning({ description: "x\u001b[2J\ny" }).admin, typing("n\n"));
    expect(told).toContain("x␛[2J y");
    expect(told).not.toContain("\u001b");
  });
});

describe("plugins remove", () => {
  const installed = record("acme.lint", { dir: "/home/a/smith/config/plugins/acme.lint" });
  const removing = () => {
    const removed: string[] = [];
    const remove: PluginAdmin["remove"] = (id) => {
      removed.push(id);
      return Promise.resolve(ok({ removed: id }));
    };
    return { removed, remove };
  };

  test("asks, with what is deleted; yes removes", async () => {
    const { removed, remove } = removing();
    const { status, out, err: told } = await smith("plugins remove acme.lint", { ...withRecords(installed), remove }, typing("yes\n"));
    expect([status, out, removed]).toEqual([0, "removed acme.lint\n", ["acme.lint"]]);
    expect(told).toContain("~/smith/config/plugins/acme.lint and all that is in it is deleted");
  });

  test("no keeps it; without a terminal --yes is needed", async () => {
    const { removed, remove } = removing();
    const admin = { ...withRecords(installed), remove };
    expect((await smith("plugins remove acme.lint", admin, typing("n\n"))).status).toBe(1);
    expect((await smith("plugins remove acme.lint", admin)).status).toBe(2);
    expect(removed).toEqual([]);
    expect((await smith("plugins remove acme.lint --yes --json", admin)).out).toBe('{"removed":"acme.lint"}\n');
  });

  test("an unknown one ends with status 2 and names the nearest", async () => {
    const { status, err: told } = await smith("plugins remove acme.lnt --yes", withRecords(installed));
    expect(status).toBe(2);
    expect(told).toContain("Did you mean acme.lint?");
  });

  test("what the store refuses is told as it is", async () => {
    const remove: PluginAdmin["remove"] = () => Promise.resolve(err(failure({ code: "plugin.not-installed", exit: 2 })));
    const { status, err: told } = await smith("plugins remove smith.read --yes", {
      ...withRecords(record("smith.read", { origin: "bundled" })),
      remove,
    });
    expect(status).toBe(2);
    expect(told).toContain("plugin.not-installed");
  });
});

describe("plugins enable and disable", () => {
  const setEnabled: PluginAdmin["setEnabled"] = () => Promise.resolve(ok(undefined));

  test("says what was done", async () => {
    const admin = { ...withRecords(record("acme.lint", { inactive: "disabled" })), setEnabled };
    expect(await smith("plugins disable acme.lint", admin)).toMatchObject({ status: 0, out: "disabled acme.lint\n", err: "" });
    expect((await smith("plugins disable acme.lint --json", admin)).out).toBe('{"id":"acme.lint","enabled":false,"state":"disabled"}\n');
    const used = { ...withRecords(record("acme.lint")), setEnabled };
    expect(await smith("plugins enable acme.lint", used)).toMatchObject({ status: 0, out: "enabled acme.lint\n", err: "" });
  });

  test("one that a setting keeps off, or that still waits for agreement, says so", async () => {
    const off = { ...withRecords(record("acme.lint", { inactive: "disabled" })), setEnabled };
    const env = { SMITH_HOME: "/home/a/smith", SMITH_DISABLED_PLUGINS: "acme.lint" };
    const { status, err: told } = await smith("plugins enable acme.lint", off, { env });
    expect(status).toBe(0);
    expect(told).toContain("plugins.still-disabled");
    expect(told).toContain("SMITH_DISABLED_PLUGINS");
    const waiting = { ...withRecords(record("acme.lint", { inactive: "not-approved" })), setEnabled };
    expect((await smith("plugins enable acme.lint", waiting)).err).toContain("smith plugins trust acme.lint");
  });

  test("an unknown one ends with status 2 and names the nearest", async () => {
    const unknown: PluginAdmin["setEnabled"] = () => Promise.resolve(err(failure({ code: "plugin.unknown", exit: 2 })));
    const { status, err: told } = await smith("plugins disable acme.lnt", { ...withRecords(record("acme.lint")), setEnabled: unknown });
    expect(status).toBe(2);
    expect(told).toContain("Did you mean acme.lint?");
  });
});

describe("plugins trust ID", () => {
  const waiting = record("acme.lint", { inactive: "changed", dir: "/home/a/x" });
  const trusting = () => {
    const approved: string[] = [];
    const admin: Partial<PluginAdmin> = {
      ...withRecords(waiting),
      approval: () => Promise.resolve(ok(approval())),
      approve: (id) => {
        approved.push(id);
        const source = { type: "folder", path: "/home/a/x" } as const;
        return Promise.resolve(ok({ id, version: "0.3.1", source, treeHash: "t", grantsHash: "g", approvedAt: 1, enabled: true }));
      },
    };
    return { approved, admin };
  };

  test("shows the plugin as it is now, asks, and approves after yes", async () => {
    const { approved, admin } = trusting();
    const { status, out, err: told } = await smith("plugins trust acme.lint", admin, typing("y\n"));
    expect([status, out, approved]).toEqual([0, "trusted acme.lint 0.3.1\n", ["acme.lint"]]);
    expect(told).toContain("    ! run npx");
    expect(told).toContain("from          the folder ~/x");
  });

  test("no approves nothing; without a terminal it is shown and --yes is named", async () => {
    const { approved, admin } = trusting();
    expect((await smith("plugins trust acme.lint", admin, typing("\n"))).status).toBe(1);
    const { status, err: told } = await smith("plugins trust acme.lint", admin);
    expect(status).toBe(2);
    expect(told).toContain("! run npx");
    expect(told).toContain("--yes");
    expect(approved).toEqual([]);
  });

  test.each([
    ["one in use", record("acme.lint"), 0, "is as you agreed to it"],
    ["one of the project", record("acme.lint", { origin: "project", inactive: "project-untrusted" }), 2, "with: smith plugins trust."],
    ["a bundled one", record("acme.lint", { origin: "bundled" }), 2, "It comes with smith."],
  ])("%s needs no agreement of its own", async (_name, own, expected, words) => {
    const { approved, admin } = trusting();
    const { status, err: told } = await smith("plugins trust acme.lint --yes", { ...admin, ...withRecords(own) });
    expect([status, approved]).toEqual([expected, []]);
    expect(told).toContain(words);
  });

  test("a broken one is told with its problems, status 1", async () => {
    const broken = () => Promise.resolve(err([failure({ code: "manifest.syntax", exit: 2 })]));
    const { status, err: told } = await smith("plugins trust acme.lint --yes", { ...trusting().admin, approval: broken });
    expect(status).toBe(1);
    expect(told).toContain("manifest.syntax");
  });
});

describe("plugins trust, of the project", () => {
  const behaviour = {
    root: "/home/a/p",
    hash: "h",
    items: [{ path: ".smith/plugins/acme.lint", what: "runs the plugin acme.lint 0.1.0: run npx" }],
  };
  const projects = (state: "trusted" | "untrusted" | "changed" | "nothing-to-trust", refused?: string) => {
    const trusted: unknown[] = [];
    const trust: PluginAdmin["trust"] = {
      look: () => Promise.resolve({ state }),
      state: () =>
        Promise.resolve(
          state === "nothing-to-trust" ? { state } : { state, behaviour: { ...behaviour, ...(refused === undefined ? {} : { refused }) } },
        ),
      trust: (given) => {
        if (refused !== undefined) return Promise.resolve(err(failure({ code: "plugin.untrustable-project" })));
        trusted.push(given);
        return Promise.resolve(ok(undefined));
      },
      revoke: () => Promise.resolve(ok(state === "trusted")),
    };
    return { trusted, admin: { trust } };
  };

  test("shows each thing with what it would do, and records what was shown", async () => {
    const { trusted, admin } = projects("untrusted");
    const { status, out, err: told } = await smith("plugins trust", admin, typing("y\n"));
    expect([status, out, trusted]).toEqual([0, "trusted /home/a/p\n", [behaviour]]);
    expect(told).toContain("The project ~/p would, by itself:\n  .smith/plugins/acme.lint: runs the plugin acme.lint 0.1.0: run npx\n");
  });

  test("one that has changed says so; no trusts nothing", async () => {
    const { trusted, admin } = projects("changed");
    const { status, err: told } = await smith("plugins trust", admin, typing("n\n"));
    expect([status, trusted]).toEqual([1, []]);
    expect(told).toContain("has changed since you trusted it");
  });

  test.each(["trusted", "nothing-to-trust"] as const)("%s: nothing is asked, status 0", async (state) => {
    const { trusted, admin } = projects(state);
    const { status, err: told } = await smith("plugins trust", admin);
    expect([status, trusted]).toEqual([0, []]);
    expect(told).not.toContain("usage.");
    expect(JSON.parse((await smith("plugins trust --json", admin)).out)).toMatchObject({ state, changed: false });
  });

  test("one that cannot be trusted as it is says why, status 1", async () => {
    const { status, err: told } = await smith("plugins trust --yes", projects("untrusted", ".smith: it is a link").admin);
    expect(status).toBe(1);
    expect(told).toContain("plugin.untrustable-project");
  });

  test("--revoke takes it back, also where there was nothing", async () => {
    expect(await smith("plugins trust --revoke", projects("trusted").admin)).toMatchObject({ status: 0 });
    expect((await smith("plugins trust --revoke", projects("trusted").admin)).err).toContain("not trusted any more");
    expect((await smith("plugins trust --revoke --json", projects("untrusted").admin)).out).toBe('{"revoked":false}\n');
  });
});
