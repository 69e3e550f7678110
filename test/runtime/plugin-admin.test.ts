import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPluginAdmin, type PluginAdminDeps } from "../../src/runtime/plugin-admin.js";
import type { PluginAdmin } from "../../src/runtime/plugin-admin/types.js";
import { createRealClock } from "../support/real-clock.js";
import { seqIds } from "../support/seq-ids.js";
import { openRegistry, type RegistryServer } from "../plugin/store/registry-server.js";
import { packTree } from "../plugin/store/tarballs.js";
import { codes, createWorld, listAll, plugin, signal, summary, type World } from "../plugin/store/world.js";

let world: World;
let registry: RegistryServer;
let admin: PluginAdmin;

const sha512 = (bytes: Uint8Array): string => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

function open(more: Partial<PluginAdminDeps> = {}): PluginAdmin {
  return createPluginAdmin({
    clock: createRealClock(),
    cwd: world.work,
    env: { HOME: world.home, npm_config_registry: registry.url },
    ids: seqIds(),
    installDir: pathToFileURL(`${world.home}/no-build/`),
    paths: {
      config: world.config,
      data: world.data,
      cache: world.cache,
      state: join(world.home, "state"),
      sessions: join(world.data, "s"),
    },
    pluginDirs: [],
    settings: { disabledPlugins: { value: [], layer: "default" } } as unknown as PluginAdminDeps["settings"],
    version: "0.1.0",
    ...more,
  });
}

beforeEach(async () => {
  world = await createWorld();
  registry = await openRegistry(sha512);
  admin = open();
});
afterEach(async () => {
  await admin.close();
  await registry.close();
  await world.remove();
});

const plan = async (spec: string, from = admin) => await from.plan(spec, { cwd: world.work, signal });

async function refusal(spec: string, from = admin): Promise<string> {
  const planned = await plan(spec, from);
  expect(await listAll(world.plugins)).toEqual([]);
  return planned.ok ? "" : codes(planned.error).join();
}

describe("installing from a registry", () => {
  test("fetches the version, proves its archive and records where it came from", async () => {
    const archive = packTree(plugin());
    registry.publish("smith-plugin-lint", "1.2.3", archive);
    const planned = await plan("npm:smith-plugin-lint@1.2.3");
    expect(planned.ok && planned.value.integrity).toBe(sha512(archive));
    const installed = planned.ok ? await planned.value.install() : undefined;
    expect(installed?.ok === true && installed.value.source).toEqual({
      type: "npm",
      name: "smith-plugin-lint",
      version: "1.2.3",
      registry: registry.url,
    });
    expect(summary(await admin.discover())).toEqual(["user acme.lint 1.0.0: used"]);
    expect(registry.asked).toEqual(["/smith-plugin-lint/1.2.3", "/files/smith-plugin-lint-1.2.3.tgz"]);
  });

  test("takes the newest version where none is named, and names with a scope", async () => {
    registry.publish("@acme/lint", "2.0.0", packTree(plugin()));
    const planned = await plan("npm:@acme/lint");
    expect(planned.ok && planned.value.source).toMatchObject({ name: "@acme/lint", version: "2.0.0" });
    if (planned.ok) await planned.value.discard();
  });

  test("asks the registry the user's .npmrc names, for the scope first; a project's .npmrc has no say", async () => {
    registry.publish("@acme/lint", "1.0.0", packTree(plugin()));
    await writeFile(join(world.work, ".npmrc"), "registry=http://127.0.0.1:1/\n");
    await writeFile(
      join(world.home, ".npmrc"),
      `; mine\nregistry=http://127.0.0.1:1/\n@acme:registry = "${registry.url}"\n//x/:_authToken=secret\n`,
    );
    const other = open({ env: { HOME: world.home } });
    const planned = await plan("npm:@acme/lint", other);
    expect(planned.ok).toBe(true);
    if (planned.ok) await planned.value.discard();
    expect(JSON.stringify(await plan("npm:lint", other))).toContain("127.0.0.1:1");
    await other.close();
  });

  test.each([
    ["a hash that is not the archive's", { integrity: sha512(Buffer.from("other")) }, "plugin.integrity"],
    ["no hash", { integrity: undefined }, "plugin.no-integrity"],
    ["SHA-1 alone", { integrity: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=" }, "plugin.no-integrity"],
    ["an archive elsewhere without https", { tarball: "http://192.0.2.1/x.tgz" }, "plugin.registry"],
    ["an archive in a file", { tarball: "file:///etc/passwd" }, "plugin.registry"],
    ["an archive behind a password", { tarball: "https://me:pw@example.com/x.tgz" }, "plugin.registry"],
  ])("refuses %s", async (_title, dist, code) => {
    const archive = packTree(plugin());
    const right = { tarball: `${registry.url}files/lint-1.0.0.tgz`, integrity: sha512(archive) };
    registry.publish("lint", "1.0.0", archive, { dist: { ...right, ...dist } });
    expect(await refusal("npm:lint@1.0.0")).toBe(code);
  });

  test("of several hashes the SHA-512 counts", async () => {
    const archive = packTree(plugin());
    const dist = { tarball: `${registry.url}files/lint-1.0.0.tgz`, integrity: `sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk= ${sha512(archive)}` };
    registry.publish("lint", "1.0.0", archive, { dist });
    const planned = await plan("npm:lint");
    expect(planned.ok).toBe(true);
    if (planned.ok) await planned.value.discard();
  });

  test.each([
    ["another package", { name: "other" }],
    ["another version", { version: "6.6.6" }],
    ["no package at all", { dist: undefined }],
  ])("refuses a registry that answers with %s", async (_title, document) => {
    registry.publish("lint", "1.0.0", packTree(plugin()), document);
    expect(await refusal("npm:lint@1.0.0")).toBe("plugin.registry");
  });

  test.each([
    ["npm:", "plugin.source"],
    ["npm:../evil", "plugin.source"],
    ["npm:a/b", "plugin.source"],
    ["npm:Lint", "plugin.source"],
    ["npm:lint@^1.0.0", "plugin.source"],
    ["npm:lint@../x", "plugin.source"],
    ["npm:lint?x=y", "plugin.source"],
    ["npm:nowhere", "plugin.download-status"],
  ])("%s is refused", async (spec, code) => {
    expect(await refusal(spec)).toBe(code);
  });

  test.each([
    ["http://registry.example.com/", "plugin.registry"],
    ["ftp://example.com/", "plugin.registry"],
    ["nonsense", "plugin.registry"],
    ["https://me:secret@registry.example.com/", "plugin.registry"],
  ])("the registry %s is not asked", async (url, code) => {
    const other = open({ env: { npm_config_registry: url } });
    const planned = await plan("npm:lint", other);
    expect(planned.ok ? [] : codes(planned.error)).toEqual([code]);
    expect(JSON.stringify(planned)).not.toContain("secret");
    await other.close();
  });

  test("follows redirects on this machine, a few, and none to plain http elsewhere", async () => {
    const archive = packTree(plugin());
    registry.publish("lint", "1.0.0", archive);
    const send =
      (location: string) =>
      (response: ServerResponse): void => {
        response.writeHead(302, { location }).end();
      };
    registry.answer("/files/lint-1.0.0.tgz", send("/elsewhere"));
    registry.answer("/elsewhere", (response) => response.writeHead(200).end(archive));
    const planned = await plan("npm:lint");
    expect(planned.ok).toBe(true);
    if (planned.ok) await planned.value.discard();
    registry.answer("/files/lint-1.0.0.tgz", send("http://192.0.2.1/x"));
    expect(await refusal("npm:lint")).toBe("plugin.download");
    registry.answer("/files/lint-1.0.0.tgz", send("/files/lint-1.0.0.tgz"));
    expect(await refusal("npm:lint")).toBe("plugin.download");
  });

  test("stops reading an archive without end, and a description without end", async () => {
    registry.publish("lint", "1.0.0", packTree(plugin()));
    let isOver = false;
    const endless = (response: ServerResponse): void => {
      const piece = Buffer.alloc(256 * 1024);
      const more = (): void => {
        while (!isOver && response.write(piece));
      };
      response.on("drain", more).on("close", () => {
        isOver = true;
      });
      response.writeHead(200);
      more();
    };
    registry.answer("/files/lint-1.0.0.tgz", endless);
    expect(await refusal("npm:lint")).toBe("plugin.download");
    isOver = false;
    registry.answer("/lint/latest", endless);
    expect(await refusal("npm:lint")).toBe("plugin.download");
  });

  test("an archive that breaks off is no archive", async () => {
    registry.publish("lint", "1.0.0", packTree(plugin()));
    registry.answer("/files/lint-1.0.0.tgz", (response) => {
      response.writeHead(200, { "content-length": "100000" });
      response.write("half", () => response.destroy());
    });
    expect(await refusal("npm:lint")).toBe("plugin.download");
  });

  test("can be aborted while the registry is silent", async () => {
    const abort = new AbortController();
    registry.answer("/lint/latest", () => abort.abort("enough"));
    const planned = await admin.plan("npm:lint", { cwd: world.work, signal: abort.signal });
    expect(planned.ok ? [] : codes(planned.error)).toEqual(["plugin.install-stopped"]);
  });

  test("a registry that cannot be reached is told by its address", async () => {
    const other = open({ env: { npm_config_registry: "http://127.0.0.1:1/" } });
    expect(await refusal("npm:lint", other)).toBe("plugin.download");
    await other.close();
  });
});

describe("looking after plugins", () => {
  test("without a build the bundled plugins are missing with a reason, and everything else works", async () => {
    await world.write(join(world.work, "lint"), plugin());
    const planned = await plan("lint");
    if (planned.ok) await planned.value.install();
    const found = await admin.discover();
    expect(summary(found)).toEqual(["user acme.lint 1.0.0: used"]);
    expect(codes(found.diagnostics)).toEqual(["plugin.index-broken"]);
  });

  test("plugins of every layer are found and can be enabled and disabled by id", async () => {
    await mkdir(join(world.home, "no-build/plugins"), { recursive: true });
    await writeFile(
      join(world.home, "no-build/plugins/index.json"),
      JSON.stringify({ sdk: 1, plugins: [{ id: "smith.read", version: "1.0.0", entry: "read.js", sdk: 1 }] }),
    );
    expect((await admin.setEnabled("smith.read", false)).ok).toBe(true);
    expect(summary(await admin.discover())).toEqual(["bundled smith.read 1.0.0: disabled"]);
    const unknown = await admin.setEnabled("smith.raed", false);
    expect(unknown.ok ? "" : unknown.error.why).toBe("Did you mean smith.read?");
  });

  test("a new package is written below the working directory, and can be installed as it is", async () => {
    const made = await admin.create("mine", { id: "acme.mine", kind: "tool" });
    expect(made.ok && made.value).toContain("manifest.kdl");
    const planned = await plan("mine");
    expect(planned.ok && planned.value.approval).toMatchObject({ id: "acme.mine", tools: ["mine"] });
    if (planned.ok) await planned.value.install();
    expect(summary(await admin.discover())).toEqual(["user acme.mine 0.1.0: used"]);
  });

  test("trust is given to what the project holds", async () => {
    await world.write(world.work, { ".smith/config.kdl": `model "x"` });
    const { behaviour } = await admin.trust.state(world.work);
    if (behaviour !== undefined) await admin.trust.trust(behaviour);
    expect((await admin.trust.state(world.work)).state).toBe("trusted");
  });
});
