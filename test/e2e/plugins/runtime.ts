import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { randomFillSync } from "node:crypto";
import { createIdSource } from "../../../src/base/index.js";
import { createKdlCache, type Paths, readSources, resolvePaths, resolveSettings } from "../../../src/config/index.js";
import { createRuntime, type OpenOptions, type Runtime, type RuntimeDeps, type RuntimeSession } from "../../../src/runtime/index.js";
import type { Diagnostic, SmithEvent } from "../../../src/schema/index.js";
import { type ModelServer, type ModelServerOptions, startModelServer } from "../../support/model-server.js";
import { createRealClock } from "../../support/real-clock.js";
import { serverVariables } from "../support/scripted.js";
import { SMITH } from "../support/smith.js";

/** A home and a project with a scripted model, and the runtime over the built workers and plugins. */
export interface World {
  readonly home: string;
  readonly project: string;
  readonly paths: Paths;
  readonly server: ModelServer;
  readonly diagnostics: Diagnostic[];
  /** Writes files below a folder and gives its path. */
  folder(path: string, files: Readonly<Record<string, string>>): string;
  open(given?: WorldOptions): Promise<Runtime>;
  close(): Promise<void>;
}

export interface WorldOptions extends Partial<Pick<RuntimeDeps, "pluginDirs" | "watch" | "trusted">> {
  readonly env?: Readonly<Record<string, string>>;
  readonly pairs?: readonly string[];
}

export async function openWorld(options: ModelServerOptions): Promise<World> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "smith-composed-")));
  const [home, project] = [join(root, "home"), join(root, "project")];
  mkdirSync(home);
  mkdirSync(project);
  const server = await startModelServer(options);
  const runtimes: Runtime[] = [];
  const diagnostics: Diagnostic[] = [];
  const own = { PATH: process.env["PATH"] ?? "", HOME: home, SMITH_HOME: home, SMITH_DISCOVERY: "off", ...serverVariables(server.url) };
  const found = resolvePaths({ env: own, cwd: project, platform: "linux", userHome: () => home });
  if (!found.ok) throw new Error(found.error.what);
  const paths = found.value;
  return {
    home,
    project,
    paths,
    server,
    diagnostics,
    folder(path, files) {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), text);
      }
      return path;
    },
    async open({ env: more = {}, pairs = [], trusted, pluginDirs = [], watch = false } = {}) {
      const env = { ...own, ...more };
      const cache = createKdlCache({ dir: paths.cache, pid: process.pid, log: () => undefined });
      const sources = await readSources({ env, cwd: project, paths, cache, flags: [], pairs, trusted });
      const clock = createRealClock();
      const randomBytes = (into: Uint8Array): void => {
        randomFillSync(into);
      };
      const runtime = await createRuntime({
        env,
        cwd: project,
        paths,
        settings: resolveSettings(sources, { foreign: "ignore" }).settings,
        sources,
        clock,
        ids: createIdSource(() => clock.now(), randomBytes),
        random: () => 0.5,
        randomBytes,
        process: { pid: process.pid, host: "test", platform: "linux", shell: "sh", tempDir: tmpdir() },
        version: "0.0.0-test",
        installDir: new URL("./", pathToFileURL(SMITH)),
        pluginDirs,
        watch,
        onDiagnostic: (problem) => diagnostics.push(problem),
        ...(trusted === undefined ? {} : { trusted }),
      });
      if (!runtime.ok) throw new Error(`${runtime.error.what} ${runtime.error.why}`);
      runtimes.push(runtime.value);
      return runtime.value;
    },
    async close() {
      await Promise.all(runtimes.map(async (runtime) => await runtime.close()));
      await server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A session with everything it told. */
export interface Told {
  readonly session: RuntimeSession;
  readonly events: SmithEvent[];
  /** Resolves with the first event that fits, also one that was told before. */
  readonly event: <Type extends SmithEvent["type"]>(type: Type) => Promise<Extract<SmithEvent, { readonly type: Type }>>;
  readonly turn: (text: string) => Promise<string>;
}

export async function openSession(runtime: Runtime, options: OpenOptions = {}): Promise<Told> {
  const made = await runtime.create(options);
  if (!made.ok) throw new Error(made.error.what);
  const session = made.value;
  const events: SmithEvent[] = [];
  session.observe((event) => events.push(event));
  return {
    session,
    events,
    event: async (type) =>
      await new Promise((resolve) => {
        const take = (event: SmithEvent): void => {
          if (event.type !== type) return;
          remove();
          resolve(event as Extract<SmithEvent, { readonly type: typeof type }>);
        };
        const remove = session.observe(take);
        events.forEach(take);
      }),
    async turn(text) {
      const receipt = await session.submit({ text });
      if (!receipt.ok) throw new Error(receipt.error.what);
      const end = await receipt.value.settled;
      if (end.status !== "ok") throw new Error(`${end.reason}: ${end.error?.what ?? ""} ${end.error?.why ?? ""}`);
      return end.reply;
    },
  };
}
