import { randomFillSync } from "node:crypto";
import { hostname, tmpdir } from "node:os";
import { createIdSource, type Result } from "../base/index.js";
import type { Paths } from "../config/index.js";
import type { Inspection, Runtime, RuntimeDeps } from "../runtime/index.js";
import type { Diagnostic } from "../schema/index.js";
import type { Prepared } from "./context.js";
import type { CliHost } from "./host.js";
import { VERSION } from "./version.js";

type ProcessFacts = Pick<RuntimeDeps, "clock" | "ids" | "randomBytes" | "version" | "process">;

const randomBytes = (into: Uint8Array): void => {
  randomFillSync(into);
};

const processFacts = (host: CliHost): ProcessFacts => ({
  clock: host.clock,
  ids: createIdSource(() => host.clock.now(), randomBytes),
  randomBytes,
  version: VERSION,
  process: { pid: host.pid, host: hostname(), platform: host.platform, shell: "bash", tempDir: tmpdir() },
});

/** The runtime of this process, made from the settings and the process's own world. */
export async function openRuntime({ settings, paths, cwd }: Prepared, host: CliHost): Promise<Result<Runtime, Diagnostic>> {
  const { createRuntime } = await import("../runtime/index.js");
  return createRuntime({
    ...processFacts(host),
    settings,
    paths,
    cwd,
    env: host.env,
    random: () => Math.random(),
    // The build puts workers, engine and plugins beside the program.
    installDir: new URL("./", import.meta.url),
    onDiagnostic: () => undefined,
  });
}

/** Read access to recorded sessions, without plugins, providers or credentials. */
export async function openInspection(paths: Paths, host: CliHost): Promise<Inspection> {
  const { createInspection } = await import("../runtime/index.js");
  return createInspection({ ...processFacts(host), paths });
}
