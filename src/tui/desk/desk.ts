import { type Diagnostic, diagnostic } from "../../schema/index.js";
import { type AdminPort, type PluginDiscovery, pluginRows, type PluginRuntime, type ProjectBehaviour } from "../plugins/index.js";
import type { AdminDeed, AdminNews, UiEvent } from "../store/index.js";
import type { TuiOptions } from "../types.js";

export interface DeskPorts {
  readonly options: Pick<TuiOptions, "admin" | "plugins" | "cwd" | "project">;
  readonly dispatch: (event: UiEvent) => void;
  readonly fail: (error: unknown) => void;
}

/** Carries out what a person wants of plugins, in the order it was asked for. */
export class PluginDesk {
  private port: Promise<AdminPort> | undefined;
  private last: Promise<void> = Promise.resolve();
  private isOver = false;
  private readonly ports: DeskPorts;

  constructor(ports: DeskPorts) {
    this.ports = ports;
  }

  run(deed: AdminDeed): void {
    this.last = this.last
      .then(async () => {
        if (!this.isOver) await this.carryOut(deed);
      })
      .catch(this.ports.fail);
  }

  /** Finds out what of an untrusted project is not used, for who has to be told. */
  lookAtProject(): void {
    const { admin, project } = this.ports.options;
    if (admin !== undefined && project === "untrusted") this.run({ type: "look-at-project" });
  }

  /** Nothing is begun any more; what is under way comes to its end. */
  close(): void {
    this.isOver = true;
    this.port?.then(async ({ admin }) => await admin.close()).catch(() => undefined);
  }

  private tell(news: AdminNews): void {
    if (!this.isOver) this.ports.dispatch({ type: "admin", news });
  }

  private async carryOut(deed: AdminDeed): Promise<void> {
    const { admin: load } = this.ports.options;
    if (load === undefined) {
      this.tell({ type: "failed", diagnostic: UNAVAILABLE });
      return;
    }
    this.port ??= load();
    const port = await this.port;
    await this.withAdmin(deed, port);
  }

  private async withAdmin(deed: AdminDeed, port: AdminPort): Promise<void> {
    const { admin } = port;
    switch (deed.type) {
      case "list":
        await this.list(port);
        return;
      case "look-at-project":
        this.tell({ type: "project", project: await admin.trust.state(this.ports.options.cwd) });
        return;
      case "ask-trust":
        this.tell({ type: "trust-known", project: await admin.trust.state(this.ports.options.cwd) });
        return;
      case "ask-approval": {
        const known = await admin.approval(deed.id);
        if (known.ok) this.tell({ type: "approval-known", approval: known.value });
        else this.failed(known.error);
        return;
      }
      case "set-enabled": {
        const done = await admin.setEnabled(deed.id, deed.enabled);
        await this.changed(port, done.ok ? [] : [done.error], `${deed.id} is ${deed.enabled ? "enabled" : "disabled"}`);
        return;
      }
      case "approve": {
        const done = await admin.approve(deed.id);
        await this.changed(port, done.ok ? [] : done.error, `${deed.id} is approved`);
        return;
      }
      case "remove": {
        const done = await admin.remove(deed.id);
        await this.changed(port, done.ok ? [] : [done.error], `${deed.id} is removed`);
        return;
      }
      case "trust":
        await this.trust(port, deed.behaviour);
        return;
      case "reload":
        await this.changed(port, [], "plugins were read again");
    }
  }

  private failed([problem = UNAVAILABLE]: readonly Diagnostic[]): void {
    this.tell({ type: "failed", diagnostic: problem });
  }

  private async list({ admin, grantsOf }: AdminPort): Promise<void> {
    const discovery = await admin.discover();
    this.tell({ type: "listed", rows: pluginRows(discovery, grantsOf), problems: problemsOf(discovery) });
  }

  private async trust(port: AdminPort, behaviour: ProjectBehaviour): Promise<void> {
    const done = await port.admin.trust.trust(behaviour);
    const hasSettings = behaviour.items.some(({ path }) => path === ".smith/config.kdl" || path === ".mcp.json");
    const when =
      this.ports.options.project === "refused"
        ? "from the next start on: this one was made with --no-trust"
        : hasSettings
          ? "in use from the next request on, its settings from the next start on"
          : "in use from the next request on";
    await this.changed(port, done.ok ? [] : [done.error], `this project is trusted; ${when}`, true);
  }

  /** Something changed on the disk, or could not be: plugins are read again, and then told. */
  private async changed(port: AdminPort, problems: readonly Diagnostic[], text: string, isTrust = false): Promise<void> {
    if (problems.length > 0) this.failed(problems);
    else {
      const reloaded = await this.runtime()?.reload();
      if (reloaded === undefined || reloaded.ok) this.tell({ type: "done", text, ...(isTrust ? { isTrust } : {}) });
      else this.failed(reloaded.error);
    }
    await this.list(port);
  }

  private runtime(): PluginRuntime | undefined {
    return this.ports.options.plugins?.();
  }
}

/** What no row of the list tells of already. */
function problemsOf({ diagnostics, records }: PluginDiscovery): readonly Diagnostic[] {
  const told = new Set(records.flatMap(({ problems }) => problems.map(({ what }) => what)));
  const byRows = new Set(["plugin.project-untrusted", "plugin.project-changed", "plugin.used-for-run"]);
  return diagnostics.filter(({ what, code }) => !told.has(what) && !byRows.has(code));
}

/** Of an embedder that brings no administration. */
const UNAVAILABLE = diagnostic({
  code: "tui.no-plugin-admin",
  what: "Plugins cannot be looked after here.",
  why: "This interface was started without what does that.",
  next: "Use smith plugins in another terminal.",
});
