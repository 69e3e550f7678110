import { ok } from "../../../src/base/index.js";
import { runCommandLine } from "../../../src/cli/commands.js";
import type { Approval, InstallPlan, PluginRecord } from "../../../src/cli/plugins/records.js";
import type { PluginAdmin } from "../../../src/runtime/index.js";
import { createFakeHost, createFakeInput, createFakeOutput, type FakeHost, type FakeHostOptions } from "../fake-host.js";
import { createFakeRuntime, type FakeRuntime } from "../fake-runtime.js";

export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  readonly host: FakeHost;
  readonly runtime: FakeRuntime;
}

/** Runs a line over plugins that are the test's. */
export async function smith(line: string, admin: Partial<PluginAdmin> = {}, options: FakeHostOptions = {}): Promise<Ran> {
  return await smithOn(hostOf(options), line, admin);
}

export const hostOf = (options: FakeHostOptions = {}): FakeHost =>
  createFakeHost({ env: { HOME: "/home/a", SMITH_HOME: "/home/a/smith" }, cwd: "/home/a/p", ...options });

/** The same on a host the test keeps in its hands. */
export async function smithOn(host: FakeHost, line: string, admin: Partial<PluginAdmin> = {}): Promise<Ran> {
  const runtime = createFakeRuntime({ admin });
  const status = await runCommandLine(line.split(" "), host, runtime);
  return { status, out: host.stdout.text, err: host.stderr.text, host, runtime };
}

/** A person at a terminal who types this. */
export const typing = (answers: string): FakeHostOptions => ({
  stdin: createFakeInput("terminal", answers),
  stderr: createFakeOutput({ isTerminal: true }),
});

export const record = (id: string, more: Partial<PluginRecord> = {}): PluginRecord => ({ id, origin: "user", problems: [], ...more });

export const withRecords = (...records: readonly PluginRecord[]): Pick<PluginAdmin, "discover"> => ({
  discover: () => Promise.resolve({ records, active: [], diagnostics: [] }),
});

export const approval = (more: Partial<Approval> = {}): Approval => ({
  id: "acme.lint",
  version: "0.3.1",
  description: "Lints",
  grants: [
    { facility: "process", words: "run npx", isStrong: true },
    { facility: "fs-read", words: "read files of the workspace", isStrong: false },
  ],
  added: [],
  tools: ["lint"],
  commands: ["lint"],
  handlers: ["tool-settled", "tool-settled"],
  ...more,
});

export interface Planned {
  readonly plans: InstallPlan[];
  /** What was done with the plans, in order. */
  readonly log: string[];
  readonly admin: Pick<PluginAdmin, "plan">;
}

/** Plans for any spec; its id is the spec's. */
export function planning(more: Partial<Approval> = {}): Planned {
  const log: string[] = [];
  const plans: InstallPlan[] = [];
  const plan: PluginAdmin["plan"] = (spec) => {
    log.push(`plan ${spec}`);
    const own = approval({ id: spec, ...more });
    const source = { type: "npm", name: "acme-lint", version: own.version, registry: "https://registry.example" } as const;
    const made: InstallPlan = {
      approval: own,
      source,
      integrity: "sha512-abc",
      warnings: [],
      install: () => {
        log.push(`install ${spec}`);
        const installed = { id: own.id, version: own.version, source, treeHash: "t", grantsHash: "g", approvedAt: 1, enabled: true };
        return Promise.resolve(ok(installed));
      },
      discard: () => {
        log.push(`discard ${spec}`);
        return Promise.resolve();
      },
    };
    plans.push(made);
    return Promise.resolve(ok(made));
  };
  return { plans, log, admin: { plan } };
}
