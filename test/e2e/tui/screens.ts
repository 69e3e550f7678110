import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { ModelServer, Script } from "../../support/model-server.js";
import { PtyShell } from "../../support/pty.js";
import { until } from "../../support/virtual-screen.js";
import { createPlace, type Place } from "../support/place.js";
import { createScripted } from "../support/scripted.js";
import { SMITH } from "../support/smith.js";

export interface ScreenOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly term?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What the last row says when a prompt can be sent. */
export const READY = "Enter send ·";

/** A home and a workspace with terminals in it, in which `smith` is the built program. */
export interface Screens extends Place {
  /** A shell in the workspace, at its prompt. */
  shell(options?: ScreenOptions): Promise<PtyShell>;
  /** The interface in a shell of its own, ready for a prompt. */
  smith(args?: string, options?: ScreenOptions): Promise<PtyShell>;
  /** Names of the session files. */
  sessionFiles(): readonly string[];
}

const isShell = (command: string): boolean => command.startsWith("bash --norc");

function withShells(place: Place, closeMore: () => Promise<void>): Screens {
  const bin = join(place.home, "..", "bin");
  mkdirSync(bin);
  symlinkSync(SMITH, join(bin, "smith"));
  const shells: PtyShell[] = [];
  const leftBehind = (): readonly string[] => place.leftBehind().filter((command) => !isShell(command));
  const shell = async ({ columns = 80, rows = 24, term, env }: ScreenOptions = {}): Promise<PtyShell> => {
    const variables = { ...place.env, ...env, PATH: `${bin}:${place.env["PATH"] ?? ""}` };
    const opened = new PtyShell({ columns, rows }, { cwd: place.work, env: variables, ...(term === undefined ? {} : { term }) });
    shells.push(opened);
    await opened.shows("$ ");
    return opened;
  };
  return {
    ...place,
    shell,
    leftBehind,
    async smith(args = "", options = {}) {
      const opened = await shell(options);
      opened.type(`smith ${args}\r`);
      await opened.shows(READY);
      return opened;
    },
    sessionFiles: () => filesIn(place.sessions).filter((name) => name.endsWith(".smith")),
    quiet: () =>
      until(
        () => leftBehind().length === 0,
        () => `still running: ${leftBehind().join("; ")}`,
      ),
    async close() {
      for (const opened of shells) await opened.close();
      await closeMore();
    },
  };
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It is made with the first session.
    return [];
  }
}

/** Screens with the model that is built in. */
export function offlineScreens(variables: Readonly<Record<string, string>> = {}): Screens {
  const place = createPlace(variables);
  return withShells(place, place.close);
}

export interface ScriptedScreens extends Screens {
  readonly server: ModelServer;
}

/** Screens with a scripted model server that refuses what strict servers refuse. */
export async function scriptedScreens(script: Script, variables: Readonly<Record<string, string>> = {}): Promise<ScriptedScreens> {
  const place = await createScripted({ script }, variables);
  return { ...withShells(place, place.close), server: place.server };
}
